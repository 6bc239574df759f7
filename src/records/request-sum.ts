import type { RequestFacts } from "../core/request/request-facts.ts";
import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS } from "../core/request/series.ts";
import { countIn, emptyCounts } from "./histogram.ts";

/** What requests come to. */
export type RequestSum = {
  requests: number;
  input: number;
  cached: number;
  output: number;
  credits: bigint;
  tokens: bigint;
  spoken: number;
  spokenMs: number;
  ttft: number[] | null;
  overhead: number[] | null;
};

export const emptySum = (): RequestSum => ({
  requests: 0,
  input: 0,
  cached: 0,
  output: 0,
  credits: 0n,
  tokens: 0n,
  spoken: 0,
  spokenMs: 0,
  ttft: null,
  overhead: null,
});

export function addRequest(sum: RequestSum, facts: RequestFacts, times: number): void {
  const { steps, charged } = facts;
  sum.requests += times;
  sum.input += facts.inputTokens;
  sum.cached += facts.cachedTokens;
  sum.output += facts.outputTokens;
  if (charged !== null) {
    sum.credits += charged.credits ?? 0n;
    sum.tokens += charged.tokens ?? 0n;
  }
  if (facts.attempts === null) return;
  sum.overhead ??= emptyCounts(OVERHEAD_BOUNDS_MS);
  const overheadMs = Math.max(0, steps.closed - facts.providerUs) / 1_000;
  countIn(sum.overhead, OVERHEAD_BOUNDS_MS, { valueMs: overheadMs, times });
  if (!facts.streamed || steps.first_byte === null) return;
  sum.ttft ??= emptyCounts(TTFT_BOUNDS_MS);
  countIn(sum.ttft, TTFT_BOUNDS_MS, { valueMs: steps.first_byte / 1_000, times });
  if (facts.outcome !== "completed" || steps.last_byte === null) return;
  sum.spoken += facts.outputTokens;
  sum.spokenMs += Math.round((steps.last_byte - steps.first_byte) / 1_000);
}

export function addSum(into: RequestSum, other: RequestSum): void {
  into.requests += other.requests;
  into.input += other.input;
  into.cached += other.cached;
  into.output += other.output;
  into.credits += other.credits;
  into.tokens += other.tokens;
  into.spoken += other.spoken;
  into.spokenMs += other.spokenMs;
  if (other.ttft !== null) addCounts((into.ttft ??= emptyCounts(TTFT_BOUNDS_MS)), other.ttft);
  if (other.overhead !== null) addCounts((into.overhead ??= emptyCounts(OVERHEAD_BOUNDS_MS)), other.overhead);
}

function addCounts(into: number[], other: readonly number[]): void {
  for (let place = 0; place < other.length; place++) into[place] = (into[place] ?? 0) + (other[place] ?? 0);
}
