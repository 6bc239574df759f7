import { expect, test } from "vitest";
import { costOf, priceSizes } from "./price-parts.ts";
import { readWhen, whenText } from "./price-sizes.ts";

const NONE = { output_reasoning: null, cache_read: null, cache_write_5m: null, cache_write_1h: null, tools: {} };

test("two prices stand side by side, without the parts that neither has", () => {
  const before = { ...NONE, input: "2.5", output: "10", tools: { web_search: "0.01" } };
  const after = { ...NONE, input: "2.5", output: "12", cache_read: "0.25" };

  const [whole, ...larger] = priceSizes(before, after);

  expect(larger).toEqual([]);
  expect(whole?.rows.map((row) => [row.id, row.before, row.after])).toEqual([
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

test("a price with lines stands by the size of the input, as the gateway charges it", () => {
  const after = {
    ...NONE,
    input: "2.5",
    output: "10",
    when: [
      { input_above: 272_000, times: "2" },
      { input_from: 1_000_000, sold: false as const },
    ],
  };
  const sizes = priceSizes({ ...NONE, input: "2", output: "10" }, after);

  expect(sizes.map(({ fromInput, sold }) => [fromInput, sold])).toEqual([
    [0, true],
    [272_001, true],
    [1_000_000, false],
  ]);
  expect(sizes[1]?.rows.map((row) => [row.id, row.before, row.after])).toEqual([
    ["input", 2_000_000_000n, 5_000_000_000n],
    ["output", 10_000_000_000n, 20_000_000_000n],
  ]);
});

test("a line is typed as the command takes it, and read back as it was", () => {
  const line = { input_above: 272_000, input: "5", output: "22.5", tools: { web_search: "0.02" } };

  expect(whenText(line)).toBe("input_above=272000, input=5, output=22.5, tools.web_search=0.02");
  expect(readWhen(whenText(line))).toEqual(line);
  expect(readWhen("input_from=9,sold=false")).toEqual({ input_from: 9, sold: false });
  for (const text of [
    "above 9",
    "input_above=many, times=2",
    "input_above=9, input=dear",
    "input_above=9, sold=true",
    "input_above=9,",
  ])
    expect(readWhen(text), text).toBeNull();
});
