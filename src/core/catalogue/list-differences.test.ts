import { expect, test } from "vitest";
import type { Tariff } from "../money/price.ts";
import type { ListedFacts } from "./imported-model.ts";
import { listDifferences } from "./list-differences.ts";

const tariff: Tariff = {
  inputNano: 2_400_000_000n,
  outputNano: 10_000_000_000n,
  cacheReadNano: 0n,
  toolCallNano: { web_search: 10_000_000n },
};
const facts: ListedFacts = { contextWindow: 128_000, maxOutputTokens: 4_096, reasoning: null, tariff };
const line = (inputNano: bigint) => ({
  when: { inputAbove: 272_000 },
  nano: { inputNano, outputNano: 1n },
  toolCallNano: {},
  times: null,
  sold: true,
});
const differences = (before: Partial<ListedFacts>, after: Partial<ListedFacts>) =>
  listDifferences([{ id: "m", change: "changed", before: { ...facts, ...before }, after: { ...facts, ...after } }])[0]
    ?.fields;

test("each field that differs is told before and after, with its factor", () => {
  const after = { ...tariff, inputNano: 2_500_000_000n, cacheReadNano: 250_000_000n, toolCallNano: {} };

  expect(differences({}, { tariff: after, contextWindow: 64_000, reasoning: true })).toEqual([
    { field: "input", before: "2.4", after: "2.5", factor: "1.042" },
    { field: "cache_read", before: "0", after: "0.25", factor: null },
    { field: "tools.web_search", before: "0.01", after: null, factor: null },
    { field: "context_window", before: "128000", after: "64000", factor: "0.500" },
    { field: "reasoning", before: null, after: "true", factor: null },
  ]);
});

test("lines are compared by their condition", () => {
  const [before, after] = [line(4_000_000_000n), line(40_000_000_000n)].map((one) => ({ ...tariff, when: [one] }));
  const unsold = { ...tariff, when: [{ ...line(1n), sold: false }] };

  expect(differences({ tariff: before ?? null }, { tariff: after ?? null })).toEqual([
    { field: "when input_above=272000: input", before: "4", after: "40", factor: "10.000" },
  ]);
  expect(differences({}, { tariff: unsold })).toEqual([
    { field: "when input_above=272000: sold", before: null, after: "false", factor: null },
  ]);
});

test("a model without a price in force gets one; what is new, unchanged or another provider's makes no difference", () => {
  expect(differences({ tariff: null }, {})?.map(({ field, before }) => [field, before])).toEqual([
    ["input", null],
    ["output", null],
    ["cache_read", null],
    ["tools.web_search", null],
  ]);
  for (const change of ["unchanged", "foreign"] as const)
    expect(listDifferences([{ id: "m", change, before: facts, after: facts }])).toEqual([]);
  expect(listDifferences([{ id: "m", change: "new", before: null, after: facts }])).toEqual([]);
});
