import { expect, test } from "vitest";
import type { Key } from "../keys/key.ts";
import type { CounterSummary, UsageSummary } from "../ledger/ledger.ts";
import { createShowUsage } from "./show-usage.ts";

const KEY = {
  id: "k",
  mode: "credit",
  prefix: "tgc_00100000",
  status: "active",
  accountStatus: "active",
  tiers: null,
  regions: null,
  accountTiers: null,
  accountRegions: null,
} as Key;
const TOKEN_KEY = { ...KEY, mode: "token_budget", prefix: "tgt_00100000" } as Key;
const CREDIT = 10n ** 9n;

const PURSE: CounterSummary = {
  id: 1,
  own: true,
  accountId: null,
  holder: null,
  kind: "purse",
  unit: "credit",
  models: null,
  amount: 0n,
  period: "none",
  posted: 9_007_199_254_740_993n,
  held: 1n,
  used: 1n,
  funded: 9_007_199_254_740_994n,
  refunded: 0n,
  renewsAtMs: null,
};
const BUDGET: CounterSummary = {
  ...PURSE,
  kind: "limit",
  unit: "tokens",
  amount: 50_000n,
  period: "month",
  posted: 20_100n,
  held: 100n,
  used: 30_000n,
  funded: 0n,
  refunded: 100n,
  renewsAtMs: Date.UTC(2026, 11),
};
const TEAM: CounterSummary = {
  ...PURSE,
  id: 2,
  own: false,
  accountId: "a2",
  holder: "Team Search",
  kind: "limit",
  amount: 500n * CREDIT,
  period: "month",
  posted: 4n * CREDIT,
  held: 800_000_000n,
  used: 496n * CREDIT,
  funded: 0n,
  renewsAtMs: Date.UTC(2026, 11),
};
const ORGANISATION: CounterSummary = {
  ...PURSE,
  id: 3,
  own: false,
  accountId: "a3",
  holder: "Acme",
  posted: 900n * CREDIT,
  held: 0n,
};
const TOTALS: UsageSummary = {
  unit: "credit",
  spent: 1n,
  todaySpend: 1n,
  lastCost: 1n,
  requests: 1n,
  inputTokens: 0n,
  outputTokens: 0n,
  counters: [PURSE],
};

type Shown = { creditUsd?: string; showAccounts?: "on" | "off"; key?: Key };

const show = (totals: Partial<UsageSummary> = {}, { creditUsd = "1", showAccounts = "on", key = KEY }: Shown = {}) =>
  createShowUsage({
    ledger: { usage: async () => ({ ...TOTALS, ...totals }) },
    creditUsd,
    random: () => 0,
    showAccounts,
  })(key);

test("amounts that no double holds are subtracted before they are written [MON-4] [USG-18] [USG-30]", async () => {
  const { headers, body } = await show();

  expect(headers["x-service-credit-remaining"]).toBe("9007199.254740992");
  expect(body.credits).toMatchObject({ remaining: Number("9007199.254740992"), last_request_cost: 1e-9 });
});

test("dollars follow from what a credit is worth, to the nano-credit [USG-21]", async () => {
  const counters = [{ ...PURSE, posted: 25n * CREDIT, held: 0n }];
  const { body } = await show({ counters }, { creditUsd: "0.1" });

  expect(body.credits).toMatchObject({ remaining: 25, remaining_usd: 2.5 });
});

test("while the ledger is away there is no summary to guess [ERR-25] [USG-32]", async () => {
  const showUsage = createShowUsage({
    ledger: { usage: () => Promise.reject(new Error("connection refused")) },
    creditUsd: "1",
    random: () => 0.5,
    showAccounts: "on",
  });

  await expect(showUsage(KEY)).rejects.toMatchObject({ code: "service_unavailable", retryAfterSeconds: 4 });
});

test("a lone key shows what was paid in and given back, and its words are about the key alone", async () => {
  const purse = {
    ...PURSE,
    posted: 7n * CREDIT,
    held: 2n * CREDIT,
    used: 4n * CREDIT,
    funded: 10n * CREDIT,
    refunded: CREDIT,
  };
  const { body } = await show({ counters: [purse], spent: 4n * CREDIT });

  expect(body.credits).toMatchObject({ total_purchased: 11, balance: 7, reserved: 2, remaining: 5, used: 4 });
  expect(body.explanation).toBe(
    "Amounts are in credits. balance is what the key has; reserved is set aside for requests in progress; remaining is balance minus reserved; used is the total cost of all requests.",
  );
});

test("a lone budget shows its period without what was given back, and when it renews", async () => {
  const { body, headers } = await show({ unit: "tokens", spent: 0n, counters: [BUDGET] }, { key: TOKEN_KEY });

  expect(body.tokens).toMatchObject({ budget: 50_000, used: 29_900, reserved: 100, remaining: 20_000 });
  expect(headers).toEqual({ "x-ratelimit-remaining-tokens": "20000" });
  expect(body.explanation).toContain("This key has one token budget");
  expect(body.explanation).toContain("It renews at 2026-12-01T00:00:00.000Z.");
});

test("the figures are those of the counter with least available; what the key itself cost is its own", async () => {
  const own = { ...PURSE, id: 9, kind: "limit", amount: 100n * CREDIT, period: "month", posted: 60n * CREDIT } as const;
  const { body, headers } = await show({ spent: 40n * CREDIT, counters: [own, TEAM, ORGANISATION] });

  expect(body.credits).toMatchObject({ total_purchased: 500, balance: 4, reserved: 0.8, remaining: 3.2 });
  expect(body.credits).toMatchObject({ used: 40, lifetime_spend: 40 });
  expect(headers).toEqual({ "x-service-credit-remaining": "3.2" });
  expect(body.explanation).toContain(
    "Team Search has 4 of 500 credits left this month, 0.80 of them reserved by requests in progress, " +
      "the least of all that this key needs. Renews 1 December.",
  );
  expect(body.explanation).toContain("Also: This key has 60 of 100 credits left this month");
  expect(body.explanation).toContain("Also: Acme has 900 credits left. It does not renew.");
});

test("limits for some models are told, and never bind all of a key; nor does what is of the other unit", async () => {
  const some = { ...TEAM, id: 4, models: ["gpt-*", "o?"], posted: 1n, held: 0n };
  const tokens = { ...BUDGET, id: 5, accountId: "a2", holder: "Team Search", posted: 5n, held: 0n };
  const { body } = await show({ counters: [some, tokens, ORGANISATION] });

  expect(body.credits).toMatchObject({ balance: 900, remaining: 900 });
  expect(body.tokens).toMatchObject({ budget: null, remaining: null });
  expect(body.explanation).toContain("left this month for gpt-*, o?. Renews 1 December.");
  expect(body.explanation).toContain("Also: Team Search has 5 of 50,000 tokens left this month.");
});

test("an operator may hide the figures of accounts: then a key shows its own, or zeros and that its account pays", async () => {
  const own = { ...PURSE, kind: "limit", amount: 100n * CREDIT, posted: 60n * CREDIT, held: 0n } as const;
  const its = await show({ counters: [own, TEAM, ORGANISATION] }, { showAccounts: "off" });
  const none = await show({ spent: CREDIT, counters: [TEAM, ORGANISATION] }, { showAccounts: "off" });

  expect(its.body.credits).toMatchObject({ balance: 60, remaining: 60 });
  expect(none.body.credits).toMatchObject({ total_purchased: 0, balance: 0, remaining: 0, used: 1 });
  expect(none.headers).toEqual({ "x-service-credit-remaining": "0" });
  expect(none.body.explanation).toContain("The account of this key pays");
  for (const { body } of [its, none]) expect(JSON.stringify(body)).not.toMatch(/Search|Acme|500|900/);
  expect([its.shown, none.shown]).toEqual([[own], []]);
});

test("a key that nobody pays for shows zeros and says so", async () => {
  const { body } = await show({ spent: 0n, counters: [] });

  expect(body.credits).toMatchObject({ total_purchased: 0, balance: 0, remaining: 0 });
  expect(body.explanation).toContain("no credits");
});
