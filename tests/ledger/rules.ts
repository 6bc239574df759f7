import type { AdmitVerdict } from "../../src/ledger/ledger.ts";
import type { Account, Charge, ChargeKind, Hold, Process, RecordEntry } from "./state.ts";

/** The server that answers: since when it has been up, and the timeline it writes. A promotion changes the latter alone. */
export type Server = { startMs: number; timeline: number };

/** The decisions of the ledger, each by itself, so that a test can break one and see which invariant notices. */
export type Rules = {
  free: (account: Account) => bigint;
  grant: (ask: { least: bigint; most: bigint; unlimited: boolean; free: bigint }) => bigint;
  refusal: (ask: { least: bigint; posted: bigint }) => "insufficient" | "reserved";
  /** Which answers count against the rate: all but those with status 429, and those that decided nothing. */
  counted: (kind: AdmitVerdict["kind"]) => boolean;
  windowMs: number;
  paid: (end: { cost: bigint; amount: bigint; spare: bigint }) => bigint;
  /** Whether what a provider's failure waives is the house's, given what that bears of the key this hour. */
  waives: (end: { waived: bigint; borne: bigint; cap: bigint }) => boolean;
  released: (hold: Hold, paid: bigint) => bigint;
  /** Ends that a late settle must not take for its own. */
  fences: (kind: ChargeKind) => boolean;
  /** Whether the claim of an ended request may be taken again. */
  frees: (end: { paid: bigint; kind: ChargeKind; contentDelivered: boolean; answered: boolean }) => boolean;
  /** What else a void takes back: the request counts as if it had never been. */
  forget: (undone: { account: Account; charge: Charge; records: readonly [string, RecordEntry][] }) => void;
  turnedPosted: (account: Account) => bigint;
  /** From when a new budget's period is reckoned, given when budgets were set and periods began before. */
  budgetFrom: (at: { nowMs: number; earlierMs: readonly number[] }) => number;
  /** Whether funding by a known reference is recognised. */
  repeats: boolean;
  /** Whether a payment that another key was given is recognised. */
  onePayment: boolean;
  /** Whether a renewal goes on where the last one left off; if not, others may have been unable to renew as well. */
  renews: (at: { nowMs: number; server: Server; process: Process }) => boolean;
  maySweep: (at: { nowMs: number; server: Server; sweeper: Process }) => boolean;
  lost: (at: { hold: Hold; nowMs: number; process: Process | undefined }) => boolean;
};

const LEASE_MS = 15_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const UNCOUNTED: ReadonlySet<AdmitVerdict["kind"]> = new Set([
  "already",
  "stale_key",
  "rate_limited",
  "reserved",
  "limit_reached",
]);

const smaller = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);

export const LAW: Rules = {
  free: ({ posted, held }) => posted - held,
  grant: ({ least, most, unlimited, free }) => {
    if (most <= free) return most;
    return unlimited ? larger(least, free / 2n) : free;
  },
  refusal: ({ least, posted }) => (least > posted ? "insufficient" : "reserved"),
  counted: (kind) => !UNCOUNTED.has(kind),
  windowMs: 60_000,
  paid: ({ cost, amount, spare }) => smaller(cost, amount + spare),
  waives: ({ waived, borne, cap }) => borne + waived <= cap,
  released: ({ amount }) => amount,
  fences: (kind) => kind === "swept" || kind === "voided",
  frees: ({ paid, kind, contentDelivered, answered }) =>
    paid === 0n && kind !== "completed" && !contentDelivered && !answered,
  forget: ({ account, charge, records }) => {
    if (account.unit === "credit") {
      account.used -= charge.amount;
      // The refund itself and earlier ones of this charge count as paid in.
      account.purchased -= charge.amount;
    }
    if (account.day === Math.floor(charge.atMs / DAY_MS)) account.todaySpend -= charge.amount;
    account.tokensIn -= charge.tokensIn;
    account.tokensOut -= charge.tokensOut;
    if (charge.kind === "client_gone" || charge.kind === "swept") return;
    account.requests -= 1n;
    const [last] = records.toSorted(([id, one], [otherId, other]) => other.atMs - one.atMs || (id < otherId ? 1 : -1));
    account.lastCost = last?.[1].cost ?? 0n;
  },
  turnedPosted: ({ budget, held }) => budget + held,
  budgetFrom: ({ nowMs, earlierMs }) => Math.max(nowMs, ...earlierMs.filter((ms) => ms <= nowMs + HOUR_MS)),
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
