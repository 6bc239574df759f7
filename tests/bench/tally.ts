import { createHistogram, type Histogram } from "./histogram.ts";
import type { LoadResult, Percentiles } from "./load-job.ts";

/** Everything counted between `begin` and `finish`. */
export type Tally = {
  begin: (durationMs: number) => void;
  finish: () => LoadResult;
  /** Whether the time is up. */
  over: () => boolean;
  request: (problem: string | null) => void;
  events: (count: number) => void;
  read: () => void;
  opened: () => void;
  latency: Histogram;
  firstByte: Histogram;
  lateness: Histogram;
};

export function createTally(): Tally {
  const histograms = { latency: createHistogram(), firstByte: createHistogram(), lateness: createHistogram() };
  const counts = { requests: 0, failures: 0, events: 0, reads: 0, inTime: 0, eventsInTime: 0, opened: 0, refused: 0 };
  let firstFailure = "";
  let begunMs = 0;
  let durationMs = 0;
  let openedMs = 0;
  const elapsedMs = (): number => performance.now() - begunMs;
  const over = (): boolean => elapsedMs() > durationMs;

  return {
    ...histograms,
    over,
    begin: (wantedMs) => {
      durationMs = wantedMs;
      begunMs = performance.now();
    },
    finish: () => ({
      ...counts,
      firstFailure,
      durationMs,
      elapsedMs: elapsedMs(),
      openedMs,
      latencyMicros: percentilesOf(histograms.latency),
      firstByteMicros: percentilesOf(histograms.firstByte),
      latenessMicros: percentilesOf(histograms.lateness),
    }),
    request: (problem) => {
      counts.requests += 1;
      if (!over()) counts.inTime += 1;
      if (problem === null) return;
      counts.failures += 1;
      counts.refused += 1;
      if (firstFailure === "") firstFailure = problem;
    },
    events: (count) => {
      counts.events += count;
      if (!over()) counts.eventsInTime += count;
    },
    read: () => {
      counts.reads += 1;
    },
    opened: () => {
      counts.opened += 1;
      openedMs = elapsedMs();
    },
  };
}

function percentilesOf(histogram: Histogram): Percentiles {
  return { p50: histogram.percentile(0.5), p99: histogram.percentile(0.99), buckets: histogram.buckets() };
}
