import fc from "fast-check";
import { expect, test } from "vitest";
import { type Command, commandSequence, namesOf } from "./commands.ts";
import { drive, modelTarget, openKeys, rest } from "./drive.ts";
import type { LedgerEvent } from "./history.ts";
import { heldAtRest, imbalancesOf, violationsOf } from "./invariants.ts";
import { createModel } from "./model.ts";
import { LAW, type Rules } from "./rules.ts";

const START_MS = Date.UTC(2026, 0, 5, 12);
const SEED = Number(process.env["LEDGER_SEED"] ?? Date.now() % 2 ** 31);
const names = namesOf(1);

/** Plays a sequence on a model and answers everything that is wrong, I6 and I11 at the end. */
async function play(commands: readonly Command[], rules: Rules = LAW): Promise<string[]> {
  const model = createModel({ startMs: START_MS, rules });
  const target = modelTarget(model);
  const history: LedgerEvent[] = [];
  await openKeys(target, names);
  const between = new Set<string>();
  for (const command of commands) {
    history.push(...(await drive(target, names, command)));
    for (const imbalance of imbalancesOf(model.state)) between.add(imbalance);
  }
  history.push(...(await rest(target, names)));
  const wrong = [
    ...between,
    ...violationsOf({ state: model.state, history }),
    ...heldAtRest(model.state).map((text) => `I6 ${text}`),
  ];
  return [...wrong, ...(await servesAgain(target))];
}

/** I11: a key with money, asking when its minute is over, is served. */
async function servesAgain(target: ReturnType<typeof modelTarget>): Promise<string[]> {
  const top = await drive(target, names, {
    type: "fund",
    key: 0,
    reference: 999,
    kind: "purchase",
    amount: 10n,
    about: 0,
  });
  await target.advance(65_000);
  const plan = { request: 66, least: 1n, most: 10n, unlimited: false, lifetimeMs: 30_000, stale: false, claim: null };
  const [event] = await drive(target, names, { type: "admit", process: 0, asks: [plan] });
  const served = event?.type === "admit" && event.verdicts[0]?.kind === "admitted";
  return served ? [] : [`I11 not served after ${JSON.stringify(top.map(({ type }) => type))}`];
}

test("whatever happens, the model keeps every invariant", async () => {
  await fc.assert(
    fc.asyncProperty(commandSequence(60), async (commands) => {
      expect(await play(commands)).toEqual([]);
    }),
    { seed: SEED, numRuns: 500 },
  );
}, 60_000);

/** A ledger with one wrong decision, and the invariant that must notice. */
const BROKEN: Record<string, { invariant: string; rules: Partial<Rules> }> = {
  "check without what is held": { invariant: "I2", rules: { free: ({ posted }) => posted } },
  "half of the balance granted to a request that needs more": {
    invariant: "I8",
    rules: { grant: ({ most, free }) => (most <= free ? most : free / 2n) },
  },
  "charge beyond the balance": { invariant: "I2", rules: { paid: ({ cost }) => cost } },
  "a hold kept when nothing is charged": {
    invariant: "I2",
    rules: { released: ({ amount }, paid) => (paid > 0n ? amount : 0n) },
  },
  "the whole hold charged instead of the usage": { invariant: "I3", rules: { paid: ({ amount }) => amount } },
  "a refusal that blames the balance": { invariant: "I8", rules: { refusal: () => "insufficient" } },
  "twelve cells for a minute": { invariant: "I10", rules: { windowCells: 12 } },
  "a claim freed although it was charged": { invariant: "I9", rules: { frees: ({ kind }) => kind !== "completed" } },
  "a period that forgets older holds": { invariant: "I1", rules: { turnedPosted: ({ budget }) => budget } },
  "funding applied again by the same reference": { invariant: "I7", rules: { repeats: false } },
  "a sweeper that sees deadlines only": {
    invariant: "I6",
    rules: { lost: ({ hold, nowMs }) => hold.deadlineMs < nowMs },
  },
  "a sweep counted as the client's own end": { invariant: "I3", rules: { fences: () => false } },
  "nobody counted against the rate": { invariant: "I10", rules: { counted: () => false } },
};

test.each(Object.entries(BROKEN))("a ledger with %s is caught by the invariant named for it", async (_, broken) => {
  const seen = new Set<string>();

  await fc
    .assert(
      fc.asyncProperty(commandSequence(60), async (commands) => {
        for (const violation of await play(commands, { ...LAW, ...broken.rules }))
          seen.add(violation.split(" ")[0] ?? "");
        return !seen.has(broken.invariant);
      }),
      { seed: 7, numRuns: 3_000, endOnFailure: true },
    )
    .catch(() => undefined);

  expect([...seen]).toContain(broken.invariant);
});
