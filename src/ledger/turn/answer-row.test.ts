import { expect, test } from "vitest";
import { NO_USAGE } from "../../core/money/usage.ts";
import { type AnswerRow, settledOf, verdictsOf } from "./answer-row.ts";
import type { Ask, Settlement } from "../ledger.ts";

const credits = (amount: bigint) => ({ credits: amount, tokens: null });
const CHAIN = { id: 1, counters: [] };
const END: Settlement = {
  id: "a",
  bucket: 0,
  keyId: "k",
  chain: CHAIN,
  outcome: "upstream_failed",
  price: credits(0n),
  usage: NO_USAGE,
  digest: null,
  contentDelivered: true,
  record: null,
  answer: null,
  absorbed: credits(0n),
  waived: credits(70n),
  capPerHour: 1n,
  accountCapPerHour: 1n,
};
const ASK: Ask = {
  id: "b",
  bucket: 0,
  keyId: "k",
  keyVersion: 1,
  chain: CHAIN,
  rpmLimit: null,
  least: credits(10n),
  most: credits(90n),
  unlimited: true,
  model: "m",
  priceVersion: 1,
  lifetimeMs: 1,
  claim: null,
};

const row = (fields: Pick<AnswerRow, "part" | "place" | "verdict" | "credits">): AnswerRow => ({
  tokens: null,
  retry_after_ms: null,
  posted_credits: null,
  posted_tokens: null,
  free_credits: null,
  free_tokens: null,
  counter: null,
  posted: null,
  free: null,
  amount: null,
  unit: null,
  kind: null,
  period: null,
  renews_at: null,
  holder: null,
  ...fields,
});

const settled = (charged: bigint) =>
  settledOf([row({ part: "s", place: 1, verdict: "settled", credits: charged })], [END]);
const admitted = (granted: bigint) =>
  verdictsOf([row({ part: "a", place: 1, verdict: "admitted", credits: granted })], [ASK]);

test("a charge beyond the price and what was waived is a bug, and is not confirmed", () => {
  expect(settled(70n)).toEqual([{ kind: "settled", charged: credits(70n) }]);
  expect(() => settled(71n)).toThrow("charges no more than the price");
});

test("a reservation below what a request needs, or above what it can cost, is a bug", () => {
  expect([admitted(10n), admitted(90n)].flat()).toMatchObject([{ granted: credits(10n) }, { granted: credits(90n) }]);
  expect(() => admitted(9n)).toThrow("from the least up to the most");
  expect(() => admitted(91n)).toThrow("from the least up to the most");
});
