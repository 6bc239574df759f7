import { expect, test } from "vitest";
import { shareOf, usdText } from "./margin-text.ts";

test.each([
  ["12.3456789", "12.345679"],
  ["-12.3456784", "-12.345678"],
  ["0.0000004", "< 0.000001"],
  ["-0.0000004", "> -0.000001"],
  ["0", "0"],
  ["100", "100"],
])("%s dollars are shown as %s", (exact, text) => expect(usdText(exact)).toBe(text));

test.each([
  ["0.25", "1", "25 %"],
  ["-1", "3", "-33.3 %"],
  ["0", "3", "0 %"],
  ["1", "0", null],
  ["-1", "0", null],
])("%s of %s is a share of %s", (part, whole, text) => expect(shareOf(part, whole)).toBe(text));
