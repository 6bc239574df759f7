import type { Amounts } from "../../src/core/money/amount.ts";
import type { AdmitVerdict, Settlement } from "../../src/ledger/ledger.ts";
import {
  isLive,
  type Chain,
  type Charge,
  type ChargeKind,
  type Counter,
  type Hold,
  type Key,
  type Process,
} from "./state.ts";

/** The server that answers: since when it has been up, and the timeline it writes. A promotion changes the latter alone. */
export type Server = { startMs: number; timeline: number };

/** The decisions of the ledger, each by itself, so that a test can break one and see which invariant notices. */
export type Rules = {
  free: (counter: Counter) => bigint;
  grant: (ask: { least: bigint; most: bigint; unlimited: boolean; free: bigint }) => bigint;
  refusal: (ask: { empty: boolean }) => "insufficient" | "reserved";
  /** Which answers count against the rate: all but those with status 429, and those that decided nothing. */
  counted: (kind: AdmitVerdict["kind"]) => boolean;
  windowMs: number;
  /** How far ahead of the clock the period of a counter may have begun for a request to start. */
  aheadMs: number;
  paid: (end: { cost: bigint; amount: bigint; spare: bigint }) => bigint;
  /** What a counter has for an end beyond its grant. */
  spare: (counter: Counter, hold: Hold) => bigint;
  /** Whether what a provider's failure waives is the house's, given what that bears of the key this hour. */
  waives: (end: { waived: bigint; borne: bigint; cap: bigint }) => boolean;
  released: (amount: bigint, paid: bigint) => bigint;
  /** Ends that a late settle must not take for its own. */
  fences: (kind: ChargeKind) => boolean;
  /** Whether the claim of an ended request may be taken again. */
  frees: (end: { paid: bigint; kind: ChargeKind; contentDelivered: boolean; answered: boolean }) => boolean;
  /** What else a void takes back: the request counts as if it had never been. */
  forget: (undone: { key: Key; charge: Charge; free: boolean; others: readonly [string, Charge][] }) => void;
  /** What was charged and refunded before counts no more in this counter. */
  uncount: (counter: Counter, undone: { charged: bigint; refunded: bigint }) => void;
  turnedPosted: (counter: Counter) => bigint;
  turnedOlder: (counter: Counter) => bigint;
  /** Which of a request's counters are reserved, charged, and given back to. */
  reserves: (chain: Chain) => readonly number[];
  charges: (chain: Chain, now: { chain: Chain }) => readonly number[];
  refunds: (chain: Chain) => readonly number[];
  /** The counters of a request, of all that its key has. */
  sees: (request: { asked: readonly number[]; all: readonly number[] }) => readonly number[];
  /** The units that a request is held to. */
  units: (least: Amounts) => Amounts;
  /** Whether a second purse may come into a chain. */
  onePurse: boolean;
  /** Whether a passed threshold is told: it was not yet, or so often. */
  tells: (threshold: { told: boolean }) => boolean;
  /** What a move takes along. */
  moved: (counter: Counter) => void;
  /** Whether funding by a known reference is recognised. */
  repeats: boolean;
  /** Whether a payment that another purse was given is recognised. */
  onePayment: boolean;
  /** Whether a renewal goes on where the last one left off; if not, others may have been unable to renew as well. */
  renews: (at: { nowMs: number; server: Server; process: Process }) => boolean;
  maySweep: (at: { nowMs: number; server: Server; sweeper: Process }) => boolean;
  lost: (at: { hold: Hold; nowMs: number; process: Process | undefined }) => boolean;
};

const LEASE_MS = 15_000;
const DAY_MS = 86_400_000;
const UNCOUNTED: ReadonlySet<AdmitVerdict["kind"]> = new Set([
  "already",
  "stale_key",
  "rate_limited",
  "reserved",
  "limit_reached",
  "not_begun",
]);

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

export const LAW: Rules = {
  free: ({ posted, held }) => posted - held,
  grant: ({ least, most, unlimited, free }) => {
    if (most <= free) return most;
    return unlimited ? larger(least, free / 2n) : free;
  },
  refusal: ({ empty }) => (empty ? "insufficient" : "reserved"),
  counted: (kind) => !UNCOUNTED.has(kind),
  windowMs: 60_000,
  aheadMs: 3_600_000,
  paid: ({ cost, amount, spare }) => smaller(cost, amount + spare),
  spare: (counter, hold) => (isLive(hold, counter) ? counter.posted - counter.held : 0n),
  waives: ({ waived, borne, cap }) => borne + waived <= cap,
  released: (amount) => amount,
  fences: (kind) => kind === "swept" || kind === "voided",
  frees: ({ paid, kind, contentDelivered, answered }) =>
    paid === 0n && kind !== "completed" && !contentDelivered && !answered,
  forget: ({ key, charge, free, others }) => {
    const cost = (of: Charge): bigint => (key.unit === "credit" ? of.charged.credits : of.charged.tokens) ?? 0n;
    key.spent -= charge.charged.credits ?? 0n;
    if (key.day === Math.floor(charge.atMs / DAY_MS)) key.todaySpend -= cost(charge);
    key.tokensIn -= free ? 0n : BigInt(charge.input);
    key.tokensOut -= free ? 0n : BigInt(charge.output);
    if (!isCounted(charge)) return;
    key.requests -= 1n;
    const [last] = others
      .filter(([, other]) => isCounted(other))
      .toSorted(([id, one], [otherId, other]) => other.atMs - one.atMs || (id < otherId ? 1 : -1));
    key.lastCost = last ? cost(last[1]) : 0n;
  },
  uncount: (counter, { charged, refunded }) => {
    counter.used -= charged;
    counter.refunded -= refunded;
  },
  turnedPosted: ({ amount, held }) => amount + held,
  turnedOlder: ({ held }) => held,
  reserves: ({ counters }) => counters,
  charges: ({ counters }) => counters,
  refunds: ({ counters }) => counters,
  sees: ({ asked }) => asked,
  units: (least) => least,
  onePurse: true,
  tells: ({ told }) => !told,
  moved: () => undefined,
  repeats: true,
  onePayment: true,
  renews: ({ nowMs, server, process }) =>
    process.leaseUntilMs >= nowMs + LEASE_MS / 2 && process.timeline === server.timeline,
  maySweep: ({ nowMs, server, sweeper }) =>
    sweeper.leaseUntilMs >= nowMs &&
    sweeper.timeline === server.timeline &&
    nowMs >= Math.max(server.startMs, sweeper.renewingSinceMs) + LEASE_MS,
  lost: ({ hold, nowMs, process }) =>
    hold.deadlineMs < nowMs || (hold.admittedAtMs < nowMs - LEASE_MS && (!process || process.leaseUntilMs < nowMs)),
};

/** Those that people are told they made. */
/** Whether its end may cost nothing: the provider failed, or the client left before there was an answer. */
export const mayWaive = ({ outcome, waived }: Pick<Settlement, "outcome" | "waived">): boolean =>
  outcome === "upstream_failed" || (outcome === "client_gone" && (waived.credits ?? 0n) + (waived.tokens ?? 0n) > 0n);

export const isCounted = ({ kind }: { kind: ChargeKind }): boolean =>
  kind === "completed" || kind === "timed_out" || kind === "upstream_failed";
