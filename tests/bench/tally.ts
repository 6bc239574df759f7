import { createHistogram, type Histogram } from "./histogram.ts";
import type { LoadJob, LoadResult, Percentiles } from "./load-job.ts";
import { coreBusyMicros, cpuMicrosOf } from "./process-usage.ts";

/** Everything counted between `begin` and `finish`; what happens before or after is not. */
export type Tally = {
  begin: () => void;
  finish: () => LoadResult;
  request: (problem: string | null) => void;
  events: (count: number) => void;
  read: () => void;
  latency: Histogram;
  firstByte: Histogram;
  lateness: Histogram;
};

export function createTally(watch: LoadJob["watch"]): Tally {
  const histograms = { latency: createHistogram(), firstByte: createHistogram(), lateness: createHistogram() };
  let counts = { requests: 0, failures: 0, events: 0, reads: 0 };
  let firstFailure: string | null = null;
  let begunMs = 0;
  let before = cpuSample(watch);

  return {
    ...histograms,
    begin: () => {
      counts = { requests: 0, failures: 0, events: 0, reads: 0 };
      before = cpuSample(watch);
      begunMs = performance.now();
    },
    finish: () => {
      const durationMs = performance.now() - begunMs;
      const after = cpuSample(watch);
      return {
        ...counts,
        firstFailure,
        durationMs,
        latencyMicros: percentilesOf(histograms.latency),
        firstByteMicros: percentilesOf(histograms.firstByte),
        latenessMicros: percentilesOf(histograms.lateness),
        cpuMicros: {
          proxy: after.proxy - before.proxy,
          provider: after.provider - before.provider,
          database: after.database - before.database,
          generator: after.generator - before.generator,
          proxyCore: after.proxyCore - before.proxyCore,
          loadCore: after.loadCore - before.loadCore,
        },
      };
    },
    request: (problem) => {
      counts.requests += 1;
      if (problem === null) return;
      counts.failures += 1;
      firstFailure ??= problem;
    },
    events: (count) => {
      counts.events += count;
    },
    read: () => {
      counts.reads += 1;
    },
  };
}

function cpuSample({ proxyPid, providerPid, databasePid, cores }: LoadJob["watch"]): LoadResult["cpuMicros"] {
  const own = process.cpuUsage();
  return {
    proxy: proxyPid === null ? 0 : cpuMicrosOf(proxyPid),
    provider: cpuMicrosOf(providerPid),
    database: databasePid === null ? 0 : cpuMicrosOf(databasePid),
    generator: own.user + own.system,
    proxyCore: cores === null ? 0 : coreBusyMicros(cores.proxy),
    loadCore: cores === null ? 0 : coreBusyMicros(cores.load),
  };
}

function percentilesOf(histogram: Histogram): Percentiles {
  return { p50: histogram.percentile(0.5), p99: histogram.percentile(0.99) };
}
