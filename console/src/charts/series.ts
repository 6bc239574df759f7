import type { Unit } from "../format/unit.ts";
import { showBucket } from "../format/time.ts";
import type { TwinTable } from "./plot/twin-table.ts";

/** Spans of equal length, oldest first. */
export type Buckets = { startsMs: readonly number[]; stepMs: number };

/** One value per bucket. `rest`: the sum of what was too small to be shown alone. */
export type Series = { id: string; name: string; values: readonly bigint[]; rest?: boolean };

export const MOST_SERIES = 8;

/** The colour of a series by its place, or the one of the rest. */
export const colourOf = ({ rest }: Pick<Series, "rest">, place: number): string =>
  rest === true ? "var(--series-other)" : `var(--series-${(place % MOST_SERIES) + 1})`;

export const sumOf = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);

/** The largest series, and all others summed: a chart of forty colours answers nothing. What is summed already stays last. */
export function largestSeries(all: readonly Series[], most = MOST_SERIES): Series[] {
  const sorted = all.toSorted(
    (one, other) =>
      Number(one.rest === true) - Number(other.rest === true) || compare(sumOf(other.values), sumOf(one.values)),
  );
  if (sorted.length <= most) return sorted;
  const others = sorted.slice(most - 1);
  const values = (others[0]?.values ?? []).map((_value, index) => sumOf(others.map((one) => one.values[index] ?? 0n)));
  return [...sorted.slice(0, most - 1), { id: "other", name: `${others.length} others`, values, rest: true }];
}

export const compare = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0);

/** For each bucket, where each series begins and ends when they stand on each other. */
export function stackOf(series: readonly Series[], buckets: number): { from: bigint; to: bigint }[][] {
  return Array.from({ length: buckets }, (_bucket, index) => {
    let top = 0n;
    return series.map(({ values }) => {
      const from = top;
      top += values[index] ?? 0n;
      return { from, to: top };
    });
  });
}

/** The same data as a table: a row per bucket, a column per series, and their sum. */
export function seriesTable({ startsMs, stepMs }: Buckets, series: readonly Series[], unit: Unit): TwinTable {
  const cell = (value: bigint) => ({ show: unit.show(value), plain: unit.plain(value) });
  return {
    heads: ["From", ...series.map(({ name }) => name), "Total"],
    rows: startsMs.map((at, index) => {
      const values = series.map((one) => one.values[index] ?? 0n);
      const from = { show: showBucket(at, stepMs), plain: new Date(at).toISOString() };
      return [from, ...values.map(cell), cell(sumOf(values))];
    }),
  };
}
