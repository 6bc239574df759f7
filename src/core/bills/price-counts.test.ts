import { expect, test } from "vitest";
import { formatDecimal, sum, ZERO } from "../money/decimal.ts";
import type { Tariff } from "../money/price.ts";
import { priceCounts } from "./price-counts.ts";

const costing = (toolCallNano: Tariff["toolCallNano"]): Tariff => ({
  inputNano: 1_000_000_000n,
  outputNano: 1_000_000_000n,
  toolCallNano,
});
const usdOf = (toolCallNano: Tariff["toolCallNano"], counts: Record<string, number>): string => {
  const priced = priceCounts({ counts, input: 0, tier: "default", region: "any" }, costing(toolCallNano));
  return typeof priced === "string" ? `no ${priced}` : formatDecimal(Object.values(priced).reduce(sum, ZERO));
};

test.each<[usd: string, cost: Tariff["toolCallNano"], counts: Record<string, number>]>([
  ["0.02", { web_search: 10_000_000n }, { "tools.web_search": 2 }],
  ["0.02", { web_search: 10_000_000n }, { "tools.web_search": 2, "tools.web_fetch": 3 }],
  ["0.035", { grounded_prompt: 35_000_000n }, { "tools.web_search": 3, "tools.grounded_prompt": 1 }],
  ["0.042", { web_search: 14_000_000n }, { "tools.web_search": 3, "tools.grounded_prompt": 1 }],
  ["no tools.web_search", { grounded_prompt: 35_000_000n }, { "tools.web_search": 3 }],
  ["no tools.web_fetch", {}, { "tools.web_fetch": 1 }],
  ["no tools.code", { web_search: 1n }, { "tools.code": 1 }],
  ["no tools.constructor", { web_search: 1n }, { "tools.constructor": 1 }],
])("%s: searches cost what the one count that a cost names comes to", (usd, cost, counts) => {
  expect(usdOf(cost, counts)).toBe(usd);
});
