import { expect, test } from "vitest";
import { byWord, OPTIONAL_PARTS } from "../../../../src/core/money/price.ts";
import { costOf, priceSizes } from "./price-parts.ts";
import { readWhen, whenText } from "./price-sizes.ts";

const NONE = { ...byWord(OPTIONAL_PARTS, () => null), tools: {} };

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

test("tiers and regions stand below what everybody is served", () => {
  const when = [
    { input_above: 272_000, times: "2" },
    { tier: "flex", times: "0.5" },
    { region: "eu", times: "1.1" },
  ];
  const sizes = priceSizes(null, { ...NONE, input: "2", output: "10", when });

  expect(sizes.map(({ where, fromInput, rows }) => [where, fromInput, rows[0]?.after])).toEqual([
    ["", 0, 2_000_000_000n],
    ["", 272_001, 4_000_000_000n],
    ["region eu", 0, 2_200_000_000n],
    ["region eu", 272_001, 4_400_000_000n],
    ["Tier flex", 0, 1_000_000_000n],
    ["Tier flex", 272_001, 2_000_000_000n],
    ["Tier flex, region eu", 0, 1_100_000_000n],
    ["Tier flex, region eu", 272_001, 2_200_000_000n],
  ]);
});

test("a line is typed as the command takes it, and read back as it was", () => {
  const line = { input_above: 272_000, input: "5", output: "22.5", tools: { web_search: "0.02" } };

  expect(whenText(line)).toBe("input_above=272000, input=5, output=22.5, tools.web_search=0.02");
  expect(readWhen(whenText(line))).toEqual(line);
  const flex = { tier: "flex", region: "eu", times: "0.5" };
  expect(readWhen(whenText(flex))).toEqual(flex);
  expect(readWhen("hours=mon-fri 01:00-04:00 except 2027-01-01, times=2")).toEqual({
    hours: "mon-fri 01:00-04:00 except 2027-01-01",
    times: "2",
  });
  expect(readWhen("input_from=9,sold=false")).toEqual({ input_from: 9, sold: false });
  for (const text of [
    "above 9",
    "input_above=many, times=2",
    "input_above=9, input=dear",
    "input_above=9, sold=true",
    "input_above=9,",
    "tier=The best, times=2",
    "region=2.5.1, times=2",
  ])
    expect(readWhen(text), text).toBeNull();
});
