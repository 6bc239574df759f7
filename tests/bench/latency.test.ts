import { expect, test } from "vitest";
import { createHistogram } from "./histogram.ts";
import { latencySheet, type LatencySlice } from "./latency.ts";
import type { Percentiles } from "./load-job.ts";
import { cellIn } from "./sheet.ts";
import { NO_TIME } from "./process-usage.ts";

function percentiles(values: readonly number[]): Percentiles {
  const histogram = createHistogram();
  for (const value of values) histogram.record(value);
  return { p50: histogram.percentile(0.5), p99: histogram.percentile(0.99), buckets: histogram.buckets() };
}

function slice(subject: string, round: number, values: readonly number[], othersOnProxyCore = 0): LatencySlice {
  const micros = percentiles(values);
  const none = percentiles([]);
  return {
    subject,
    round,
    micros,
    slice: {
      result: {
        requests: values.length,
        failures: 0,
        firstFailure: "",
        events: 0,
        reads: 0,
        inTime: values.length,
        eventsInTime: 0,
        durationMs: 1000,
        elapsedMs: 1000,
        opened: 0,
        refused: 0,
        openedMs: 0,
        latencyMicros: micros,
        firstByteMicros: none,
        latenessMicros: none,
      },
      used: { subject: NO_TIME, databaseMicros: 0, loadMicros: 0, proxyCoreMicros: 0, loadCoreMicros: 0 },
      shares: { subject: 0, database: 0, load: 0, othersOnProxyCore, othersOnLoadCore: 0 },
      garbage: null,
    },
  };
}

const times = (count: number, value: number): number[] => Array<number>(count).fill(value);
const sheetOfSlices = (slices: LatencySlice[]) =>
  latencySheet({ id: "half", title: "", slices, order: ["direct", "bare", "tollgate"] });

test("percentiles are those of all requests, and not means of slices", () => {
  const sheet = sheetOfSlices([
    slice("direct", 1, times(100, 50)),
    slice("direct", 2, times(100, 50)),
    // All slow requests are in one slice: they are one in a hundred of all.
    slice("tollgate", 1, times(198, 100)),
    slice("tollgate", 2, [...times(99, 100), ...times(3, 60_000)]),
  ]);

  const p99 = cellIn(sheet, "tollgate", "p99");
  expect(p99?.whole).toBe(0.1);
  expect(p99?.value?.q3).toBeGreaterThan(40);
  expect(cellIn(sheet, "tollgate", "addedP50")?.whole).toBeCloseTo(0.05);
  expect(cellIn(sheet, "direct", "addedP50")).toMatchObject({ whole: null, value: null });
});

test("a slice that was disturbed is in no percentile, whether it is the gateway's or the provider's", () => {
  const sheet = sheetOfSlices([
    slice("direct", 1, times(100, 50)),
    slice("direct", 2, times(100, 5_000), 0.5),
    slice("tollgate", 1, times(100, 9_000), 0.5),
    slice("tollgate", 2, times(100, 120)),
  ]);

  expect(cellIn(sheet, "tollgate", "p50")?.whole).toBe(0.12);
  expect(cellIn(sheet, "tollgate", "addedP50")?.whole).toBeCloseTo(0.07);
  expect(sheet.rows.find(({ subject }) => subject === "tollgate")).toMatchObject({ valid: 1, total: 2 });
});
