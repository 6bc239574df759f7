import { expect, test } from "vitest";
import { MODEL } from "../../tests/support/generation-stage.ts";
import { listDifferences } from "../core/catalogue/list-differences.ts";
import type { Tariff, WhenLine } from "../core/money/price.ts";
import { rowsOf, tariffFault } from "../core/money/rate-rows.ts";
import { compareListed } from "./compare-listed.ts";

const line = (fields: Partial<WhenLine>): WhenLine => ({
  when: {},
  nano: {},
  toolCallNano: {},
  times: null,
  sold: true,
  ...fields,
});
const BASE: Tariff = {
  inputNano: 1_000_000_000n,
  outputNano: 2_000_000_000n,
  cacheReadNano: null,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
};
const BY_HAND = [
  line({ when: { tier: "flex" }, times: 500_000_000n }),
  line({ when: { inputAbove: 100 }, nano: { inputNano: 3_000_000_000n, outputNano: 4_000_000_000n } }),
];
const LISTED = [line({ when: { tier: "priority" }, times: 2_000_000_000n })];

const imported = (tariff: Tariff, before: Tariff) =>
  compareListed(
    { id: "m", upstreamModel: "m", dialect: "chat", contextWindow: 1_000, maxOutputTokens: 8, reasoning: null, tariff },
    { provider: "east", model: MODEL, price: before },
  );

test("a list without lines keeps those that were written by hand", () => {
  const same = imported(BASE, { ...BASE, when: BY_HAND });
  expect(same).toMatchObject({ change: "unchanged", after: { tariff: { when: BY_HAND } } });

  const dearer = imported({ ...BASE, inputNano: 1_500_000_000n }, { ...BASE, when: BY_HAND });
  expect(dearer.after.tariff).toMatchObject({ inputNano: 1_500_000_000n, when: BY_HAND });
  expect(listDifferences([dearer])[0]?.fields.map(({ field }) => field)).toEqual(["input"]);
});

test("a list with lines replaces those that were written by hand, and says each", () => {
  const replaced = imported({ ...BASE, when: LISTED }, { ...BASE, when: BY_HAND });

  expect(replaced.after.tariff.when).toEqual(LISTED);
  expect(listDifferences([replaced])[0]?.fields).toEqual([
    { field: "when tier=flex: times", before: "0.5", after: null, factor: null },
    { field: "when input_above=100: input", before: "3", after: null, factor: null },
    { field: "when input_above=100: output", before: "4", after: null, factor: null },
    { field: "when tier=priority: times", before: null, after: "2", factor: null },
  ]);
});

test("lines that lack a price which the list adds are not sold, each of them", () => {
  const { after } = imported({ ...BASE, cacheReadNano: 100_000_000n }, { ...BASE, when: BY_HAND });

  expect(tariffFault(after.tariff)).toBeNull();
  // No input above the step is charged at the base.
  expect(rowsOf(after.tariff).map(({ tier, toInput }) => `${tier} to ${toInput}`)).toEqual(["default to 100"]);
});

test("a price with hours that lack a price which the list adds stays as it is: nothing is unsold by the hour", () => {
  const hourly = [
    line({ when: { hours: "01:00-04:00" }, nano: { inputNano: 2_000_000_000n, outputNano: 4_000_000_000n } }),
  ];
  const before = { ...BASE, when: hourly };
  const { after, change } = imported({ ...BASE, cacheReadNano: 100_000_000n }, before);

  expect(tariffFault(after.tariff)).toBeNull();
  expect(after.tariff).toEqual(before);
  expect(change).toBe("unchanged");
});

test("a list that counts searches in another way replaces the price of the one by that of the other", () => {
  const { after } = imported(
    { ...BASE, toolCallNano: { grounded_prompt: 35_000_000n } },
    { ...BASE, toolCallNano: { web_search: 35_000_000n, code: 1n } },
  );

  expect(after.tariff.toolCallNano).toEqual({ code: 1n, grounded_prompt: 35_000_000n });
});
