/** Upper bounds in milliseconds; one bucket more holds what is above the last. Stored counts follow these: add none between. */
export const TTFT_BOUNDS_MS = [
  50, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000,
] as const;
export const OVERHEAD_BOUNDS_MS = [0.5, 1, 2, 3, 5, 7.5, 10, 15, 25, 50, 100, 250, 1_000] as const;

/** What series can be divided by. `account`: the accounts next below, each with all that is below it. */
export const SERIES_GROUPS = ["model", "provider", "code", "account", "key"] as const;
export type SeriesGroup = (typeof SERIES_GROUPS)[number];

/** How many took how long; one count for each bound of the histogram, and one for what is above the last. Times in milliseconds. */
export type SeriesHistogram = { counts: readonly number[]; p50: number; p95: number; p99: number };

/** Sums of requests that ended alike or in one step. */
export type SeriesCounts = {
  requests: number;
  credits: bigint;
  tokens: bigint;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
};

export type SeriesSum = SeriesCounts & {
  /** Requests by the code that they ended with: `ok`, an error code, `client_gone`. */
  codes: Readonly<Record<string, number>>;
  /** Time to the first byte of streams; null: there were none. */
  ttft: SeriesHistogram | null;
  /** Time in the gateway itself, of requests that a provider was asked for; null: there were none. */
  overhead: SeriesHistogram | null;
  /** Tokens per second of completed streams, from first to last byte; null: there were none. */
  outputPerSecond: number | null;
};

export type SeriesPart = {
  /** What it is of: a word or an id; null: all that are not among the first. */
  id: string | null;
  /** Of an account or a key, what it is called; null: it has no name, or is gone. */
  name: string | null;
  total: SeriesSum;
  points: readonly (SeriesCounts & { atMs: number })[];
};

/** Steps begin at `atMs`, the oldest first; those without requests are left out. */
export type Series = {
  fromMs: number;
  /** Before this. */
  toMs: number;
  stepMinutes: number;
  by: SeriesGroup | null;
  total: SeriesSum;
  points: readonly (SeriesSum & { atMs: number })[];
  /** Dearest first; what is left is the last. */
  groups: readonly SeriesPart[];
};

/** Null: of all. The provider is the one that was asked last. */
export type SeriesFilter = { model: string | null; provider: string | null };

export type AskedSeries = {
  /** Ids of accounts or keys, none below another; null: everything. */
  of: readonly string[] | null;
  /** Absent: of all models and providers. */
  only?: SeriesFilter;
  fromMs: number;
  toMs: number;
  /** Null: as fits the range. */
  stepMinutes: number | null;
  by: SeriesGroup | null;
  /** How many groups are told apart. */
  top: number;
};

export type ReadSeries = (asked: AskedSeries) => Promise<Series>;
