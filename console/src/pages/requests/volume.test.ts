import { expect, test } from "vitest";
import { seriesQuery, volumeOf } from "./volume.ts";

const HOUR_MS = 3_600_000;
const FROM_MS = Date.UTC(2026, 10, 16, 10);
const range = { name: "", fromMs: FROM_MS, toMs: FROM_MS + 24 * HOUR_MS, stepMs: HOUR_MS / 2 };
const span = { from: new Date(range.fromMs).toISOString(), to: new Date(range.toMs).toISOString() };

const answer = {
  points: [
    { at: new Date(FROM_MS).toISOString(), codes: { ok: 7, rate_limit_exceeded: 2 } },
    { at: new Date(FROM_MS + 2 * HOUR_MS).toISOString(), codes: { ok: 1, client_gone: 4 } },
  ],
  groups: [
    { id: "acme-large", points: [{ at: new Date(FROM_MS + HOUR_MS).toISOString(), requests: 5 }] },
    { id: null, points: [] },
  ],
} as unknown as Parameters<typeof volumeOf>[0];

test("each code has its requests in the bucket where they ended", () => {
  const volume = volumeOf(answer, span, range);

  expect(volume?.series.map(({ id, values }) => [id, values.slice(0, 3)])).toEqual([
    ["ok", [7n, 0n, 1n]],
    ["client_gone", [0n, 0n, 4n]],
    ["rate_limit_exceeded", [2n, 0n, 0n]],
  ]);
  expect(volume?.buckets.startsMs).toHaveLength(24);
});

test("errors are all codes but delivered and disconnected", () => {
  const series = volumeOf(answer, { ...span, outcome: "error" }, range)?.series;
  expect(series?.map(({ id }) => id)).toEqual(["rate_limit_exceeded"]);
});

test("one model has the sums of its group; one that is only among the others has none", () => {
  const series = volumeOf(answer, { ...span, model: "acme-large" }, range)?.series;
  expect(series?.[0]?.values.slice(0, 3)).toEqual([0n, 5n, 0n]);
  expect(volumeOf(answer, { ...span, model: "acme-tiny" }, range)).toBe(null);
});

test("sums are asked for only where they answer for the whole filter", () => {
  expect(seriesQuery({ ...span, key: "tgc_1" }, range)).toEqual({ ...span, key: "tgc_1", step: "1h" });
  expect(seriesQuery({ ...span, model: "acme-large" }, range)).toMatchObject({ by: "model" });
  expect(seriesQuery({ ...span, model: "acme-large", outcome: "error" }, range)).toBe(null);
  expect(seriesQuery({ ...span, status: 429 }, range)).toBe(null);
  expect(seriesQuery({ ...span, key: "tgc_1", account: "Acme" }, range)).toBe(null);
});
