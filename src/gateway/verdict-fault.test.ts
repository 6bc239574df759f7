import { expect, test } from "vitest";
import { type Demand, demandOf } from "../admission/demand.ts";
import type { LimitAdvice } from "./limit-advice.ts";
import { type RefusingVerdict, verdictFault } from "./verdict-fault.ts";

const NOW_MS = Date.UTC(2026, 0, 5, 12);
const HOUR_MS = 3_600_000;

/** 10 tokens in at 1,000 nano-credits and 100 out at 4,000: 410,000 at least. */
const demand: Demand = demandOf({
  mode: "credit",
  model: {
    price: { version: 1, inputNano: 1_000_000_000n, outputNano: 4_000_000_000n, toolCallNano: {} },
    contextWindow: null,
    maxOutputTokens: 8_000,
    outputCeiling: null,
    outputFloor: 1_024,
    tokenFactor: 1,
  },
  input: { likely: 5, most: 10, mostPredicted: 0 },
  choices: 1,
  maxOutputTokens: 100,
});

const faultOf = (refusal: RefusingVerdict, random = 0, advice: Partial<LimitAdvice> = {}) =>
  verdictFault(refusal, {
    mode: "credit",
    rpmLimit: 5,
    demand,
    advice: { fields: "max_tokens", addedBytes: 0, smallest: 1, ...advice },
    random: () => random,
  });

test("a balance in use is worth another try within 1 to 5 seconds, and not the same for everybody [HDR-7]", () => {
  const waits = [0, 0.2, 0.4, 0.6, 0.8, 0.999_999].map(
    (random) => faultOf({ kind: "reserved", posted: 500_000n, held: 400_000n }, random).retryAfterSeconds,
  );

  expect(waits).toEqual([1, 2, 3, 4, 5, 5]);
});

test("a used-up budget names the instant it renews; the wait is short, so that whoever waits silently soon speaks [HDR-8]", () => {
  const ends = faultOf({ kind: "limit_reached", periodEndsAtMs: NOW_MS + HOUR_MS });
  const never = faultOf({ kind: "limit_reached", periodEndsAtMs: null });

  expect(ends).toMatchObject({ code: "limit_reached", retryAfterSeconds: 5, renewsAt: "2026-01-05T13:00:00.000Z" });
  expect(ends.message).toContain("2026-01-05T13:00:00.000Z");
  expect(never).toMatchObject({ retryAfterSeconds: 5, renewsAt: null });
});

test("a refusal for money says what is needed, what there is, what others hold, and which limit would fit [MON-19] [MON-20] [RTY-5]", () => {
  const poor = faultOf({ kind: "insufficient", posted: 210_000n, held: 0n });
  const busy = faultOf({ kind: "reserved", posted: 500_000n, held: 290_000n });

  expect(poor.message).toBe(
    "Not enough credit: this request needs at least 0.00041 credits and the key has 0.00021 credits available. " +
      "Top up the key, or set max_tokens to 50 or less.",
  );
  expect(busy.message).toMatch(/0\.00041.*0\.0005 credits: 0\.00029 credits reserved.*, 0\.00021 credits available/);
  // 210,000 less the input leaves 200,000: fifty tokens.
  for (const { message } of [poor, busy]) expect(message).toContain("max_tokens to 50 or less");
});

test("no limit is suggested when not even the input fits [MON-20]", () => {
  expect(faultOf({ kind: "insufficient", posted: 9_000n, held: 0n }).message).not.toContain("max_tokens");
});

test("no limit is suggested that providers would not take, nor one the longer body would not leave room for [MON-20]", () => {
  const poor = { kind: "insufficient", posted: 210_000n, held: 0n } as const;

  expect(faultOf(poor, 0, { smallest: 51 }).message).not.toContain("max_tokens");
  expect(faultOf(poor, 0, { addedBytes: 5 }).message).toContain("max_tokens to 48 or less");
});

test("of a balance that would not do even if nobody held part of it, both figures are told [MON-19]", () => {
  const { message } = faultOf({ kind: "insufficient", posted: 400_000n, held: 190_000n });

  expect(message).toContain("the key has 0.0004 credits (0.00019 credits reserved by requests in progress)");
  // What is sent now competes for what nobody holds.
  expect(message).toContain("max_tokens to 50 or less");
});
