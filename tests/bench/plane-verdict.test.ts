import { expect, test } from "vitest";
import { missedOf, type SeenPlane } from "./plane-verdict.ts";

const READ = { kind: "list", name: "keys", times: 40, p95: 299, failed: null };
const LOOKUP = { ...READ, kind: "lookup", name: "a request", p95: 49 };
const FINE: SeenPlane = {
  alone: [READ, LOOKUP],
  during: [READ, LOOKUP],
  throughput: 0.96,
  p99: 1.4,
  windows: [{ failures: 0 }],
};

test("a run that shows all that it must misses nothing", () => {
  expect(missedOf(FINE)).toEqual([]);
});

test.each<[what: string, seen: Partial<SeenPlane>]>([
  ["a read is slow", { alone: [{ ...READ, p95: 301 }] }],
  ["a read is slow beside generations only", { during: [{ ...READ, p95: 301 }] }],
  ["a request is looked up in more than 50 ms", { alone: [{ ...LOOKUP, p95: 51 }] }],
  ["a read failed, however fast", { during: [{ ...READ, failed: "404" }] }],
  ["a read was never made", { during: [{ ...READ, times: 0, p95: Number.NaN }] }],
  ["generations lose throughput", { throughput: 0.94 }],
  ["generations wait longer", { p99: 1.6 }],
  ["nothing was measured", { throughput: Number.NaN }],
  ["a generation failed", { windows: [{ failures: 1 }] }],
])("a run fails when %s", (_what, seen) => {
  expect(missedOf({ ...FINE, ...seen })).toHaveLength(1);
});
