import type { Clock } from "../core/clock.ts";
import {
  OVERHEAD_BOUNDS_MS,
  TTFT_BOUNDS_MS,
  type AskedSeries,
  type ReadSeries,
  type SeriesCounts,
  type SeriesGroup,
  type SeriesPart,
  type SeriesSum,
} from "../core/request/series.ts";
import { GRAINS } from "./request-groups.ts";
import { addedCounts, quantileOf } from "./histogram.ts";

type CountsRow = Record<"requests" | "credits" | "tokens" | "input" | "cached" | "output", bigint>;
type WholeRow = CountsRow & {
  code: string;
  spoken: bigint;
  spokenMs: bigint;
  ttft: number[] | null;
  overhead: number[] | null;
};
export type PointRow = WholeRow & { start: Date };
export type GroupRow = WholeRow & { id: string };

/** A part of the time, in steps of one length. */
type Piece = Pick<AskedSeries, "fromMs" | "toMs"> & { stepMinutes: number };
type Scope = Required<Pick<AskedSeries, "of" | "only">>;
export type ReadRange = Piece & Scope;
/** The same time in as few steps as it has. */
export type WholeRange = Scope & { pieces: readonly Piece[] };
type Named = "account" | "key";

export type SeriesStore = {
  points: (range: ReadRange) => Promise<PointRow[]>;
  /** Whose series groups are made of, where they have their own. */
  members: (of: AskedSeries["of"], by: Named) => Promise<string[]>;
  /** The first groups, dearest first. */
  rank: (range: WholeRange, groups: { by: SeriesGroup; top: number }) => Promise<string[]>;
  /** What they come to, in any number of rows for each. */
  groups: (range: WholeRange, groups: { by: SeriesGroup; ids: readonly string[] }) => Promise<GroupRow[]>;
  /** In no order. */
  groupPoints: (
    range: ReadRange,
    groups: { by: SeriesGroup; ids: readonly string[] },
  ) => Promise<(CountsRow & { id: string; start: Date })[]>;
  names: (by: Named, ids: readonly string[]) => Promise<ReadonlyMap<string, string | null>>;
};

const [FINE, HOUR, DAY] = GRAINS;
const MINUTE_MS = 60_000;
/** Steps of five minutes are kept for eight days. */
const FINE_KEPT_MS = 8 * DAY * MINUTE_MS;
const LONGEST_FINE_MS = 36 * HOUR * MINUTE_MS;
const LONGEST_HOURLY_MS = 16 * DAY * MINUTE_MS;

/** PostgreSQL does not read later years as they are written here, and the end of the last step may be in one. */
const LAST_MS = Date.UTC(9999, 11, 31);

const OF_ALL = { model: null, provider: null };

type Parts = { store: SeriesStore; clock: Pick<Clock, "nowMs"> };

/** Sums of requests over time, from what was added up when they ended. */
export const createReadSeries =
  ({ store, clock }: Parts): ReadSeries =>
  async ({ of, only = OF_ALL, by, top, ...asked }) => {
    const stepMinutes = asked.stepMinutes ?? stepFor(asked, clock.nowMs());
    const stepMs = stepMinutes * MINUTE_MS;
    const fromMs = Math.floor(asked.fromMs / stepMs) * stepMs;
    const toMs = Math.min(Math.ceil(asked.toMs / stepMs) * stepMs, LAST_MS);
    const range: ReadRange = { of, only, fromMs, toMs, stepMinutes };
    const pieces = fromMs >= clock.nowMs() - FINE_KEPT_MS || stepMinutes !== FINE ? inLongestSteps(range) : [range];
    const rows = await store.points(range);
    const total = sumOf(rows);
    const points = Array.from(
      Map.groupBy(rows, ({ start }) => start.getTime()),
      ([atMs, some]) => ({
        atMs,
        ...sumOf(some),
      }),
    );
    const groups = by === null || rows.length === 0 ? [] : await groupsOf(store, { range, pieces, by, top, rows });
    return { fromMs, toMs, stepMinutes, by, total, points, groups };
  };

function stepFor({ fromMs, toMs }: Pick<AskedSeries, "fromMs" | "toMs">, nowMs: number): number {
  if (toMs - fromMs <= LONGEST_FINE_MS && fromMs >= nowMs - FINE_KEPT_MS) return FINE;
  return toMs - fromMs <= LONGEST_HOURLY_MS ? HOUR : DAY;
}

type Divided = { range: ReadRange; pieces: readonly Piece[]; by: SeriesGroup; top: number; rows: readonly PointRow[] };

async function groupsOf(store: SeriesStore, { range, pieces, by, top, rows }: Divided): Promise<SeriesPart[]> {
  const { only } = range;
  const named = by === "account" || by === "key" ? by : null;
  const among = named === null ? range.of : await store.members(range.of, named);
  if (among?.length === 0) return [];
  const ranked = await store.rank({ of: among, only, pieces }, { by, top });
  const of = named === null ? among : ranked;
  const [sums, points, names] = await Promise.all([
    store.groups({ of, only, pieces }, { by, ids: ranked }),
    store.groupPoints({ ...range, of }, { by, ids: ranked }),
    named === null ? new Map<string, string | null>() : store.names(named, ranked),
  ]);
  const bySum = Map.groupBy(sums, ({ id }) => id);
  const byPoint = Map.groupBy(points, ({ id }) => id);
  const first = ranked.flatMap((id): SeriesPart[] => {
    const [sum, at] = [bySum.get(id), byPoint.get(id)];
    if (sum === undefined || at === undefined) return [];
    const shown = at
      .map(({ start, ...row }) => ({ atMs: start.getTime(), ...countsOf(row) }))
      .toSorted((one, other) => one.atMs - other.atMs);
    return [{ id, name: names.get(id) ?? null, total: sumOf(sum), points: shown }];
  });
  const rest = restOf(rows, { sums, points });
  return rest === null ? first : [...first, rest];
}

/** The same time in the longest steps that fit: days, with hours or less before the first and after the last. */
function inLongestSteps(piece: Piece): Piece[] {
  const { fromMs, toMs, stepMinutes } = piece;
  const longer = GRAINS.find((grain) => grain > stepMinutes);
  if (longer === undefined) return [piece];
  const longerMs = longer * MINUTE_MS;
  const [firstMs, lastMs] = [Math.ceil(fromMs / longerMs) * longerMs, Math.floor(toMs / longerMs) * longerMs];
  if (firstMs >= lastMs) return [piece];
  const around = [
    { fromMs, toMs: firstMs, stepMinutes },
    { fromMs: lastMs, toMs, stepMinutes },
  ];
  return [
    ...inLongestSteps({ fromMs: firstMs, toMs: lastMs, stepMinutes: longer }),
    ...around.filter((part) => part.fromMs < part.toMs),
  ];
}

/** What is not among the first: everything without them. A key that was moved counts all that it did, wherever it was. */
function restOf(
  rows: readonly PointRow[],
  { sums, points }: { sums: readonly GroupRow[]; points: readonly (CountsRow & { start: Date })[] },
): SeriesPart | null {
  const total = sumOf([...rows, ...sums.map(negated)]);
  if (total.requests <= 0) return null;
  const counts = [...rows, ...points.map(negatedCounts)];
  const shown = Array.from(
    Map.groupBy(counts, ({ start }) => start.getTime()),
    ([atMs, some]) => ({
      atMs,
      ...countsIn(some),
    }),
  );
  return { id: null, name: null, total, points: shown.filter(({ requests }) => requests > 0) };
}

const COUNTS = ["requests", "credits", "tokens", "input", "cached", "output"] as const;

const negatedCounts = <Row extends CountsRow>(row: Row): Row => ({
  ...row,
  ...Object.fromEntries(COUNTS.map((name) => [name, -row[name]])),
});

const negated = <Row extends WholeRow>(row: Row): Row => ({
  ...negatedCounts(row),
  spoken: -row.spoken,
  spokenMs: -row.spokenMs,
  ttft: row.ttft && row.ttft.map((count) => -count),
  overhead: row.overhead && row.overhead.map((count) => -count),
});

const countsOf = (row: CountsRow): SeriesCounts => ({
  requests: Number(row.requests),
  credits: row.credits,
  tokens: row.tokens,
  inputTokens: Number(row.input),
  cachedTokens: Number(row.cached),
  outputTokens: Number(row.output),
});

const countsIn = (rows: readonly CountsRow[]): SeriesCounts =>
  countsOf(
    Object.fromEntries(COUNTS.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0n)])) as CountsRow,
  );

/** Whatever stands in them, added up. */
function sumOf(rows: readonly WholeRow[]): SeriesSum {
  const codes = new Map<string, bigint>();
  let [spoken, spokenMs] = [0n, 0n];
  let ttft: number[] | null = null;
  let overhead: number[] | null = null;
  for (const row of rows) {
    codes.set(row.code, (codes.get(row.code) ?? 0n) + row.requests);
    spoken += row.spoken;
    spokenMs += row.spokenMs;
    ttft = addedCounts(ttft, row.ttft);
    overhead = addedCounts(overhead, row.overhead);
  }
  return {
    ...countsIn(rows),
    codes: Object.fromEntries(
      [...codes].filter(([, count]) => count > 0n).map(([code, count]) => [code, Number(count)]),
    ),
    ttft: histogramOf(ttft, TTFT_BOUNDS_MS),
    overhead: histogramOf(overhead, OVERHEAD_BOUNDS_MS),
    outputPerSecond:
      spokenMs > 0n && spoken > 0n ? Math.round((Number(spoken) / Number(spokenMs)) * 10_000) / 10 : null,
  };
}

function histogramOf(counted: readonly number[] | null, bounds: readonly number[]): SeriesSum["ttft"] {
  const counts = counted?.map((count) => Math.max(0, count)) ?? [];
  if (!counts.some((count) => count > 0)) return null;
  const at = (share: number): number => quantileOf(counts, bounds, share);
  return { counts, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
