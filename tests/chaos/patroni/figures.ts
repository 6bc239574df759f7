import type { Evidence } from "../ledger/evidence.ts";
import { examine, violationsOf } from "../ledger/invariants.ts";
import { join, type Story } from "../ledger/stories.ts";
import { priceOf } from "../ledger/tariff.ts";
import type { RouteName } from "./site.ts";
import type { Entry } from "./stage.ts";

/** A second of the time line, counted from the fault. */
export type Second = { second: number; answered: number; refused: number; other: number };
export type Mark = { second: number; what: string };

/** What a scenario came to by one route, at one site where they are told of apart. */
export type Row = {
  scenario: string;
  route: RouteName;
  /** What the gateways of this row see; null when all see the same. */
  sees: string | null;
  /** From the first request refused with 503 to the last. */
  refusedSeconds: number;
  answered: number;
  refused: number;
  /** By status, or `none` when no head came. */
  other: Record<string, number>;
  streams: Streams;
  /** Answers told to their callers of which the ledger does not know, and what they cost. */
  lost: { answers: number; credits: number; tokens: number };
  /** Requests charged more than once, and keys that were told more than they had paid for. */
  doubled: number;
  overspent: number;
  verified: boolean;
  violations: string[];
  seconds: Second[];
  marks: Mark[];
  /** Of the machine, while it ran. */
  loadAverage: number;
};

/** Streams open when the fault came: seen whole, ended with an error event, or neither. */
export type Streams = { survived: number; errored: number; silent: number };

/** Entries of requests that were sent from a moment on. */
type Since = { entries: readonly Entry[]; faultAtMs: number };

export function refusedSeconds({ entries, faultAtMs }: Since): number {
  const times = entries.filter(({ status, sentAtMs }) => status === 503 && sentAtMs >= faultAtMs).map(sentAt);
  if (times.length === 0) return 0;
  return (Math.max(...times) - Math.min(...times)) / 1_000;
}

export function countStatuses(entries: readonly Entry[]): Pick<Row, "answered" | "refused" | "other"> {
  const other: Record<string, number> = {};
  let answered = 0;
  let refused = 0;
  for (const { status } of entries) {
    if (status === 200) answered += 1;
    else if (status === 503) refused += 1;
    else other[status ?? "none"] = (other[status ?? "none"] ?? 0) + 1;
  }
  return { answered, refused, other };
}

export function countStreams(entries: readonly Entry[]): Streams {
  const survived = entries.filter(({ terminalAtMs }) => terminalAtMs !== null).length;
  const errored = entries.filter(({ terminalAtMs, code }) => terminalAtMs === null && code !== null).length;
  return { survived, errored, silent: entries.length - survived - errored };
}

/** What came of the requests sent in each second, without gaps. */
export function secondsOf({ entries, faultAtMs }: Since): Second[] {
  const at = ({ sentAtMs }: Entry): number => Math.floor((sentAtMs - faultAtMs) / 1_000);
  const numbers = entries.map(at);
  const first = numbers.reduce((one, two) => Math.min(one, two), 0);
  const last = numbers.reduce((one, two) => Math.max(one, two), 0);
  const seconds = Array.from({ length: last - first + 1 }, (_, index): Second => {
    return { second: first + index, answered: 0, refused: 0, other: 0 };
  });
  for (const entry of entries) {
    const second = seconds[at(entry) - first];
    if (second === undefined) continue;
    if (entry.status === 200) second.answered += 1;
    else if (entry.status === 503) second.refused += 1;
    else second.other += 1;
  }
  return seconds;
}

const sentAt = ({ sentAtMs }: Entry): number => sentAtMs;

/** Whoever saw the end of an answer was told that it is paid. */
const told = ({ client }: Story): boolean => client.terminalAtMs !== null && !client.replayed;

const priceTold = ({ calls, unit }: Story): bigint => {
  const usage = calls.find(({ ended, status }) => ended === "completed" && status === 200)?.usage;
  return usage ? priceOf(unit, usage) : 0n;
};

/** Answers that were told and that the ledger does not know. */
export function lostOf(evidence: Evidence, entries: readonly Entry[]): Row["lost"] {
  const mine = new Set(entries.map(({ marker }) => marker));
  const lost = join(evidence).stories.filter(
    (story) => told(story) && story.charge === null && mine.has(story.client.marker),
  );
  const sum = (unit: "credit" | "tokens"): number =>
    Number(lost.filter((story) => story.unit === unit).reduce((so, story) => so + priceTold(story), 0n));
  return { answers: lost.length, credits: sum("credit") / 1e9, tokens: sum("tokens") };
}

/** Keys whose callers were told of more than had been paid in, whichever server they had been told by; and balances below zero. */
export function overspentOf(evidence: Evidence): string[] {
  const spent = new Map<string, bigint>();
  for (const story of join(evidence).stories.filter(told))
    spent.set(story.client.keyId, (spent.get(story.client.keyId) ?? 0n) + priceTold(story));
  return evidence.ledger.balances.flatMap(({ keyId, unit, purchased, budget }) => {
    const had = unit === "credit" ? purchased : budget;
    const used = spent.get(keyId) ?? 0n;
    return used > had ? [`${keyId}: answers worth ${used} were completed, but only ${had} had been funded`] : [];
  });
}

/** What the invariants say, without the answers that a mode may lose. */
export function judge(
  evidence: Evidence,
  { mayLose }: { mayLose: boolean },
): { violations: string[]; doubled: number } {
  const findings = examine(evidence);
  const hung = evidence.clients.filter((client) => client.hung).map(({ marker }) => `${marker}: hung`);
  const allowed = (violation: string): boolean => mayLose && /^I3 .*completed and not charged$/.test(violation);
  return {
    violations: [...violationsOf(findings), ...hung].filter((violation) => !allowed(violation)),
    doubled: findings.I4.violations.length,
  };
}

/** Seconds in which more requests were refused than answered: a single refusal long after an outage does not prolong it. */
export const outageSeconds = ({ seconds }: Pick<Row, "seconds">): number =>
  seconds.filter(({ second, answered, refused }) => second >= 0 && refused > answered).length;

/** From the last thing that was done or seen until all three servers stream again; null when they did not. */
export function backSeconds({ marks }: Pick<Row, "marks">): number | null {
  const [before, last] = marks.slice(-2);
  return before === undefined || last?.what !== ALL_STREAM ? null : last.second - before.second;
}

/** The mark with which a scenario ends well. */
export const ALL_STREAM = "all replicate";

export const holds = (row: Row): boolean => row.violations.length === 0;
