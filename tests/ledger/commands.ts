import { createHash } from "node:crypto";
import fc from "fast-check";
import type { Amounts, Unit } from "../../src/core/money/amount.ts";
import type { BudgetPeriod } from "../../src/core/money/budget-period.ts";
import type { CounterKind } from "../../src/core/money/counter.ts";
import type { Ask, Checkpoint, Funding, Refund, Settlement, StoredAnswer } from "../../src/ledger/ledger.ts";
import type { Outcome } from "../../src/core/money/usage.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";

/** Requests, keys, accounts, counters and processes are numbers here; `namesOf` says which ids they stand for in one run. */
export type Command =
  | { type: "admit"; process: number; asks: AskPlan[] }
  | { type: "settle"; ends: EndPlan[] }
  /** Both in one call. */
  | { type: "turn"; process: number; ends: EndPlan[]; asks: AskPlan[] }
  | { type: "void"; requests: number[]; delivered?: boolean }
  | { type: "suspend"; keys: number[] }
  | { type: "checkpoint"; checkpoints: CheckpointPlan[] }
  | { type: "heartbeat"; process: number }
  | { type: "crash"; process: number }
  | { type: "sweep"; process: number; limit: number }
  | { type: "fund"; counter: number; reference: number; kind: Funding["kind"]; amount: bigint }
  | { type: "limit"; counter: number; reference: number; amount: bigint; period: BudgetPeriod }
  | { type: "refund"; request: number; reference: number; credits: bigint; tokens: bigint }
  | ({ type: "open" } & OpenPlan)
  | { type: "close"; counter: number }
  | { type: "watch"; counter: number; marks: bigint[] }
  | { type: "refuse"; counter: number; little: boolean }
  | { type: "move"; account: number; parent: number }
  | { type: "rehome"; key: number; account: number }
  | { type: "change"; key: number }
  | { type: "restart" }
  | { type: "promote" }
  | { type: "poison"; request: number }
  | { type: "usage"; key: number }
  | { type: "advance"; ms: number };

export type AskPlan = Pick<Ask, "unlimited" | "lifetimeMs"> & {
  request: number;
  /** In whichever unit the chain counts; `tokens` where it counts in both and they are to differ. */
  least: bigint;
  most: bigint;
  tokens?: { least: bigint; most: bigint };
  model?: string;
  stale: boolean;
  claim: { name: number; fingerprint: number } | null;
};
export type EndPlan = {
  request: number;
  outcome: Outcome;
  charge: bigint;
  tokens: number;
  delivered: boolean;
  recorded: boolean;
  answer: number | null;
  absorbed?: bigint;
  waived?: bigint;
};
type CheckpointPlan = { request: number; seq: number; cost: bigint; delivered: boolean };
export type OpenPlan = {
  counter: number;
  /** Whose it is, unless it is a key's. */
  account: number;
  key?: number;
  kind: CounterKind;
  unit: Unit;
  models: string[] | null;
  amount: bigint;
  period: BudgetPeriod;
};

export const PROCESSES = 3;
/** Two lone credit keys, a lone token key, one that does not exist, and three in a tree, of which the last counts tokens. */
export const KEYS = 7;
export const TOKEN_KEY = 2;
export const MISSING_KEY = 3;
export const TREE_KEYS = [4, 5, 6] as const;
/** An organisation with two teams, of which the first has a person. */
export const TREE: readonly { account: number; parent: number | null }[] = [
  { account: 0, parent: null },
  { account: 1, parent: 0 },
  { account: 2, parent: 0 },
  { account: 3, parent: 1 },
];
/** Where the keys of the tree are: the person's, the first team's, the second team's. */
export const HOMES: Readonly<Record<number, number>> = { 4: 3, 5: 1, 6: 2 };
/** The counter of a lone key. Those of accounts have the numbers before. */
export const ownCounter = (key: number): number => 100 + key;
/** The purse of the organisation; limits have the numbers before. */
export const PURSE = 9;
const anyCounter = (): fc.Arbitrary<number> => fc.integer({ min: 1, max: PURSE + 4 });

/** A request always names the same key; few name the one that does not exist, and later ones those of the tree. */
export const keyOf = (request: number): number => {
  if (request >= LONE_REQUESTS && request < REQUESTS) return 4 + (request % 3);
  return request % 11 === 10 ? MISSING_KEY : request % 3;
};
const LONE_REQUESTS = 22;
export const REQUESTS = 44;
/** What the house bears of one key in an hour. */
export const CAP_PER_HOUR = 90n;
/** The same of one account. */
export const ACCOUNT_CAP_PER_HOUR = 130n;
export const RPM_LIMITS: readonly (number | null)[] = [3, null, 7, null, null, 9, null];

const request = fc.nat(REQUESTS - 1);
const process = fc.nat(PROCESSES - 1);
const key = fc.nat(KEYS - 1);
const amount = fc.bigInt(0n, 120n);
const outcome = fc.constantFrom<Outcome>("completed", "completed", "client_gone", "upstream_failed", "timed_out");

const ask: fc.Arbitrary<AskPlan> = fc
  .record({
    request,
    low: amount,
    more: amount,
    rateOnly: fc.nat(9).map((n) => n === 0),
    unlimited: fc.boolean(),
    lifetimeMs: fc.constantFrom(30_000, 300_000),
    stale: fc.nat(11).map((n) => n === 0),
    model: fc.constantFrom("m", "m", "big"),
    tokens: fc.option(fc.record({ low: amount, more: amount }), { freq: 2 }),
    claim: fc.option(fc.record({ name: fc.nat(1), fingerprint: fc.nat(5).map((n) => (n === 0 ? 1 : 0)) }), { freq: 2 }),
  })
  .map(({ low, more, rateOnly, tokens, ...rest }) => ({
    ...rest,
    least: rateOnly ? 0n : low,
    most: rateOnly ? 0n : low + more,
    ...(tokens && !rateOnly && { tokens: { least: tokens.low, most: tokens.low + tokens.more } }),
  }));

const end: fc.Arbitrary<EndPlan> = fc.record({
  request,
  outcome,
  charge: fc.bigInt(0n, 160n),
  tokens: fc.nat(50),
  delivered: fc.boolean(),
  recorded: fc.boolean(),
  answer: fc.option(fc.nat(99), { freq: 2 }),
  absorbed: fc.oneof({ arbitrary: fc.constant(0n), weight: 4 }, { arbitrary: fc.bigInt(1n, 60n), weight: 1 }),
  waived: fc.oneof({ arbitrary: fc.constant(0n), weight: 1 }, { arbitrary: fc.bigInt(1n, 60n), weight: 2 }),
});

const counter = fc.oneof(
  { arbitrary: fc.constantFrom(...[0, 1, 2].map(ownCounter)), weight: 2 },
  { arbitrary: anyCounter(), weight: 1 },
);

const fund: fc.Arbitrary<Command> = fc.record({
  type: fc.constant("fund" as const),
  counter: fc.oneof(fc.constantFrom(ownCounter(0), ownCounter(1), PURSE), counter),
  reference: fc.nat(12),
  kind: fc.constantFrom("purchase", "purchase", "grant", "adjust"),
  amount: fc.bigInt(1n, 300n),
});

const refund: fc.Arbitrary<Command> = fc.record({
  type: fc.constant("refund" as const),
  request,
  reference: fc.nat(12),
  credits: fc.bigInt(0n, 60n),
  tokens: fc.bigInt(0n, 30n),
});

const limit: fc.Arbitrary<Command> = fc.record({
  type: fc.constant("limit" as const),
  counter: fc.oneof(
    { arbitrary: fc.constant(ownCounter(TOKEN_KEY)), weight: 2 },
    { arbitrary: anyCounter(), weight: 2 },
    { arbitrary: counter, weight: 1 },
  ),
  reference: fc.nat(6),
  amount: fc.bigInt(0n, 400n),
  period: fc.constantFrom("day", "week", "month", "none"),
});

const open: fc.Arbitrary<Command> = fc.record({
  type: fc.constant("open" as const),
  counter: fc.integer({ min: 3, max: PURSE - 1 }),
  account: fc.nat(TREE.length - 1),
  kind: fc.constant("limit" as const),
  unit: fc.constantFrom("credit" as const, "tokens" as const),
  models: fc.constantFrom<string[] | null>(null, null, ["big"]),
  amount: fc.bigInt(0n, 400n),
  period: fc.constantFrom("day", "week", "month", "none"),
});

const watch: fc.Arbitrary<Command> = fc.record({
  type: fc.constant("watch" as const),
  counter,
  marks: fc.array(fc.constantFrom(1n, 50n, 80n, 100n), { maxLength: 3 }),
});

const refuse: fc.Arbitrary<Command> = fc.record({
  type: fc.constant("refuse" as const),
  counter,
  little: fc.boolean(),
});

const openOfKey: fc.Arbitrary<Command> = fc
  .record({
    type: fc.constant("open" as const),
    counter: fc.integer({ min: PURSE + 1, max: PURSE + 4 }),
    account: fc.constant(0),
    key: fc.constantFrom(...TREE_KEYS),
    kind: fc.constantFrom("limit" as const, "limit" as const, "limit" as const, "purse" as const),
    unit: fc.constantFrom("credit" as const, "tokens" as const),
    models: fc.constantFrom<string[] | null>(null, null, ["big"]),
    amount: fc.bigInt(0n, 400n),
    period: fc.constantFrom("day", "week", "month", "none"),
  })
  .map((it) => (it.kind === "purse" ? { ...it, amount: 0n, period: "none", models: null } : it));

/** What changes the tree. */
export const structural: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: open, weight: 3 },
  { arbitrary: openOfKey, weight: 2 },
  {
    arbitrary: fc.record({
      type: fc.constant("rehome" as const),
      key: fc.constantFrom(...TREE_KEYS, ...TREE_KEYS, ...TREE_KEYS, 0, TOKEN_KEY),
      account: fc.nat(TREE.length - 1),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({ type: fc.constant("close" as const), counter: fc.integer({ min: 1, max: PURSE + 4 }) }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      type: fc.constant("move" as const),
      account: fc.constantFrom(3, 3, 1, 2),
      parent: fc.nat(TREE.length - 1),
    }),
    weight: 3,
  },
  { arbitrary: watch, weight: 2 },
  { arbitrary: refuse, weight: 3 },
);

const checkpoints = fc.array(
  fc.record({ request, seq: fc.integer({ min: 1, max: 5 }), cost: amount, delivered: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);

const waits = fc.constantFrom(
  1,
  700,
  4_999,
  5_000,
  12_000,
  16_000,
  55_001,
  57_000,
  61_000,
  3_600_000,
  86_400_000,
  2_700_000_000,
);

const admit = fc.record({
  type: fc.constant("admit" as const),
  process,
  asks: fc.array(ask, { minLength: 1, maxLength: 6 }),
});
const settle = fc.record({ type: fc.constant("settle" as const), ends: fc.array(end, { minLength: 1, maxLength: 5 }) });
const turn = fc.record({
  type: fc.constant("turn" as const),
  process,
  ends: fc.array(end, { minLength: 1, maxLength: 4 }),
  asks: fc.array(ask, { minLength: 1, maxLength: 5 }),
});
const cancel = fc.record({
  type: fc.constant("void" as const),
  requests: fc.array(request, { minLength: 1, maxLength: 3 }),
  delivered: fc.boolean(),
});

const suspend = fc.record({
  type: fc.constant("suspend" as const),
  keys: fc.array(key, { minLength: 1, maxLength: 3 }),
});

/** Calls that lock every balance they touch before they read, so that any two of them happen one after the other. */
export const lockingCommand: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: admit, weight: 4 },
  { arbitrary: settle, weight: 3 },
  { arbitrary: turn, weight: 2 },
  { arbitrary: cancel, weight: 1 },
  { arbitrary: fund, weight: 1 },
);

/** What clients and gateways do. */
export const trafficCommand: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: admit, weight: 8 },
  { arbitrary: settle, weight: 6 },
  { arbitrary: turn, weight: 5 },
  { arbitrary: cancel, weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("checkpoint" as const), checkpoints }), weight: 2 },
  {
    arbitrary: fc.record({ type: fc.constant("sweep" as const), process, limit: fc.constantFrom(1, 2, 100) }),
    weight: 2,
  },
  { arbitrary: fund, weight: 2 },
  { arbitrary: refund, weight: 2 },
  { arbitrary: suspend, weight: 1 },
);

const command: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: trafficCommand, weight: 20 },
  { arbitrary: limit, weight: 2 },
  { arbitrary: structural, weight: 3 },
  { arbitrary: fc.record({ type: fc.constant("heartbeat" as const), process }), weight: 3 },
  { arbitrary: fc.record({ type: fc.constant("crash" as const), process }), weight: 2 },
  { arbitrary: fc.record({ type: fc.constant("usage" as const), key }), weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("poison" as const), request }), weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("change" as const), key }), weight: 1 },
  { arbitrary: fc.constantFrom({ type: "restart" as const }, { type: "promote" as const }), weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("advance" as const), ms: waits }), weight: 4 },
);

/** Begins with money, or nothing much would happen. */
export const OPENING: readonly Command[] = [
  { type: "heartbeat", process: 0 },
  { type: "heartbeat", process: 1 },
  { type: "fund", counter: ownCounter(0), reference: 100, kind: "purchase", amount: 300n },
  { type: "fund", counter: ownCounter(1), reference: 101, kind: "grant", amount: 200n },
  { type: "limit", counter: ownCounter(TOKEN_KEY), reference: 100, amount: 300n, period: "day" },
  { type: "open", counter: PURSE, account: 0, kind: "purse", unit: "credit", models: null, amount: 0n, period: "none" },
  { type: "fund", counter: PURSE, reference: 102, kind: "purchase", amount: 500n },
  { type: "open", counter: 1, account: 1, kind: "limit", unit: "credit", models: null, amount: 250n, period: "day" },
  { type: "open", counter: 2, account: 2, kind: "limit", unit: "tokens", models: null, amount: 300n, period: "week" },
  { type: "watch", counter: PURSE, marks: [0n, 60n, 100n] },
];

export const commandSequence = (maxLength: number): fc.Arbitrary<Command[]> =>
  fc
    .array(command, { minLength: Math.min(10, maxLength), maxLength, size: "max" })
    .map((commands) => withinReach([...OPENING, ...commands]));

/** Ends and checkpoints mostly speak of requests asked not long before, or they would find nothing. */
function withinReach(commands: readonly Command[]): Command[] {
  const asked: number[] = [];
  const near = (n: number): number => (n === 0 ? n : (asked.at(-1 - (n % 6)) ?? n));
  const nearRequest = <Plan extends { request: number }>(plan: Plan): Plan => ({
    ...plan,
    request: near(plan.request),
  });
  return commands.map((it) => {
    const ends = it.type === "turn" ? it.ends.map(nearRequest) : [];
    if (it.type === "admit" || it.type === "turn") asked.push(...it.asks.map(({ request }) => request));
    if (it.type === "turn") return { ...it, ends };
    if (it.type === "refund") return nearRequest(it);
    if (it.type === "settle") return { ...it, ends: it.ends.map(nearRequest) };
    if (it.type === "void") return { ...it, requests: it.requests.map(near) };
    if (it.type === "checkpoint") return { ...it, checkpoints: it.checkpoints.map(nearRequest) };
    return it;
  });
}

/** Summaries differ most right after time has passed, when no request has come yet. */
export const looked = (command: Command): Command[] =>
  command.type === "advance"
    ? [command, { type: "usage", key: TOKEN_KEY }, { type: "usage", key: TREE_KEYS[2] }]
    : [command];

export type Names = {
  keyId: (key: number) => string;
  accountId: (account: number) => string;
  requestId: (request: number) => string;
  processId: (process: number) => string;
};

/** Ids of one run: a run is a number, and no two runs share an id. */
export function namesOf(run: number): Names {
  const uuid = (group: string, n: number): string =>
    `018bcfe5-${run.toString(16).padStart(4, "0")}-7000-8${group}-${n.toString(16).padStart(12, "0")}`;
  return {
    keyId: (n) => uuid("001", n),
    requestId: (n) => uuid("002", n),
    processId: (n) => uuid("003", n),
    accountId: (n) => uuid("004", n),
  };
}

/** What is known of a key when a request comes: its version, and the chain for the model it names. */
export type KeyCopy = { version: number; chain: Ask["chain"]; units: readonly Unit[] };

const only = (units: readonly Unit[], amounts: { credits: bigint; tokens: bigint }): Amounts => ({
  credits: units.includes("credit") ? amounts.credits : null,
  tokens: units.includes("tokens") ? amounts.tokens : null,
});

export function askOf(names: Names, plan: AskPlan, { version, chain, units }: KeyCopy): Ask {
  const { request, stale, claim, least, most, tokens = { least, most }, unlimited, lifetimeMs, model = "m" } = plan;
  return {
    unlimited,
    lifetimeMs,
    id: names.requestId(request),
    bucket: BUCKET,
    keyId: names.keyId(keyOf(request)),
    keyVersion: version - (stale ? 1 : 0),
    chain,
    least: only(units, { credits: least, tokens: tokens.least }),
    most: only(units, { credits: most, tokens: tokens.most }),
    rpmLimit: RPM_LIMITS[keyOf(request)] ?? null,
    model,
    priceVersion: 1,
    claim: claim && {
      keySha256: digest(`key ${claim.name}`),
      fingerprint: digest(`body ${claim.fingerprint}`),
    },
  };
}

/** All of a run lies in one bucket. */
export const BUCKET = 7;

export function settlementOf(names: Names, plan: EndPlan, { chain, units }: Omit<KeyCopy, "version">): Settlement {
  const { tokens, recorded, answer, delivered, absorbed = 0n, waived = 0n } = plan;
  return {
    id: names.requestId(plan.request),
    bucket: BUCKET,
    keyId: names.keyId(keyOf(plan.request)),
    chain,
    outcome: plan.outcome,
    price: only(units, { credits: plan.charge, tokens: units.length === 1 ? plan.charge : BigInt(tokens + 1) }),
    usage: { ...NO_USAGE, inputTokens: tokens, outputTokens: 1 },
    digest: null,
    contentDelivered: delivered,
    record: recorded ? { provider: "p", status: 200, firstByteMs: null, tookMs: 1, estimated: false } : null,
    answer: answer === null ? null : storedAnswer(answer),
    absorbed: only(units, { credits: absorbed, tokens: absorbed / 2n }),
    waived: only(units, { credits: waived, tokens: waived }),
    capPerHour: CAP_PER_HOUR,
    accountCapPerHour: ACCOUNT_CAP_PER_HOUR,
  };
}

export const checkpointOf = (names: Names, { request, seq, cost, delivered }: CheckpointPlan): Checkpoint => ({
  id: names.requestId(request),
  bucket: BUCKET,
  keyId: names.keyId(keyOf(request)),
  seq,
  credits: cost,
  usage: { ...NO_USAGE, inputTokens: Number(cost), outputTokens: 1 },
  contentDelivered: delivered,
});

/** Payments of another run are another matter, and one payment goes to one purse. */
const referenceOf = (names: Names, reference: number): string => `pay ${names.keyId(0).slice(9, 13)} ${reference}`;

export const fundingOf = (names: Names, command: Extract<Command, { type: "fund" }>): Funding => ({
  counter: command.counter,
  reference: referenceOf(names, command.reference),
  kind: command.kind,
  amount: command.kind === "adjust" ? -command.amount : command.amount,
  actor: "test",
});

export const refundOf = (
  names: Names,
  { request, reference, credits, tokens }: Extract<Command, { type: "refund" }>,
  units: readonly Unit[],
): Refund => ({
  keyId: names.keyId(keyOf(request)),
  reference: referenceOf(names, reference),
  about: names.requestId(request),
  amounts: only(units, { credits: credits + 1n, tokens: units.includes("credit") ? tokens : tokens + 1n }),
  actor: "test",
});

const storedAnswer = (n: number): StoredAnswer => ({
  status: 200,
  contentType: "application/json",
  body: Buffer.from([0, n, 255]),
});

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
