import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type HouseDuty, type Housekeeping, type Partitioned, startHousekeeping } from "./housekeeping.ts";

const HOUR_MS = 3_600_000;
/** Half past two, so that the hour that ended has settled. */
const START_MS = Date.UTC(2026, 10, 15, 14, 30);

let mine: boolean;
let owed: Set<number>;
let failing: Set<string>;
let partitions: Map<string, Partitioned>;
let done: string[];
let heard: string[];
let batches: number;
let rechained: number;
let housekeeping: Housekeeping;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
  [mine, owed] = [true, new Set([START_MS - 90 * 60_000])];
  [failing, partitions, done, heard] = [new Set(), new Map(), [], []];
  [batches, rechained] = [0, 0];
});
afterEach(async () => {
  await housekeeping.stop();
  vi.useRealTimers();
});

function start(): void {
  housekeeping = startHousekeeping({
    store: {
      duty: (): Promise<HouseDuty> => Promise.resolve({ mine, nowMs: Date.now() }),
      owed: async (limit) => [...owed].slice(0, limit),
      rollup: async (ms) => {
        const hour = new Date(ms).toISOString().slice(8, 13);
        done.push(hour);
        if (failing.has(hour)) throw new Error("too slow");
        owed.delete(ms);
        return "done";
      },
      partition: async (ms) => {
        const day = new Date(ms).toISOString().slice(0, 10);
        if (failing.has(day)) throw new Error("locked");
        return partitions.get(day) ?? "made";
      },
      rechain: async () => {
        if (failing.has("rechain")) throw new Error("deadlock");
        return batches-- > 0;
      },
    },
    processId: "p",
    clock: { elapsedMs: () => Date.now() },
    onPartitioned: (day, result) => heard.push(`${day} ${result}`),
    onRolledUp: () => heard.push("rolled up"),
    onRechained: () => void rechained++,
    onFailed: (duty) => heard.push(`${duty} failed`),
  });
}
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test("keys that have yet to learn of a change above them are told to the last, and others are tried again", async () => {
  batches = 3;
  start();
  await pass(0);
  expect({ batches, rechained }).toEqual({ batches: -1, rechained: 1 });

  failing.add("rechain");
  await pass(30_000);
  expect(heard).toContain("rechain failed");
  expect(rechained).toBe(1);
  failing.delete("rechain");
  await pass(30_000);
  expect(rechained).toBe(2);
});

test("the hour in progress is added up every five minutes, and hours that are owed once", async () => {
  start();
  await pass(0);
  expect(done).toEqual(["15T13", "15T14"]);
  await pass(HOUR_MS);

  expect(done.filter((hour) => hour === "15T13")).toHaveLength(1);
  expect(done.filter((hour) => hour === "15T14").length).toBe(6);
  expect(done.filter((hour) => hour === "15T15").length).toBeGreaterThanOrEqual(5);
});

test("whoever takes over adds up what its predecessor could not, whenever that was", async () => {
  owed = new Set([Date.UTC(2026, 10, 12, 22), Date.UTC(2026, 10, 12, 23), Date.UTC(2026, 10, 15, 13)]);
  failing = new Set(["12T22", "12T23", "15T13"]);
  start();
  await pass(0);
  await housekeeping.stop();
  failing.clear();
  done = [];
  start();
  await pass(0);

  expect(done).toEqual(["12T22", "12T23", "15T13", "15T14"]);
  expect(owed).toEqual(new Set());
});

test("hours that always fail come after all others, and in turn", async () => {
  const HOURS = 26;
  owed = new Set(Array.from({ length: HOURS }, (_, n) => Date.UTC(2026, 10, 13, n)));
  failing = new Set([...owed].slice(0, 25).map((ms) => new Date(ms).toISOString().slice(8, 13)));
  start();
  await pass(0);
  expect(done).toHaveLength(24 + 1);
  done = [];
  await pass(300_000);

  expect(done.slice(0, 3)).toEqual(["14T00", "14T01", "13T00"]);
});

test("an hour that cannot be added up is reported and tried again, and keeps no other back", async () => {
  failing.add("15T13");
  start();
  await pass(0);
  expect(done).toEqual(["15T13", "15T14"]);
  expect(heard.slice(3)).toEqual(["rollup failed"]);
  failing.clear();
  await pass(300_000);

  expect(done.slice(2)).toEqual(["15T13", "15T14"]);
  expect(heard.slice(3)).toEqual(["rollup failed", "rolled up"]);
});

test("today and the two days after it have their partitions before the first request, and the next is made when a day begins", async () => {
  start();
  await housekeeping.prepared;
  expect(heard.slice(0, 3)).toEqual(["2026-11-15 made", "2026-11-16 made", "2026-11-17 made"]);
  await pass(10 * HOUR_MS);

  expect(heard.filter((it) => it.endsWith("made")).slice(3)).toEqual(["2026-11-18 made"]);
});

test("a day that cannot have a partition any more is reported once and left alone", async () => {
  partitions.set("2026-11-15", "occupied");
  start();
  await pass(HOUR_MS);

  expect(heard.filter((it) => it.includes("11-15"))).toEqual(["2026-11-15 occupied"]);
});

test("a partition that could not be made is tried again, not sooner than five minutes later", async () => {
  failing.add("2026-11-16");
  start();
  await housekeeping.prepared;
  await pass(299_000);
  expect(heard.filter((it) => it === "partition failed")).toHaveLength(1);
  failing.clear();
  await pass(31_000);

  expect(heard.filter((it) => it.endsWith("made"))).toEqual(["2026-11-15 made", "2026-11-16 made", "2026-11-17 made"]);
});

test("a process whose turn it is not does nothing, and begins when the one before it is gone", async () => {
  mine = false;
  start();
  await housekeeping.prepared;
  await pass(HOUR_MS);
  expect([done, heard]).toEqual([[], []]);
  mine = true;
  await pass(30_000);

  expect(done).toEqual(["15T13", "15T15"]);
});
