import { expect, test } from "vitest";
import { facts, table } from "./print.ts";

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

test("colour changes no column", () => {
  const style = (cell: string, column: number): string => (column === 0 ? `<${cell}>` : cell);

  expect(
    table(
      ["A", "B"],
      [
        ["x", "1"],
        ["yyy", "2"],
      ],
      { style },
    ),
  ).toBe("A    B\n<x  >  1\n<yyy>  2");
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
