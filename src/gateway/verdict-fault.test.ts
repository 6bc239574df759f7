import fc from "fast-check";
import { expect, test } from "vitest";
import { type Demand, type DemandFacts, demandOf } from "../admission/demand.ts";
import type { Amounts } from "../core/money/amount.ts";
import { parseCredits } from "../core/money/money.ts";
import type { Lack, NamedCounter } from "../ledger/ledger.ts";
import type { LimitAdvice } from "./limit-advice.ts";
import { type RefusingVerdict, verdictFault } from "./verdict-fault.ts";

const NOW_MS = Date.UTC(2026, 0, 5, 12);
const HOUR_MS = 3_600_000;
const CREDIT = 10n ** 9n;

/** 10 tokens in at 1,000 nano-credits and 100 out at 4,000: 410,000 at least. */
const FACTS: DemandFacts = {
  beganAtMs: 0,
  tier: "default",
  mediaTokens: { image: null, smallImage: null, document: null },
  units: ["credit"],
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
  calls: null,
  maxOutputTokens: 100,
};

type Given = { random?: number; advice?: Partial<LimitAdvice>; demand?: Demand; floor?: bigint };

const faultOf = (refusal: RefusingVerdict, { random = 0, advice = {}, demand = demandOf(FACTS), floor }: Given = {}) =>
  verdictFault(refusal, {
    rpmLimit: 5,
    demand,
    floor: floor === undefined ? null : { credits: floor, tokens: null },
    advice: { fields: "max_tokens", addedBytes: 0, smallest: 1, ...advice },
    counters: [
      { id: 1, unit: "credit", models: null },
      { id: 2, unit: "credit", models: ["gpt-*", "o?"] },
    ],
    nowMs: NOW_MS,
    random: () => random,
  });

test("a limit whose period a wrong clock began is not the client's fault [interface decision 29]", () => {
  expect(faultOf({ kind: "not_begun", counter: 7, beginsAtMs: NOW_MS + 20 * 24 * HOUR_MS })).toMatchObject({
    code: "service_unavailable",
    retryAfterSeconds: 60,
  });
});

const PURSE: NamedCounter = {
  id: 1,
  kind: "purse",
  unit: "credit",
  posted: 0n,
  available: 0n,
  amount: 0n,
  period: "none",
  renewsAtMs: null,
  holder: null,
};

/** A lone key that has so much, and of it so much reserved. */
const purse = (posted: bigint, held: bigint, fields: Partial<NamedCounter> = {}): Lack => ({
  posted: { credits: posted, tokens: null },
  available: { credits: posted - held, tokens: null },
  named: { ...PURSE, posted, available: posted - held, ...fields },
});

const TEAM: Partial<NamedCounter> = {
  holder: "Team Search",
  kind: "limit",
  amount: 500n * CREDIT,
  period: "month",
  renewsAtMs: Date.UTC(2026, 11),
};

/** A request that needs 4.10 credits at least. */
const DEAR = demandOf({ ...FACTS, input: { likely: 5, most: 4_099_600, mostPredicted: 0 } });

test("a balance in use is worth another try within 1 to 5 seconds, and not the same for everybody [HDR-7]", () => {
  const waits = [0, 0.2, 0.4, 0.6, 0.8, 0.999_999].map(
    (random) => faultOf({ kind: "reserved", ...purse(500_000n, 400_000n) }, { random }).retryAfterSeconds,
  );

  expect(waits).toEqual([1, 2, 3, 4, 5, 5]);
});

test("a duplicate of a running request waits as long as that has run, from 1 to 15 seconds, and reads the same [IDM-15] [HDR-19]", () => {
  const told = (retryAfterMs: number) => faultOf({ kind: "in_progress", retryAfterMs });

  expect([0, 1, 1_000, 1_001, 7_400, 15_000, 15_001].map((ms) => told(ms).retryAfterSeconds)).toEqual([
    1, 1, 1, 2, 8, 15, 15,
  ]);
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (one, other) => {
      const [sooner, later] = [told(Math.min(one, other)), told(Math.max(one, other))];

      expect(sooner.retryAfterSeconds).toBeLessThanOrEqual(Number(later.retryAfterSeconds));
      for (const { message, retryAfterSeconds } of [sooner, later]) {
        expect(message).toContain(`Please try again in ${retryAfterSeconds}s.`);
        expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
        expect(retryAfterSeconds).toBeLessThanOrEqual(15);
      }
    }),
  );
});

test("only a budget that renews is to be waited for", () => {
  const short = (renewsAtMs: number | null) => purse(5n, 0n, { kind: "limit", unit: "tokens", renewsAtMs });

  expect(faultOf({ kind: "insufficient", ...short(NOW_MS) }).message).toContain(
    "Wait for the next period or raise the budget",
  );
  expect(faultOf({ kind: "insufficient", ...short(null) }).message).toMatch(/available\. Raise the budget/);
});

test("a used-up budget names the instant it renews and is worth another try then; one that never renews says so soon [HDR-8]", () => {
  const budget = (renewsAtMs: number | null) => purse(0n, 0n, { kind: "limit", unit: "tokens", renewsAtMs });
  const ends = faultOf({ kind: "limit_reached", ...budget(NOW_MS + HOUR_MS) });
  const never = faultOf({ kind: "limit_reached", ...budget(null) });

  expect(ends).toMatchObject({ code: "limit_reached", retryAfterSeconds: 3_600, renewsAt: "2026-01-05T13:00:00.000Z" });
  expect(ends.message).toBe("This key's token budget is used up. It renews at 2026-01-05T13:00:00.000Z.");
  expect(never).toMatchObject({ retryAfterSeconds: 5, renewsAt: null });
});

test("a refusal for money says what is needed, what there is, what others hold, and which limit would fit [MON-19] [MON-20] [RTY-5]", () => {
  const poor = faultOf({ kind: "insufficient", ...purse(210_000n, 0n) });
  const busy = faultOf({ kind: "reserved", ...purse(500_000n, 290_000n) });

  expect(poor.message).toBe(
    "Not enough credit: this request needs at least 0.00041 credits and the key has 0.00021 credits available. " +
      "Top up the key, or set max_tokens to 50 or less.",
  );
  expect(busy.message).toMatch(/0\.00041.*0\.0005 credits: 0\.00029 credits reserved.*, 0\.00021 credits available/);
  // 210,000 less the input leaves 200,000: fifty tokens.
  for (const { message } of [poor, busy]) expect(message).toContain("max_tokens to 50 or less");
});

test("no limit is suggested when not even the input fits [MON-20]", () => {
  expect(faultOf({ kind: "insufficient", ...purse(9_000n, 0n) }).message).not.toContain("max_tokens");
});

test("no limit is suggested that providers would not take, nor one the longer body would not leave room for [MON-20]", () => {
  const poor = { kind: "insufficient", ...purse(210_000n, 0n) } as const;

  expect(faultOf(poor, { advice: { smallest: 51 } }).message).not.toContain("max_tokens");
  expect(faultOf(poor, { advice: { addedBytes: 5 } }).message).toContain("max_tokens to 48 or less");
});

test("of a balance that would not do even if nobody held part of it, both figures are told [MON-19]", () => {
  const { message } = faultOf({ kind: "insufficient", ...purse(400_000n, 190_000n) });

  expect(message).toContain("the key has 0.0004 credits (0.00019 credits reserved by requests in progress)");
  // What is sent now competes for what nobody holds.
  expect(message).toContain("max_tokens to 50 or less");
});

test("a limit above the key is named with what is left of it, what the request needs, and when it renews [MON-19]", () => {
  const fault = faultOf({ kind: "insufficient", ...purse(3_200_000_000n, 0n, TEAM) }, { demand: DEAR });

  expect(fault.message).toBe(
    "Team Search has 3.20 of 500 credits left this month; this request needs at least 4.10. Renews 1 December.",
  );
  expect(fault).toMatchObject({ code: "insufficient_credit", retryAfterSeconds: null });
  expect(fault.renewsAt).toBe("2026-12-01T00:00:00.000Z");
});

test("of a text that was not counted, what it needs at least and at most is told [MON-19] [MON-47]", () => {
  const floor = 1_025_000_000n;
  const told = (refusal: RefusingVerdict) => faultOf(refusal, { demand: DEAR, floor }).message;

  expect(told({ kind: "insufficient", ...purse(CREDIT, 0n) })).toBe(
    "Not enough credit: this request needs at least 1.025 credits (at most 4.1) and the key has 1 credits available. Top up the key.",
  );
  expect(told({ kind: "insufficient", ...purse(CREDIT, 0n, TEAM) })).toBe(
    "Team Search has 1 of 500 credits left this month; this request needs at least 1.025 (at most 4.10). Renews 1 December.",
  );
  expect(told({ kind: "reserved", ...purse(5n * CREDIT, 4n * CREDIT) })).toMatch(
    /^This request needs at least 1\.025 credits \(at most 4\.1\)\. The key has 5 credits: 4 credits reserved/,
  );
});

test("what a text that was not counted needs at least is never told to be what there is [MON-19]", () => {
  const cases = fc.record({
    kind: fc.constantFrom("insufficient" as const, "reserved" as const),
    posted: fc.bigInt({ min: 0n, max: 5_000_000_000n }),
    held: fc.bigInt({ min: 0n, max: 5_000_000_000n }),
    floor: fc.bigInt({ min: 1n, max: 4_100_000_000n }),
    fields: fc.constantFrom({}, TEAM),
  });
  fc.assert(
    fc.property(cases, ({ kind, posted, held, floor, fields }) => {
      const lack = purse(posted, held < posted ? held : posted, fields);
      const has = kind === "insufficient" ? lack.named.posted : lack.named.available;
      const { message } = faultOf({ kind, ...lack }, { demand: DEAR, floor });
      const least = /needs at least ([\d.]*\d)/.exec(message)?.[1];

      if (least === undefined) expect(message).toContain("needs at most 4.1");
      else expect(parseCredits(least)).toBeGreaterThan(has);
    }),
  );
});

test("what siblings hold of a limit above the key is told, with a limit that would fit [MON-19] [MON-20]", () => {
  const { message, renewsAt } = faultOf({ kind: "reserved", ...purse(500_000n, 290_000n, TEAM) });

  expect(message).toBe(
    "Team Search has 0.0005 of 500 credits left this month, 0.00029 of them reserved by requests in progress; " +
      "this request needs at least 0.00041. Try again when they finish, or set max_tokens to 50 or less.",
  );
  expect(renewsAt).toBeNull();
});

test.each([
  ["a purse", { kind: "purse", period: "none", renewsAtMs: null }, "has 3.20 credits left;", "top it up"],
  ["a limit for good", { period: "none", renewsAtMs: null }, "has 3.20 of 500 credits left;", "does not renew"],
  ["a limit per day", { period: "day" }, "has 3.20 of 500 credits left today;", "Renews 1 December."],
  [
    "a limit for some models",
    { id: 2 },
    "has 3.20 of 500 credits left this month for gpt-*, o?;",
    "Renews 1 December.",
  ],
  ["a limit of the key", { holder: null }, "This key has 3.20 of 500 credits left this month;", "Renews 1 December."],
] as const)("%s is described as what it is", (_what, fields, has, wayOut) => {
  const lack = purse(3_200_000_000n, 0n, { ...TEAM, ...fields });
  const { message } = faultOf({ kind: "insufficient", ...lack }, { demand: DEAR });

  expect(message).toContain(has);
  expect(message).toContain(wayOut);
});

test("a limit in tokens above the key that is used up says whose it is and when it renews [HDR-8]", () => {
  const tokens = { ...TEAM, unit: "tokens", amount: 50_000n } as const;
  const fault = faultOf({ kind: "limit_reached", ...purse(0n, 0n, tokens) });

  expect(fault.message).toBe("Team Search has 0 of 50,000 tokens left this month. Renews 1 December.");
  expect(fault.renewsAt).toBe("2026-12-01T00:00:00.000Z");
  expect(fault.retryAfterSeconds).toBe((Date.UTC(2026, 11) - NOW_MS) / 1_000);
});

test("the limit that is suggested fits every counter of the chain, in both units [MON-20]", () => {
  const demand = demandOf({ ...FACTS, units: ["credit", "tokens"] });
  const lackOf = (available: Amounts): Lack => ({ ...purse(210_000n, 0n, TEAM), available });
  const advised = (available: Amounts): string =>
    faultOf({ kind: "insufficient", ...lackOf(available) }, { demand }).message;

  expect(advised({ credits: 210_000n, tokens: 1_000n })).toContain("Or set max_tokens to 50 or less.");
  expect(advised({ credits: 210_000n, tokens: 40n })).toContain("Or set max_tokens to 30 or less.");
  expect(advised({ credits: 210_000n, tokens: 10n })).not.toContain("max_tokens");
});
