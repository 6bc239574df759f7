import { expect, test } from "vitest";
import { cut } from "./cell.ts";
import type { Screen } from "./screen.ts";
import { facts, table } from "./table.ts";

test("columns are as wide as their widest cell, and figures meet at the decimal point", () => {
  const rows = [
    ["a", "-0.5", "x"],
    ["long name", "12", ""],
    ["b", "1.25", "y"],
  ];

  expect(table(["NAME", ">AMOUNT", "LAST"], rows)).toBe(
    ["NAME       AMOUNT  LAST", "a           -0.5   x", "long name   12", "b            1.25  y"].join("\n"),
  );
});

const screen = (columns: number): Screen => ({
  isTerminal: true,
  columns,
  paint: (tone, text) => `<${tone}:${text}>`,
});
const bare = (text: string): string => text.replaceAll(/<\w+:([^>]*)>/g, "$1");

test("on a terminal the header and the states are coloured, and colour changes no column", () => {
  const rows = [
    ["x", "1", "active"],
    ["yyy", "2", "revoked"],
    ["z", "3", "-"],
  ];
  const coloured = table(["A", "B", "STATUS"], rows, { screen: screen(80) });

  expect(coloured.split("\n")).toEqual([
    "<heading:A>    <heading:B>  <heading:STATUS>",
    "x    1  <good:active>",
    "yyy  2  <bad:revoked>",
    "z    3  <secondary:->",
  ]);
  expect(bare(coloured)).toBe(table(["A", "B", "STATUS"], rows));
});

test("on a terminal figures have separators and moments no milliseconds; in a file they stay as a program reads them", () => {
  const rows = [["1234567", "2027-01-31T18:00:00.000Z", "-1234.5678"]];
  const header = [">TOKENS", "TIME", ">AMOUNT"];

  expect(bare(table(header, rows, { screen: screen(80) })).split("\n")[1]).toBe(
    "1,234,567  2027-01-31 18:00:00Z  -1,234.5678",
  );
  expect(table(header, rows).split("\n")[1]).toBe("1234567  2027-01-31T18:00:00.000Z  -1234.5678");
});

test("a table fits the terminal: optional columns go, then the widest text is cut, and figures and copied names stay whole", () => {
  const rows = [
    ["tgc_a034Fq4J", "a label that is much too long for this", "openrouter", "1234567", "01a1def5-f603-721e"],
    ["tgc_b034Fq4J", "short", "openai", "1", "01a1def5-f603-721f"],
  ];
  const header = ["=PREFIX", "LABEL", "PROVIDER", ">RPM", "?ID"];

  expect(bare(table(header, rows, { screen: screen(50) })).split("\n")).toEqual([
    "PREFIX        LABEL          PROVIDER          RPM",
    "tgc_a034Fq4J  a label that…  openrouter  1,234,567",
    "tgc_b034Fq4J  short          openai              1",
  ]);
  for (const columns of [40, 50, 60, 80, 120])
    for (const line of bare(table(header, rows, { screen: screen(columns) })).split("\n"))
      expect(line.length).toBeLessThanOrEqual(columns);
});

test("letters that take two columns and marks that take none are measured so", () => {
  const [, wide, marked, narrow] = table(
    ["LABEL", "B"],
    [
      ["日本", "1"],
      ["e\u0301a", "2"],
      ["abcd", "3"],
    ],
  ).split("\n");

  expect([wide, marked, narrow]).toEqual(["日本   1", "e\u0301a     2", "abcd   3"]);
  expect(cut("日本語", 4)).toBe("日…");
});

test("a table without rows is its header, and facts stand below each other", () => {
  expect(table(["A", ">B"], [])).toBe("A  B");
  expect(
    facts("title", [
      ["a", "1"],
      ["long", "2"],
    ]),
  ).toBe("title\n  a     1\n  long  2");
});

test("a cell neither breaks its line nor commands the terminal", () => {
  expect(table(["A"], [["x\ny\u001B[31m"]])).toBe("A\nx�y�[31m");
  expect(facts("t", [["label", "x\r\ny"]])).toBe("t\n  label  x��y");
});
