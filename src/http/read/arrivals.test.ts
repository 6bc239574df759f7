import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadConfig } from "../../config/load-config.ts";
import type { Fault } from "../../core/fault.ts";
import { createArrivals } from "./arrivals.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const clock = { elapsedMs: () => Date.now() };

const HOUR_MS = 3_600_000;

/** A body that a test lets arrive. */
function body() {
  const cuts: Fault[] = [];
  const state = { bytes: 0, cuts, received: () => state.bytes, cut: (fault: Fault) => void cuts.push(fault) };
  return state;
}

test("a body that falls behind the slowest pace is cut, and one that keeps up is not [LIM-10]", () => {
  const arrivals = createArrivals({ clock, bytesPerSecond: 100, timeoutMs: HOUR_MS });
  const [silent, steady, stalled] = [body(), body(), body()];
  for (const each of [silent, steady, stalled]) arrivals.watch(each);
  stalled.bytes = 1_000_000;
  for (let second = 0; second < 14; second++) {
    steady.bytes += 101;
    vi.advanceTimersByTime(1_000);
    if (second === 6) expect(silent.cuts).toHaveLength(1);
  }

  expect(silent.cuts).toMatchObject([{ code: "invalid_request" }]);
  expect(stalled.cuts).toHaveLength(1);
  expect(steady.cuts).toEqual([]);
});

test("a body that is there, or needs no pace, is left alone [LIM-10]", () => {
  const arrivals = createArrivals({ clock, bytesPerSecond: 100, timeoutMs: HOUR_MS });
  const unhurried = createArrivals({ clock, bytesPerSecond: 0, timeoutMs: HOUR_MS });
  const [whole, slow] = [body(), body()];
  arrivals.drop(arrivals.watch(whole));
  unhurried.watch(slow);
  vi.advanceTimersByTime(60_000);

  expect([...whole.cuts, ...slow.cuts]).toEqual([]);
  expect(arrivals.makeRoom()).toBe(false);
});

test("room is made by the body that began first, and not before it has taken long [LIM-10]", () => {
  const arrivals = createArrivals({ clock, bytesPerSecond: 0, timeoutMs: HOUR_MS });
  const [first, second] = [body(), body()];
  arrivals.watch(first);
  vi.advanceTimersByTime(1_000);
  arrivals.watch(second);

  expect(arrivals.makeRoom()).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(arrivals.makeRoom()).toBe(true);
  expect(arrivals.makeRoom()).toBe(false);
  expect(first.cuts).toMatchObject([{ code: "service_unavailable" }]);
  expect(second.cuts).toEqual([]);
});

test("a body that arrives steadily is cut when its time is over, and not before [LIM-10]", () => {
  const arrivals = createArrivals({ clock, bytesPerSecond: 0, timeoutMs: 300_000 });
  const steady = body();
  arrivals.watch(steady);
  for (let second = 0; second < 299; second++) {
    steady.bytes += 50_000;
    vi.advanceTimersByTime(1_000);
  }

  expect(steady.cuts).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(steady.cuts).toMatchObject([
    {
      code: "invalid_request",
      message: "The request body took longer than 300 seconds to arrive. Send less, or over a faster line.",
    },
  ]);
});

test("the largest body has the time to arrive over a line of 1 Mbit/s [LIM-10]", () => {
  const { bodyBytes, bodyTimeoutMs } = loadConfig({ environment: {} }).config.limits;

  expect((bodyBytes * 8) / 1_000_000).toBeLessThan(bodyTimeoutMs / 1_000);
});
