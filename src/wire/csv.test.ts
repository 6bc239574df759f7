import { expect, test } from "vitest";
import { csv } from "./csv.ts";

test("a cell with a comma, a quote or a line break is quoted", () => {
  expect(
    csv([
      ["a", "b,c"],
      ['say "x"', "two\nlines"],
    ]),
  ).toBe('a,"b,c"\r\n"say ""x""","two\nlines"\r\n');
});

test.each(["=1+1", "+1+1", "@sum(a1)", "-1+1", "\tx"])("a label %j is no formula in a spreadsheet", (label) => {
  expect(csv([[label]])).toBe(`'${label}\r\n`);
});

test("numbers below zero stay numbers, and nothing is nothing", () => {
  expect(csv([["-1.5", -2, null]])).toBe("-1.5,-2,\r\n");
});
