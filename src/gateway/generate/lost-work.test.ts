import { expect, test } from "vitest";
import type { Amounts } from "../../core/money/amount.ts";
import type { Payer } from "../../core/money/payer.ts";
import type { Route } from "../../core/catalogue/route.ts";
import { createLostWork, type Loser } from "./lost-work.ts";

const MINUTE_MS = 60_000;
const loser = (payer: string, id = "r", answerMode: Loser["answerMode"] = "whole"): Loser => ({
  payer: payer as Payer,
  route: { id } as Route,
  answerMode,
});
const credits = (amount: bigint): Amounts => ({ credits: amount, tokens: null });

function stage() {
  const now = { ms: 0, openings: 0 };
  const lost = createLostWork({
    clock: { elapsedMs: () => now.ms },
    cap: { credit: 10n, tokens: 100n },
    openings: () => now.openings,
  });
  return { now, lost };
}

test("who has lost the cap on a route leaves it alone until that is an hour ago; others, other routes and streams do not wait", () => {
  const { now, lost } = stage();
  lost.add(loser("ann"), credits(9n));
  expect(lost.restsMs(loser("ann"))).toBe(0);
  now.ms = 10 * MINUTE_MS;
  lost.add(loser("ann"), credits(1n));

  expect(lost.restsMs(loser("ann"))).toBe(51 * MINUTE_MS);
  expect([loser("bob"), loser("ann", "other"), loser("ann", "r", "streamed")].map(lost.restsMs)).toEqual([0, 0, 0]);
  now.ms = 61 * MINUTE_MS;
  expect(lost.restsMs(loser("ann"))).toBe(0);
  lost.add(loser("ann"), credits(8n));
  expect(lost.restsMs(loser("ann"))).toBe(0);
  lost.add(loser("ann"), credits(1n));
  expect(lost.restsMs(loser("ann"))).toBe(10 * MINUTE_MS);
});

test("the cap counts in each unit", () => {
  const { lost } = stage();
  lost.add(loser("ann"), { credits: 1n, tokens: 100n });

  expect(lost.restsMs(loser("ann"))).toBeGreaterThan(0);
});

test("what was lost is forgotten when the route is given up for everybody: then it was the provider", () => {
  const { now, lost } = stage();
  lost.add(loser("ann"), credits(50n));
  now.openings++;

  expect(lost.restsMs(loser("ann"))).toBe(0);
  lost.add(loser("ann"), credits(9n));
  expect(lost.restsMs(loser("ann"))).toBe(0);
});

test("however many lose something, no more than ten thousand are remembered, the last of them", () => {
  const { lost } = stage();
  for (let n = 0; n <= 10_000; n++) lost.add(loser(`p${n}`), credits(10n));

  expect(lost.restsMs(loser("p0"))).toBe(0);
  expect(lost.restsMs(loser("p1"))).toBeGreaterThan(0);
  expect(lost.restsMs(loser("p10000"))).toBeGreaterThan(0);
});
