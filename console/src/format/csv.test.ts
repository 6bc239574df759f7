import { expect, test } from "vitest";
import { writeCsv } from "./csv.ts";

test("cells with commas, quotes and lines are quoted, and formulas become text", () => {
  const csv = writeCsv(
    ["label", "credits"],
    [
      ['a, "b"\nc', "-3.25"],
      ["=HYPERLINK(1)", "@x"],
    ],
  );

  expect(csv).toBe('label,credits\r\n"a, ""b""\nc",-3.25\r\n\'=HYPERLINK(1),\'@x\r\n');
});
