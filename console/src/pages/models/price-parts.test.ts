import { expect, test } from "vitest";
import { costOf, priceRows } from "./price-parts.ts";

const NONE = { cache_read: null, cache_write_5m: null, cache_write_1h: null, tools: {} };

test("two prices stand side by side, without the parts that neither has", () => {
  const before = { ...NONE, input: "2.5", output: "10", tools: { web_search: "0.01" } };
  const after = { ...NONE, input: "2.5", output: "12", cache_read: "0.25" };

  expect(priceRows(before, after).map((row) => [row.id, row.before, row.after])).toEqual([
    ["input", 2_500_000_000n, 2_500_000_000n],
    ["output", 10_000_000_000n, 12_000_000_000n],
    ["cache_read", null, 250_000_000n],
    ["tools.web_search", 10_000_000n, null],
  ]);
});

test("an example is computed exactly and rounded once, half up", () => {
  expect(costOf({ input: "2.5", output: "10" }, { input: 10_000n, output: 1_000n })).toBe(35_000_000n);
  expect(costOf({ input: "0.000000001", output: "0" }, { input: 500_000n, output: 0n })).toBe(1n);
  expect(costOf({ input: "0.000000001", output: "0" }, { input: 499_999n, output: 0n })).toBe(0n);
});
