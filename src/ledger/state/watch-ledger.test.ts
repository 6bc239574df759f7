import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LedgerState, LedgerTrouble } from "../../core/ledger-state.ts";
import { watchLedger } from "./watch-ledger.ts";

const trouble = (words: string): LedgerTrouble => ({ words, fix: "Mend it.", sqlState: null });
const FULL = new Error("full");

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance", "Date"],
    }),
);
afterEach(() => void vi.useRealTimers());

function stage({ rehearsesWhenIdle = true } = {}) {
  const told: LedgerState[] = [];
  const set = {
    rehearse: (): Promise<void> => Promise.resolve(),
    seen: null as LedgerTrouble | null,
    obstacle: null as LedgerTrouble | null,
    diagnose: null as (() => Promise<null>) | null,
    looks: 0,
    rehearsals: 0,
    spills: 0,
  };
  const watch = watchLedger({
    clock: { nowMs: () => Date.now(), elapsedMs: () => performance.now() },
    rehearse: (spill) => {
      set.rehearsals++;
      if (spill) set.spills++;
      return set.rehearse();
    },
    rehearsesWhenIdle,
    troubleOf: (error) => trouble((error as Error).message),
    hangs: trouble("hangs"),
    diagnose: () => {
      set.looks++;
      return set.diagnose?.() ?? Promise.resolve(set.seen);
    },
    obstacle: () => set.obstacle,
    onChange: (state) => told.push(state),
  });
  return { watch, told, set };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const wordsOf = (state: LedgerState): string =>
  state.state === "ok" ? "ok" : `${state.state}: ${state.trouble.words}`;

test("a ledger that answers is up, and no request is rehearsed while they come", async () => {
  const { watch, told, set } = stage();

  for (let time = 0; time < 40; time++) {
    watch.answered(watch.sent());
    await pass(500);
  }

  expect([watch.state(), told, set.rehearsals]).toEqual([{ state: "ok" }, [], 0]);
});

test("one failure is a broken connection, two in a row are an outage, and the next answer ends it", async () => {
  const { watch, told } = stage();

  watch.failed(watch.sent(), FULL);
  await pass(1);
  expect(wordsOf(watch.state())).toBe("degraded: full");
  watch.failed(watch.sent(), FULL);
  await pass(1);
  expect(wordsOf(watch.state())).toBe("down: full");
  watch.failed(watch.sent(), new Error("other"));
  await pass(1);
  await pass(1);
  watch.answered(watch.sent());
  await pass(1);

  expect(told.map(wordsOf)).toEqual(["down: full", "ok"]);
  expect(watch.state()).toEqual({ state: "ok" });
});

test("an answer does not end an outage that a rehearsal still meets", async () => {
  const { watch, told, set } = stage();
  set.rehearse = () => Promise.reject(FULL);
  watch.failed(watch.sent(), FULL);
  watch.failed(watch.sent(), FULL);

  for (let second = 0; second < 10; second++) {
    await pass(1_000);
    watch.answered(watch.sent());
  }

  expect(told.map(wordsOf)).toEqual(["down: full"]);
});

test("calls that fail late, after later ones were answered, are no outage", async () => {
  const { watch, told } = stage();
  const calls = [watch.sent(), watch.sent(), watch.sent()];
  await pass(100);

  watch.answered(watch.sent());
  for (const call of calls) watch.failed(call, FULL);
  await pass(1);

  expect(told).toEqual([]);
});

test("what was refused for its own sake says nothing about the ledger", async () => {
  const { watch, told } = stage();

  for (let time = 0; time < 10; time++) watch.rejected(watch.sent());
  await pass(1);

  expect([watch.state(), told]).toEqual([{ state: "ok" }, []]);
});

test("a defect that one request meets again and again makes a ledger degraded, and is no outage for others", async () => {
  const { watch, told } = stage();

  for (let time = 0; time < 100; time++) {
    watch.rejected(watch.sent(), FULL);
    await pass(100);
  }

  expect(told).toEqual([]);
  expect(wordsOf(watch.state())).toBe("degraded: full");
});

test("during an outage another connection is asked why every five seconds at most, and once at a time", async () => {
  const { watch, set } = stage();
  set.rehearse = () => Promise.reject(FULL);
  watch.failed(watch.sent(), FULL);
  watch.failed(watch.sent(), FULL);

  await pass(60_000);
  expect(set.looks).toBeGreaterThan(5);
  expect(set.looks).toBeLessThanOrEqual(13);
  set.looks = 0;
  set.diagnose = () => new Promise(() => undefined);
  await pass(60_000);

  expect(set.looks).toBe(1);
});

test("an outage is said though the connection that is asked why never answers", async () => {
  const { watch, told, set } = stage();
  set.diagnose = () => new Promise(() => undefined);

  for (const words of ["first", "second"]) {
    set.rehearse = () => Promise.reject(new Error(words));
    watch.failed(watch.sent(), new Error(words));
    watch.failed(watch.sent(), new Error(words));
    await pass(2_000);
    set.rehearse = () => Promise.resolve();
    await pass(10_000);
  }

  expect(told.map(wordsOf)).toEqual(["down: first", "ok", "down: second", "ok"]);
});

test("calls that nobody answers are an outage after two and a half seconds, for the reason that is seen from outside", async () => {
  const { watch, told, set } = stage();
  set.seen = trouble("no standby");
  set.rehearse = () => new Promise(() => undefined);

  watch.sent();
  await pass(2_400);
  expect(watch.state()).toEqual({ state: "ok" });
  await pass(400);

  expect(told.map(wordsOf)).toEqual(["down: no standby"]);
});

test("while others are answered, one call that waits is no outage", async () => {
  const { watch, told } = stage();

  watch.sent();
  for (let second = 0; second < 10; second++) {
    watch.answered(watch.sent());
    await pass(1_000);
  }

  expect(told).toEqual([]);
});

test.each(["fails", "hangs"])(
  "without a request, a ledger that %s is down within five seconds and up within five",
  async (how) => {
    const { told, set } = stage();
    await pass(10_000);
    const pending: (() => void)[] = [];
    set.rehearse = () =>
      how === "fails" ? Promise.reject(FULL) : new Promise((resolve) => void pending.push(resolve));

    await pass(5_000);
    expect(told.map(({ state }) => state)).toEqual(["down"]);
    expect(set.spills).toBe(how === "fails" ? set.spills : 0);
    await pass(60_000);
    set.rehearse = () => Promise.resolve();
    for (const answer of pending) answer();
    await pass(5_000);

    expect(told.map(({ state }) => state)).toEqual(["down", "ok"]);
  },
);

test("a rehearsal that goes well does not end what requests have just seen", async () => {
  const { watch, told } = stage();
  watch.failed(watch.sent(), FULL);
  watch.failed(watch.sent(), FULL);

  for (let second = 0; second < 10; second++) {
    await pass(1_000);
    watch.failed(watch.sent(), FULL);
  }

  expect(told.map(wordsOf)).toEqual(["down: full"]);
});

test("during an outage the disk is asked for room", async () => {
  const { watch, set } = stage();
  watch.failed(watch.sent(), FULL);
  watch.failed(watch.sent(), FULL);
  await pass(4_000);

  expect(set.spills).toBeGreaterThan(0);
});

test("what is in the way of all requests is an outage for as long as it is", async () => {
  const { watch, told, set } = stage();
  set.obstacle = trouble("no standby");
  await pass(600);
  watch.answered(watch.sent());
  set.obstacle = null;
  await pass(5_000);

  expect(told.map(wordsOf)).toEqual(["down: no standby", "ok"]);
});

test("a database inside this process is asked only while it is down", async () => {
  const { watch, told, set } = stage({ rehearsesWhenIdle: false });
  await pass(60_000);
  expect(set.rehearsals).toBe(0);
  watch.failed(watch.sent(), FULL);
  watch.failed(watch.sent(), FULL);
  await pass(5_000);

  expect(told.map(wordsOf)).toEqual(["down: full", "ok"]);
});

test("calls that are turned away make a ledger degraded for a while", async () => {
  const { watch } = stage();

  watch.overfull();
  expect(wordsOf(watch.state())).toContain("degraded: more calls wait");
  await pass(11_000);

  expect(watch.state()).toEqual({ state: "ok" });
});

test("once stopped it tells nothing more", async () => {
  const { watch, told } = stage();
  watch.stop();
  watch.failed(watch.sent(), FULL);
  watch.failed(watch.sent(), FULL);
  await pass(10_000);

  expect(told).toEqual([]);
});

test("calls that hang are down for what another met meanwhile, where nothing is to be seen", async () => {
  const { watch, set } = stage();
  set.rehearse = () => new Promise(() => undefined);
  set.diagnose = () => new Promise(() => undefined);
  watch.sent();
  const other = watch.sent();
  await pass(2_750);
  expect(set.looks).toBe(1);

  watch.failed(other, FULL);
  await pass(1_000);

  expect(wordsOf(watch.state())).toBe("down: full");
});
