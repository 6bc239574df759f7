import { expect, test } from "vitest";
import type { Key } from "../keys/key.ts";
import type { UsageSummary } from "../ledger/ledger.ts";
import { createRequireFunds } from "./require-funds.ts";

let elapsedMs = 0;
const clock = { nowMs: () => 1_700_000_000_000, elapsedMs: () => elapsedMs };
const keyOf = (mode: Key["mode"]) => ({ id: "key", mode }) as Key;

/** A ledger in which the key has what the test says. */
function ledgerWith(posted: bigint) {
  const ledger = {
    posted,
    asked: 0,
    usage: async () => {
      ledger.asked++;
      return { posted: ledger.posted, periodEndsAtMs: 1_700_000_060_000 } as UsageSummary;
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
  const requireFunds = createRequireFunds({ ledger: ledgerWith(0n), clock });

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
