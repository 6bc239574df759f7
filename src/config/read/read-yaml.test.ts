import { expect, test } from "vitest";
import { readYaml } from "./read-yaml.ts";

const read = (text: string) => readYaml(text, "t.yaml");
const messages = (text: string) => read(text).problems.map(({ source, message }) => `${source} ${message}`);

test("an empty file, a file of comments and an empty group set nothing", () => {
  for (const text of ["", "# nothing\n", "---\n", "listen:\n", "null\n"])
    expect(read(text)).toEqual({ entries: new Map(), problems: [] });
});

test("a key given twice is refused, at either level", () => {
  expect(messages("listen: {port: 1}\nlisten: {port: 2}\n")).toEqual(["t.yaml:2:1 is given twice."]);
  expect(messages("listen:\n  port: 1\n  port: 2\n")).toEqual(["t.yaml:3:3 is given twice."]);
});

test("a mistyped key is answered with the key that was meant", () => {
  expect(messages("limits:\n  body_byte: 1\n")).toEqual([
    "t.yaml:2:3 no such setting: limits.body_byte; did you mean limits.body_bytes?",
  ]);
  expect(messages("pool_size: 1\n")).toEqual([
    "t.yaml:1:1 no such setting: pool_size; did you mean database.pool_size?",
  ]);
  expect(messages("zzzzzz: 1\n")).toEqual(["t.yaml:1:1 no such setting: zzzzzz."]);
});

test("a number given for text keeps the digits it was written with", () => {
  expect(read("credit_usd: 0.10\n").entries.get("credit_usd")?.value).toBe("0.10");
});

test("aliases, a second document, unknown tags and text that is no mapping are refused", () => {
  expect(messages("keys: &a {cache_ms: 1}\ncatalogue: *a\n")).toEqual([
    "t.yaml:2:1 is an alias; write the value itself.",
  ]);
  expect(messages("a: 1\n---\nb: 2\n")[0]).toContain("more than one document");
  expect(messages("log: !include x\n")[0]).toContain("tags such as");
  expect(messages("- a\n")).toEqual(["t.yaml:1:1 expected settings as `name: value`."]);
});

test("an anchor bomb costs nothing, because aliases are never expanded", () => {
  const level = (index: number) => `a${index}: &a${index} [${`*a${index - 1},`.repeat(9)}]`;
  const bomb = ["a0: &a0 [x]", ...Array.from({ length: 30 }, (_, index) => level(index + 1))].join("\n");

  expect(read(bomb).problems.length).toBeGreaterThan(0);
});

test("a file full of nonsense is answered with a problem, not with a crash or a long wait", () => {
  const inputs = [
    "[".repeat(1 << 17),
    "- ".repeat(1 << 16),
    Array.from({ length: 40_000 }, (_, index) => `k${index}:`).join("\n"),
  ];

  for (const text of inputs) expect(read(text).problems.length).toBeGreaterThan(0);
});
