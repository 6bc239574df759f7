import { createHash } from "node:crypto";
import fc from "fast-check";
import type { Ask, Checkpoint, Funding, Settlement, StoredAnswer } from "../../src/ledger/ledger.ts";
import type { Outcome } from "../../src/core/usage.ts";
import { NO_USAGE } from "../../src/core/usage.ts";

/** Requests, keys and processes are numbers here; `namesOf` says which ids they stand for in one run. */
export type Command =
  | { type: "admit"; process: number; asks: AskPlan[] }
  | { type: "settle"; ends: EndPlan[] }
  | { type: "turn"; process: number; ends: EndPlan[]; asks: AskPlan[] }
  | { type: "void"; requests: number[]; delivered?: boolean }
  | { type: "suspend"; keys: number[] }
  | { type: "checkpoint"; checkpoints: CheckpointPlan[] }
  | { type: "heartbeat"; process: number }
  | { type: "crash"; process: number }
  | { type: "sweep"; process: number; limit: number }
  | { type: "fund"; key: number; reference: number; kind: Funding["kind"]; amount: bigint; about: number }
  | { type: "budget"; key: number; reference: number; budget: bigint; period: "none" | "day" | "week" | "month" }
  | { type: "change"; key: number }
  | { type: "restart" }
  | { type: "promote" }
  | { type: "poison"; request: number }
  | { type: "usage"; key: number }
  | { type: "advance"; ms: number };

export type AskPlan = Pick<Ask, "least" | "most" | "unlimited" | "lifetimeMs"> & {
  request: number;
  stale: boolean;
  claim: { name: number; fingerprint: number } | null;
};
type EndPlan = {
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

export const PROCESSES = 3;
/** Two credit keys, a token key, and one that does not exist. */
export const KEYS = 4;
export const TOKEN_KEY = 2;
/** A request always names the same key; few name the one that does not exist. */
export const keyOf = (request: number): number => (request % 11 === 10 ? 3 : request % 3);
export const REQUESTS = 22;
/** What the house bears of one key in an hour. */
export const CAP_PER_HOUR = 90n;
export const RPM_LIMITS: readonly (number | null)[] = [3, null, 7, null];

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
    claim: fc.option(fc.record({ name: fc.nat(1), fingerprint: fc.nat(5).map((n) => (n === 0 ? 1 : 0)) }), { freq: 2 }),
  })
  .map(({ low, more, rateOnly, ...rest }) => ({
    ...rest,
    least: rateOnly ? 0n : low,
    most: rateOnly ? 0n : low + more,
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

const fund: fc.Arbitrary<Command> = fc.record({
  type: fc.constant("fund" as const),
  key,
  reference: fc.nat(12),
  kind: fc.constantFrom("purchase", "purchase", "grant", "refund", "adjust"),
  amount: fc.bigInt(1n, 300n),
  about: request,
});

const budget: fc.Arbitrary<Command> = fc.record({
  type: fc.constant("budget" as const),
  key: fc.constantFrom(TOKEN_KEY, TOKEN_KEY, TOKEN_KEY, 0),
  reference: fc.nat(6),
  budget: fc.bigInt(0n, 400n),
  period: fc.constantFrom("day", "week", "month", "none"),
});

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
  asks: fc.array(ask, { minLength: 1, maxLength: 4 }),
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
  { arbitrary: admit, weight: 2 },
  { arbitrary: settle, weight: 1 },
  { arbitrary: turn, weight: 4 },
  { arbitrary: cancel, weight: 1 },
  { arbitrary: fund, weight: 1 },
);

/** What clients and gateways do. */
export const trafficCommand: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: admit, weight: 4 },
  { arbitrary: settle, weight: 3 },
  { arbitrary: turn, weight: 7 },
  { arbitrary: cancel, weight: 1 },
  { arbitrary: fc.record({ type: fc.constant("checkpoint" as const), checkpoints }), weight: 2 },
  {
    arbitrary: fc.record({ type: fc.constant("sweep" as const), process, limit: fc.constantFrom(1, 2, 100) }),
    weight: 2,
  },
  { arbitrary: fund, weight: 2 },
  { arbitrary: suspend, weight: 1 },
);

const command: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: trafficCommand, weight: 20 },
  { arbitrary: budget, weight: 2 },
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
  { type: "fund", key: 0, reference: 100, kind: "purchase", amount: 300n, about: 0 },
  { type: "fund", key: 1, reference: 100, kind: "grant", amount: 200n, about: 0 },
  { type: "budget", key: 2, reference: 100, budget: 300n, period: "day" },
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
    const ends = it.type === "settle" || it.type === "turn" ? it.ends.map(nearRequest) : [];
    if (it.type === "admit" || it.type === "turn") asked.push(...it.asks.map(({ request }) => request));
    if (it.type === "settle" || it.type === "turn") return { ...it, ends };
    if (it.type === "void") return { ...it, requests: it.requests.map(near) };
    if (it.type === "checkpoint") return { ...it, checkpoints: it.checkpoints.map(nearRequest) };
    return it;
  });
}

/** Summaries differ most right after time has passed, when no request has come yet. */
export const looked = (command: Command): Command[] =>
  command.type === "advance" ? [command, { type: "usage", key: TOKEN_KEY }] : [command];

export type Names = {
  keyId: (key: number) => string;
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
  };
}

export function askOf(names: Names, plan: AskPlan, versionOf: (keyId: string) => number): Ask {
  const { request, stale, claim, ...rest } = plan;
  const keyId = names.keyId(keyOf(request));
  return {
    ...rest,
    id: names.requestId(request),
    keyId,
    bucket: 7,
    keyVersion: versionOf(keyId) - (stale ? 1 : 0),
    rpmLimit: RPM_LIMITS[keyOf(request)] ?? null,
    model: "m",
    priceVersion: 1,
    claim: claim && {
      keySha256: digest(`key ${claim.name}`),
      fingerprint: digest(`body ${claim.fingerprint}`),
    },
  };
}

export function settlementOf(names: Names, plan: EndPlan): Settlement {
  const { tokens, recorded, answer, delivered, absorbed = 0n, waived = 0n } = plan;
  return {
    id: names.requestId(plan.request),
    keyId: names.keyId(keyOf(plan.request)),
    outcome: plan.outcome,
    charge: plan.charge,
    usage: { ...NO_USAGE, inputTokens: tokens, outputTokens: 1 },
    contentDelivered: delivered,
    record: recorded ? { provider: "p", status: 200, firstByteMs: null, tookMs: 1, estimated: false } : null,
    answer: answer === null ? null : storedAnswer(answer),
    bucket: 7,
    absorbed,
    waived,
    capPerHour: CAP_PER_HOUR,
  };
}

export const checkpointOf = (names: Names, { request, seq, cost, delivered }: CheckpointPlan): Checkpoint => ({
  id: names.requestId(request),
  bucket: 7,
  seq,
  cost,
  inputTokens: Number(cost),
  outputTokens: 1,
  contentDelivered: delivered,
});

export const fundingOf = (names: Names, command: Extract<Command, { type: "fund" }>): Funding => ({
  keyId: names.keyId(command.key),
  // Payments of another run are another matter, and one payment goes to one key.
  reference: `pay ${names.keyId(0).slice(9, 13)} ${command.reference}`,
  kind: command.kind,
  amount: command.kind === "adjust" ? -command.amount : command.amount,
  about: command.kind === "refund" ? names.requestId(command.about) : null,
  actor: "test",
});

const storedAnswer = (n: number): StoredAnswer => ({
  status: 200,
  contentType: "application/json",
  body: Buffer.from([0, n, 255]),
});

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
