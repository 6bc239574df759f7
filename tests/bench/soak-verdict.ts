import { spreadOf } from "./spread.ts";

/** What one minute showed. */
export type Minute = {
  minute: number;
  rate: number;
  p50Ms: number;
  p99Ms: number;
  residentMiB: number;
  promotedKb: number;
  allocatedKb: number;
  cpuMicros: number;
  databaseMicros: number;
  requests: number;
  failures: number;
  firstFailure: string;
  /** Why its latencies say little, or null. */
  disturbed: string | null;
};

type Series = {
  id: "rate" | "p99Ms" | "residentMiB" | "promotedKb";
  title: string;
  unit: string;
  bad: "falls" | "rises";
  /** How much of its median it may change in the bad direction from the beginning to the end. */
  most: number;
  /** Changes below this are nothing, whatever share of a small median they are. */
  least: number;
};

/** What must not drift. */
export const SERIES: readonly Series[] = [
  { id: "rate", title: "rate", unit: "requests per second", bad: "falls", most: 0.02, least: 0 },
  { id: "p99Ms", title: "p99", unit: "ms", bad: "rises", most: 0.25, least: 1 },
  { id: "residentMiB", title: "resident memory", unit: "MiB", bad: "rises", most: 0.1, least: 8 },
  { id: "promotedKb", title: "promoted", unit: "KB per request", bad: "rises", most: 0.25, least: 0.1 },
];

export type Drift = Pick<Series, "id" | "title" | "unit"> & {
  median: number;
  /** Per hour. */
  slope: number;
  /** Of the fitted line from the first to the last minute that counts, as a share of the median. */
  change: number;
  flat: boolean;
};

/** Heap and caches fill in the beginning: a tenth of the run, five minutes at most, is not part of the fit. */
export const settlingMinutes = (minutes: number): number => Math.min(5, Math.floor(minutes / 10));

/** The median of the slopes between all pairs of minutes, which a few minutes that were disturbed do not bend. */
export function slopeOf(points: readonly (readonly [number, number])[]): number {
  const slopes = points.flatMap(([x, y], index) =>
    points.slice(index + 1).map(([laterX, laterY]) => (laterY - y) / (laterX - x)),
  );
  return spreadOf(slopes)?.median ?? 0;
}

export function driftsOf(minutes: readonly Minute[]): Drift[] {
  const counted = minutes.slice(settlingMinutes(minutes.length));
  return SERIES.map(({ id, title, unit, bad, most, least }) => {
    const slope = slopeOf(counted.map((each) => [each.minute, each[id]]));
    const median = spreadOf(counted.map((each) => each[id]))?.median ?? 0;
    const total = slope * Math.max(0, counted.length - 1);
    const change = median === 0 ? 0 : total / median;
    const worse = bad === "rises" ? total : -total;
    const flat = worse <= Math.max(most * Math.abs(median), least);
    return { id, title, unit, median, slope: slope * 60, change, flat };
  });
}

/** Why the run is not one over which nothing changed; empty: it is. */
export function soakMisses(minutes: readonly Minute[]): string[] {
  const failures = minutes.reduce((sum, each) => sum + each.failures, 0);
  const first = minutes.find(({ firstFailure }) => firstFailure !== "")?.firstFailure ?? "";
  return [
    ...(minutes.length < 3 ? [`${minutes.length} minutes are too few for a slope`] : []),
    ...(failures === 0 ? [] : [`${failures} requests failed, the first with ${first}`]),
    ...driftsOf(minutes)
      .filter(({ flat }) => !flat)
      .map(({ title, change }) => `${title} changes by ${(change * 100).toFixed(1)} % over the run`),
  ];
}
