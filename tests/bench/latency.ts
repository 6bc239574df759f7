import { createHistogram } from "./histogram.ts";
import type { Percentiles } from "./load-job.ts";
import { type Column, type Measured, sheetOf, type Sheet } from "./sheet.ts";
import type { Slice } from "./slice.ts";
import { BARE, DIRECT } from "./subject.ts";
import { whyDisturbed } from "./validity.ts";

/** A slice in which requests left on a schedule, and the latencies that are the point of it. */
export type LatencySlice = { subject: string; round: number; slice: Slice; micros: Percentiles };

const lower = { better: "lower", compared: "no" } as const;
const COLUMNS: Column[] = [
  { id: "rate", title: "requests", unit: "1/s", better: "higher", compared: "no" },
  { id: "p50", title: "p50", unit: "ms", ...lower },
  { id: "addedP50", title: "added to direct, p50", unit: "ms", ...lower },
  { id: "overBareP50", title: "added to bare, p50", unit: "ms", ...lower },
  { id: "p99", title: "p99", unit: "ms", ...lower },
  { id: "addedP99", title: "added to direct, p99", unit: "ms", ...lower },
  { id: "overBareP99", title: "added to bare, p99", unit: "ms", ...lower },
  { id: "cpu", title: "processor time", unit: "µs", better: "lower", compared: "yes" },
  { id: "core", title: "of its core", unit: "%", ...lower },
  { id: "database", title: "PostgreSQL", unit: "µs", ...lower },
];

export type LatencyInput = { id: string; title: string; slices: readonly LatencySlice[]; order: readonly string[] };

/**
 * Percentiles are those of all requests of the slices that count; quartiles are between slices. What a gateway adds is its
 * percentile minus that of the provider without a gateway, or behind the bare proxy, in the same rounds.
 */
export function latencySheet({ id, title, slices, order }: LatencyInput): Sheet {
  const find = (subject: string, round: number): LatencySlice | undefined =>
    slices.find((slice) => slice.subject === subject && slice.round === round);
  const measured = order.flatMap((subject) =>
    slices
      .filter((slice) => slice.subject === subject)
      .map((own) => measuredOf(own, { direct: find(DIRECT, own.round)?.micros, bare: find(BARE, own.round)?.micros })),
  );
  return sheetOf({
    id,
    title,
    columns: COLUMNS,
    slices: measured,
    wholeOf: (subject) => {
      const own = together(counting(slices, subject));
      const [direct, bare] = [DIRECT, BARE].map((base) => together(counting(slices, base)));
      return own === undefined ? {} : latenciesOf(subject, own, { direct, bare });
    },
  });
}

const whyNot = ({ slice: { result, shares } }: LatencySlice): string | null =>
  whyDisturbed(result, shares, result.latenessMicros.p50);

/** As in a sheet: the slices that count, or all when none does. */
function counting(slices: readonly LatencySlice[], subject: string): readonly LatencySlice[] {
  const all = slices.filter((slice) => slice.subject === subject);
  const valid = all.filter((slice) => whyNot(slice) === null);
  return valid.length > 0 ? valid : all;
}

type Bases = { direct: Percentiles | undefined; bare: Percentiles | undefined };

function latenciesOf(subject: string, own: Percentiles, { direct, bare }: Bases): Record<string, number | null> {
  const over = (base: Percentiles | undefined, percentile: "p50" | "p99"): number | null =>
    base === undefined ? null : (own[percentile] - base[percentile]) / 1000;
  const overDirect = subject === DIRECT ? undefined : direct;
  const overBare = subject === DIRECT || subject === BARE ? undefined : bare;
  return {
    p50: own.p50 / 1000,
    p99: own.p99 / 1000,
    addedP50: over(overDirect, "p50"),
    addedP99: over(overDirect, "p99"),
    overBareP50: over(overBare, "p50"),
    overBareP99: over(overBare, "p99"),
  };
}

function measuredOf(own: LatencySlice, bases: Bases): Measured {
  const { subject, round, slice, micros } = own;
  const { result, used, shares } = slice;
  const cpuMicros = used.subject.mainMicros + used.subject.otherMicros;
  return {
    subject,
    round,
    values: {
      ...latenciesOf(subject, micros, bases),
      rate: (result.requests / result.durationMs) * 1000,
      cpu: cpuMicros === 0 ? null : cpuMicros / result.requests,
      core: cpuMicros === 0 ? null : shares.subject * 100,
      database: used.databaseMicros === 0 ? null : used.databaseMicros / result.requests,
    },
    invalid: whyNot(own),
  };
}

function together(slices: readonly LatencySlice[]): Percentiles | undefined {
  if (slices.length === 0) return undefined;
  const all = createHistogram();
  for (const { micros } of slices) all.add(micros.buckets);
  return { p50: all.percentile(0.5), p99: all.percentile(0.99), buckets: all.buckets() };
}
