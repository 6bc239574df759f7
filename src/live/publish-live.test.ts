import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { InFlight } from "../core/request/in-flight.ts";
import type { CancelEnd, LiveStore, Published } from "./live.ts";
import { createPublishLive } from "./publish-live.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A process with so many requests, and what it says to the database. */
function stage({ requests = 1, watchedMs = 0, cancels = [] as string[] } = {}) {
  const said: (Published | null)[] = [];
  const answers: [string, CancelEnd][] = [];
  const state = { watchedMs, cancels, withdrawn: 0, looks: 0, fails: false };
  const store: LiveStore = {
    publish: async (_, published) => {
      said.push(published);
      if (state.fails) throw new Error("away");
      return { watchedMs: state.watchedMs, cancels: state.cancels };
    },
    withdraw: async () => void state.withdrawn++,
    answer: async (ends) => void answers.push(...ends),
  };
  function* inFlight(): Generator<InFlight> {
    for (let no = 0; no < requests; no++) {
      state.looks++;
      yield { id: `${no}` } as InFlight;
    }
  }
  const live = createPublishLive({
    store,
    process: "p",
    requests: { count: () => requests, inFlight, cancel: (id) => (id === "0" ? "cancelled" : null) },
    clock: { nowMs: () => Date.now(), elapsedMs: () => performance.now() },
    onFailed: () => undefined,
  });
  const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);
  return { live, said, answers, state, pass };
}

const END = { requestId: "req_1", atMs: 0 } as Parameters<ReturnType<typeof createPublishLive>["ended"]>[0];

test("while nobody watches there is no statement, no timer, and no look at any request", async () => {
  const { live, said, state, pass } = stage({ requests: 10_000 });
  live.hears(true);
  for (let no = 0; no < 1_000; no++) live.ended(END);
  await pass(600_000);

  expect(said).toEqual([]);
  expect(state.looks).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
  expect(live.isWatched()).toBe(false);
});

test("what is in flight is published every second while it is watched, and withdrawn afterwards", async () => {
  const { live, said, state, pass } = stage({ watchedMs: 5_000 });
  live.notified();
  await pass(3_500);
  const whileWatched = said.length;
  state.watchedMs = 0;
  await pass(60_000);

  expect(whileWatched).toBeGreaterThanOrEqual(5);
  expect(said[0]).toBeNull();
  expect(said[1]).toMatchObject({ inFlight: [{ id: "0" }], more: 0 });
  expect(said.length).toBeLessThanOrEqual(whileWatched + 1);
  expect(state.withdrawn).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("10,000 requests in flight are 1,000 rows, and how many more there are", async () => {
  const { live, said, pass } = stage({ requests: 10_000, watchedMs: 5_000 });
  live.notified();
  await vi.waitFor(() => expect(said.length).toBe(2));
  await pass(0);

  expect(said[1]?.inFlight.length).toBe(1_000);
  expect(said[1]?.more).toBe(9_000);
});

test("ends are told for some seconds, at most 400 of them, numbered without gaps", async () => {
  const { live, said, pass } = stage({ watchedMs: 5_000 });
  live.notified();
  await pass(10);
  for (let no = 0; no < 1_000; no++) live.ended({ ...END, atMs: Date.now() });
  await pass(1_000);
  const told = said.at(-1)?.ended.map(({ no }) => no) ?? [];

  expect(told.length).toBe(400);
  expect([told[0], told.at(-1)]).toEqual([601, 1_000]);
});

test("a flood of forged notifications is a few questions a second", async () => {
  const { live, said, pass } = stage();
  for (let ms = 0; ms < 1_000; ms++) {
    for (let no = 0; no < 20; no++) live.notified();
    await pass(1);
  }
  await pass(10_000);

  expect(said.length).toBeGreaterThan(5);
  expect(said.length).toBeLessThan(15);
  expect(vi.getTimerCount()).toBe(0);
});

test("a request that runs here is cancelled and answered for, and one of another process is left to it", async () => {
  const { live, answers, pass } = stage({ cancels: ["0", "elsewhere"] });
  live.notified();
  await pass(0);

  expect(answers).toEqual([["0", "cancelled"]]);
});

test("while notifications do not arrive, the database is asked every second", async () => {
  const { live, said, pass } = stage();
  live.hears(false);
  await pass(4_500);
  live.hears(true);
  await pass(60_000);

  expect(said.length).toBe(4);
});

test("a database that is away is asked again, but not for ever", async () => {
  const { live, said, state, pass } = stage({ watchedMs: 5_000 });
  live.notified();
  await pass(10);
  state.fails = true;
  await pass(600_000);

  expect(said.length).toBeLessThan(70);
  expect(vi.getTimerCount()).toBe(0);
});
