import { formatCredits } from "../../src/core/money/money.ts";
import { laneName } from "./attempt.ts";
import { KNOWN } from "./known.ts";
import type { Result } from "./run.ts";

/** One line of the report, in figures alone: what the table, the page and the JSON are made of. */
export type Row = {
  class: "price" | "smuggle" | "lockout";
  name: string;
  tries: string;
  held: boolean;
  why: string;
  /** Why it is expected to succeed still; empty when it is not. */
  known: string;
  tokens: number;
  /** Credits. */
  price: string;
  charged: string;
  gain: string;
  /** Of the lane that gained most. */
  gainPercent: number;
  /** Lanes that gained more than is allowed and are bounded by a cap. */
  cap: { setting: string; because: string } | null;
  failing: string[];
  requests: number;
  refused: number;
  did: string;
  neighbour: { p50Ms: number; p99Ms: number; maxMs: number; refused: number; quietP50Ms: number; quietP99Ms: number };
  stretchMs: number;
  tookMs: number;
  /** How often it was run until it held, or given up. */
  runs: number;
};

export function rowOf(result: Result, quiet: { p50Ms: number; p99Ms: number }): Row {
  const { attempt, lanes, smuggled, lockout, neighbour } = result;
  const sum = (pick: (lane: (typeof lanes)[number]) => bigint): bigint =>
    lanes.reduce((total, lane) => total + pick(lane), 0n);
  const price = sum((lane) => lane.price);
  const charged = sum((lane) => lane.charged);
  const capped = attempt.kind === "price" && lanes.some(({ held, why }) => held && why.startsWith("capped"));
  const before = lockout?.before ?? quiet;
  return {
    class: attempt.kind,
    name: attempt.name,
    tries: attempt.tries,
    held: result.held,
    why: result.why,
    known: KNOWN.get(attempt.name) ?? "",
    tokens: lanes.reduce((total, lane) => total + lane.tokens, 0),
    price: formatCredits(price),
    charged: formatCredits(charged),
    gain: formatCredits(sum((lane) => (lane.gain > 0n ? lane.gain : 0n))),
    gainPercent: Math.max(0, ...lanes.map(({ percent }) => percent)),
    cap: capped && attempt.cap !== undefined ? attempt.cap : null,
    failing: [
      ...lanes.filter(({ held }) => !held).map(({ lane, why }) => `${laneName(lane)}: ${why}`),
      ...(smuggled?.reached ?? []),
      ...(lockout !== null && !lockout.held ? [lockout.why] : []),
      ...result.felt,
    ],
    requests: smuggled?.probes ?? 0,
    refused: smuggled?.refused ?? 0,
    did: lockout?.did ?? "",
    neighbour: {
      p50Ms: neighbour.p50Ms,
      p99Ms: neighbour.p99Ms,
      maxMs: neighbour.maxMs,
      refused: neighbour.refused,
      quietP50Ms: before.p50Ms,
      quietP99Ms: before.p99Ms,
    },
    stretchMs: result.stretchMs,
    tookMs: result.tookMs,
    runs: result.runs,
  };
}
