import type { RequestFacts } from "../core/request-facts.ts";
import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS } from "../core/series.ts";
import { addedCounts, countIn, emptyCounts } from "./histogram.ts";
import type { QueuedRecord } from "./record-queue.ts";
import { codeOf, timeOf } from "./record-row.ts";

/** The scope of everything. */
export const EVERYTHING = "00000000-0000-0000-0000-000000000000";

/** The steps in which series are kept, in minutes, the finest first. */
export const GRAINS = [5, 60, 1_440] as const;
export type Grain = (typeof GRAINS)[number];

/** A row of the table `series`, as JSON. */
export type SeriesRow = {
  scope: string;
  grain: Grain;
  /** Seconds since the epoch. */
  start: number;
  model: string;
  provider: string;
  code: string;
  requests: number;
  input: number;
  cached: number;
  output: number;
  credits: string;
  tokens: string;
  spoken: number;
  spoken_ms: number;
  ttft: number[] | null;
  overhead: number[] | null;
};

type Sum = Omit<SeriesRow, "scope" | "grain" | "start" | "credits" | "tokens"> & { credits: bigint; tokens: bigint };
type Group = { sum: Sum; scopes: ReadonlySet<string>; atSeconds: number };

const FINEST_SECONDS = GRAINS[0] * 60;

/** Adds requests up: first those of one key, model, provider, code and step, then these in every scope and grain. */
export function foldSeries(records: readonly QueuedRecord[]): SeriesRow[] {
  const groups = new Map<string, Group>();
  for (const { facts, times } of records) addTo(groupOf(groups, facts).sum, facts, times);
  const rows = new Map<string, { sum: Sum; scope: string; grain: Grain; start: number }>();
  for (const { sum, scopes, atSeconds } of groups.values()) {
    const kind = `${sum.model} ${sum.provider} ${sum.code}`;
    for (const scope of scopes) {
      for (const grain of GRAINS) {
        const start = atSeconds - (atSeconds % (grain * 60));
        const name = `${scope} ${grain} ${start} ${kind}`;
        const found = rows.get(name);
        if (found === undefined) rows.set(name, { sum: copyOf(sum), scope, grain, start });
        else merge(found.sum, sum);
      }
    }
  }
  return Array.from(rows.values(), ({ sum, scope, grain, start }) => ({
    ...sum,
    scope,
    grain,
    start,
    credits: String(sum.credits),
    tokens: String(sum.tokens),
  }));
}

function groupOf(groups: Map<string, Group>, facts: RequestFacts): Group {
  const atMs = timeOf(facts.requestId);
  const atSeconds = Math.floor(atMs / 1_000 / FINEST_SECONDS) * FINEST_SECONDS;
  const kind = { model: facts.model ?? "", provider: facts.attempts?.at(-1)?.provider ?? "", code: codeOf(facts) };
  // The accounts, too: a key may be moved.
  const name = `${facts.keyId} ${facts.accounts.at(-1)} ${atSeconds} ${kind.model} ${kind.provider} ${kind.code}`;
  const found = groups.get(name);
  if (found !== undefined) return found;
  const none = { requests: 0, input: 0, cached: 0, output: 0, credits: 0n, tokens: 0n, spoken: 0, spoken_ms: 0 };
  const group: Group = {
    sum: { ...kind, ...none, ttft: null, overhead: null },
    scopes: new Set([EVERYTHING, ...facts.accounts, ...(facts.keyId === null ? [] : [facts.keyId])]),
    atSeconds,
  };
  groups.set(name, group);
  return group;
}

const copyOf = (sum: Sum): Sum => ({
  ...sum,
  ttft: sum.ttft && [...sum.ttft],
  overhead: sum.overhead && [...sum.overhead],
});

function merge(into: Sum, other: Sum): void {
  into.requests += other.requests;
  into.input += other.input;
  into.cached += other.cached;
  into.output += other.output;
  into.credits += other.credits;
  into.tokens += other.tokens;
  into.spoken += other.spoken;
  into.spoken_ms += other.spoken_ms;
  into.ttft = addedCounts(into.ttft, other.ttft);
  into.overhead = addedCounts(into.overhead, other.overhead);
}

function addTo(sum: Sum, facts: RequestFacts, times: number): void {
  const { steps } = facts;
  sum.requests += times;
  sum.input += facts.inputTokens;
  sum.cached += facts.cachedTokens;
  sum.output += facts.outputTokens;
  sum.credits += facts.charged?.credits ?? 0n;
  sum.tokens += facts.charged?.tokens ?? 0n;
  if (facts.attempts === null) return;
  sum.overhead ??= emptyCounts(OVERHEAD_BOUNDS_MS);
  const overheadMs = Math.max(0, steps.closed - facts.providerUs) / 1_000;
  countIn(sum.overhead, OVERHEAD_BOUNDS_MS, { valueMs: overheadMs, times });
  if (!facts.streamed || steps.first_byte === null) return;
  sum.ttft ??= emptyCounts(TTFT_BOUNDS_MS);
  countIn(sum.ttft, TTFT_BOUNDS_MS, { valueMs: steps.first_byte / 1_000, times });
  if (facts.outcome !== "completed" || steps.last_byte === null) return;
  sum.spoken += facts.outputTokens;
  sum.spoken_ms += Math.round((steps.last_byte - steps.first_byte) / 1_000);
}
