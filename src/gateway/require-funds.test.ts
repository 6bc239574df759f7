import { expect, test } from "vitest";
import type { Key } from "../keys/key.ts";
import type { CounterSummary, UsageSummary } from "../ledger/ledger.ts";
import { createRequireFunds } from "./require-funds.ts";

let elapsedMs = 0;
const clock = { nowMs: () => 1_700_000_000_000, elapsedMs: () => elapsedMs };
const keyOf = (mode: Key["mode"]) => ({ id: "key", mode }) as Key;

const PURSE = { kind: "purse", unit: "credit", models: null, holder: null, held: 0n, renewsAtMs: null };
const BUDGET = { ...PURSE, kind: "limit", unit: "tokens", renewsAtMs: 1_700_000_060_000 };
const TEAM = { ...PURSE, kind: "limit", amount: 5n * 10n ** 9n, period: "month", holder: "Team Search" };

/** A ledger in which the key has what the test says. */
function ledgerWith(posted: bigint, ...counters: object[]) {
  const ledger = {
    posted,
    asked: 0,
    usage: async () => {
      ledger.asked++;
      const kept = counters.length === 0 ? [PURSE] : counters;
      return {
        counters: kept.map((counter) => ({ posted: ledger.posted, ...counter }) as CounterSummary),
      } as unknown as UsageSummary;
    },
  };
  return ledger;
}

test("a key with money is asked for once a minute, however many large bodies it sends [LIM-11]", async () => {
  const ledger = ledgerWith(1n);
  const requireFunds = createRequireFunds({ ledger, clock });
  await Promise.all(Array.from({ length: 20 }, () => requireFunds(keyOf("credit"), 64)));
  expect(ledger.asked).toBe(1);

  elapsedMs += 60_000;
  await requireFunds(keyOf("credit"), 64);
  expect(ledger.asked).toBe(2);
});

test("a key without money is refused from memory for a second at most [LIM-11]", async () => {
  const ledger = ledgerWith(0n);
  const requireFunds = createRequireFunds({ ledger, clock });
  for (let times = 0; times < 3; times++)
    await expect(requireFunds(keyOf("credit"), 65_536)).rejects.toMatchObject({
      code: "insufficient_credit",
      message: expect.stringContaining("65,536 bytes") as string,
    });
  expect(ledger.asked).toBe(1);

  ledger.posted = 5n;
  elapsedMs += 1_000;
  await expect(requireFunds(keyOf("credit"), 65_536)).resolves.toBeUndefined();
});

test("a token key without tokens is refused as the ledger refuses it [LIM-11]", async () => {
  const requireFunds = createRequireFunds({ ledger: ledgerWith(0n, BUDGET), clock });

  await expect(requireFunds(keyOf("token_budget"), 64)).rejects.toMatchObject({ code: "limit_reached" });
});

test("a ledger that is away refuses nobody here, and is asked again", async () => {
  let asked = 0;
  const usage = () => (asked++, Promise.reject(new Error("away")));
  const requireFunds = createRequireFunds({ ledger: { usage }, clock });
  await requireFunds(keyOf("credit"), 64);
  await requireFunds(keyOf("credit"), 64);

  expect(asked).toBe(2);
});

test("of a chain the counter that renews last is named; one for some models refuses nothing before the model is known [LIM-11]", async () => {
  const team = { ...TEAM, renewsAtMs: Date.UTC(2026, 11) };
  const rich = { ...PURSE, holder: "Acme", posted: 1n };
  const empty = createRequireFunds({ ledger: ledgerWith(0n, team, BUDGET, rich), clock });
  const some = createRequireFunds({ ledger: ledgerWith(0n, { ...team, models: ["gpt-*"] }, rich), clock });

  await expect(empty(keyOf("credit"), 65_536)).rejects.toMatchObject({
    code: "insufficient_credit",
    message:
      "Team Search has 0 of 5 credits left this month, so request bodies of this key are limited to 65,536 bytes. Renews 1 December.",
    renewsAt: "2026-12-01T00:00:00.000Z",
  });
  await expect(some(keyOf("credit"), 65_536)).resolves.toBeUndefined();
});

test("a key that nobody pays for sends no large body [LIM-11]", async () => {
  const ledger = ledgerWith(1n, { ...BUDGET, holder: "Acme" });
  const requireFunds = createRequireFunds({ ledger, clock });

  await expect(requireFunds(keyOf("credit"), 64)).rejects.toMatchObject({ code: "insufficient_credit" });
});
