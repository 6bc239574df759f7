import fc from "fast-check";
import { type Command, commandSequence, namesOf, ownCounter } from "./commands.ts";
import { drive, modelTarget, openKeys, rest } from "./drive.ts";
import type { LedgerEvent } from "./history.ts";
import { heldAtRest, imbalancesOf, violationsOf } from "./invariants.ts";
import { createModel } from "./model.ts";
import { checkOf } from "./observe.ts";
import { LAW, type Rules } from "./rules.ts";
import type { Counter } from "./state.ts";

const START_MS = Date.UTC(2026, 0, 5, 12);
const names = namesOf(1);

type BrokenModel = { name: string; caughtBy: string; rules: Partial<Rules> };

/** Ledgers with one wrong decision each, and the invariant that must notice. */
export const BROKEN_MODELS: readonly BrokenModel[] = [
  { name: "a check without what is held", caughtBy: "I2", rules: { free: ({ posted }) => posted } },
  { name: "a cached balance", caughtBy: "I2", rules: { free: rememberedFree() } },
  {
    name: "half of the balance granted to a request that needs more",
    caughtBy: "I8",
    rules: { grant: ({ most, free }) => (most <= free ? most : free / 2n) },
  },
  { name: "a provider's usage trusted, however huge", caughtBy: "I2", rules: { paid: ({ cost }) => cost } },
  {
    name: "a refund on abort only",
    caughtBy: "I2",
    rules: { released: (amount, paid) => (paid === 0n ? amount : paid) },
  },
  {
    name: "a hold kept when nothing is charged",
    caughtBy: "I2",
    rules: { released: (amount, paid) => (paid > 0n ? amount : 0n) },
  },
  { name: "failures that are free without end", caughtBy: "I5", rules: { waives: () => true } },
  { name: "failures that are never free", caughtBy: "I5", rules: { waives: () => false } },
  { name: "the whole hold charged instead of the usage", caughtBy: "I3", rules: { paid: ({ amount }) => amount } },
  { name: "a refusal that blames the balance", caughtBy: "I8", rules: { refusal: () => "insufficient" } },
  { name: "fifty-five seconds for a minute", caughtBy: "I10", rules: { windowMs: 55_000 } },
  { name: "more than a minute for a minute", caughtBy: "I10", rules: { windowMs: 61_000 } },
  {
    name: "a claim freed although it was charged",
    caughtBy: "I9",
    rules: { frees: ({ kind }) => kind !== "completed" },
  },
  { name: "a void that still counts as spent", caughtBy: "I7", rules: { forget: () => undefined } },
  { name: "a period that forgets older holds", caughtBy: "I1", rules: { turnedPosted: ({ amount }) => amount } },
  { name: "funding applied again by the same reference", caughtBy: "I7", rules: { repeats: false } },
  { name: "a payment booked to two keys", caughtBy: "I7", rules: { onePayment: false } },
  {
    name: "a sweeper that sees deadlines only",
    caughtBy: "I6",
    rules: { lost: ({ hold, nowMs }) => hold.deadlineMs < nowMs },
  },
  {
    name: "a settle without fence: a sweep taken for the client's own end",
    caughtBy: "I3",
    rules: { fences: () => false },
  },
  { name: "nobody counted against the rate", caughtBy: "I10", rules: { counted: () => false } },
  {
    name: "a counter passed over when a request starts",
    caughtBy: "C1",
    rules: { reserves: ({ counters }) => counters.slice(0, 1) },
  },
  {
    name: "a counter passed over when a request ends",
    caughtBy: "C1",
    rules: { charges: ({ counters }) => counters.slice(0, 1) },
  },
  {
    name: "a chain read after the move",
    caughtBy: "C1",
    rules: { charges: (_, now) => now.chain.counters },
  },
  { name: "an excess that is not given back", caughtBy: "C1", rules: { released: (_, paid) => paid } },
  { name: "older holds given to the new period of a team", caughtBy: "C1", rules: { turnedOlder: () => 0n } },
  { name: "a limit for another model applied", caughtBy: "C2", rules: { sees: ({ all }) => all } },
  {
    name: "a refund that passes over the team",
    caughtBy: "C2",
    rules: { refunds: ({ counters }) => counters.slice(-1) },
  },
  {
    name: "a period drawn on by what was admitted before it",
    caughtBy: "C2",
    rules: { spare: ({ posted, held }) => posted - held },
  },
  {
    name: "a move that takes what was used along",
    caughtBy: "C3",
    rules: {
      moved: (counter) => {
        counter.used = 0n;
      },
    },
  },
  { name: "a second payer", caughtBy: "C4", rules: { onePurse: false } },
  { name: "a notice told twice", caughtBy: "C5", rules: { tells: () => true } },
  { name: "a notice that is never told", caughtBy: "C5", rules: { tells: () => false } },
  {
    name: "tokens ignored where credits suffice",
    caughtBy: "I8",
    rules: { units: (least) => (least.credits === null ? least : { ...least, tokens: null }) },
  },
];

/** The invariants that notice; it stops when the one that is meant does. */
export async function noticedInModel({ rules, caughtBy }: BrokenModel): Promise<Set<string>> {
  const noticed = new Set<string>();
  await fc.check(
    fc.asyncProperty(commandSequence(60), async (commands) => {
      for (const violation of await play(commands, { ...LAW, ...rules })) noticed.add(checkOf(violation));
      return !noticed.has(caughtBy);
    }),
    { seed: 7, numRuns: 3_000, endOnFailure: true },
  );
  return noticed;
}

/** Plays a sequence on a model and answers everything that is wrong, I6 and I11 at the end. */
export async function play(commands: readonly Command[], rules: Rules = LAW): Promise<string[]> {
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
    counter: ownCounter(0),
    reference: 999,
    kind: "purchase",
    amount: 10n,
  });
  await target.advance(65_000);
  const plan = { request: 66, least: 1n, most: 10n, unlimited: false, lifetimeMs: 30_000, stale: false, claim: null };
  const [event] = await drive(target, names, { type: "admit", process: 0, asks: [plan] });
  const served = event?.type === "admit" && event.verdicts[0]?.kind === "admitted";
  return served ? [] : [`I11 not served after ${JSON.stringify(top.map(({ type }) => type))}`];
}

/** What was free when a counter was first seen, for ever. */
function rememberedFree(): Rules["free"] {
  const seen = new WeakMap<Counter, bigint>();
  return (counter) => {
    const free = seen.get(counter) ?? LAW.free(counter);
    if (counter.posted > 0n) seen.set(counter, free);
    return free;
  };
}
