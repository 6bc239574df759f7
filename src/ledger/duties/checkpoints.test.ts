import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { NO_USAGE } from "../../core/money/usage.ts";
import { type Checkpoints, createCheckpoints } from "./checkpoints.ts";
import type { Checkpoint } from "../ledger.ts";

class Lost extends Error {}
class Poison extends Error {}

let line: { cut: boolean; gate: Promise<void>; closed: Set<string> };
let batches: Checkpoint[][];
let heard: { closed: string[]; written: number; failed: number };
let checkpoints: Checkpoints;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  line = { cut: false, gate: Promise.resolve(), closed: new Set() };
  batches = [];
  heard = { closed: [], written: 0, failed: 0 };
  checkpoints = createCheckpoints({
    checkpoint: async (batch) => {
      batches.push([...batch]);
      await line.gate;
      if (line.cut) throw new Lost();
      if (batch.some(({ credits }) => credits < 0n)) throw new Poison();
      return batch.map(({ id }) => id).filter((id) => line.closed.has(id));
    },
    failureOf: (error) => (error instanceof Lost ? "lost" : error instanceof Poison ? "data" : "bug"),
    clock: { elapsedMs: () => Date.now() },
    limits: { items: 4, everyMs: 200, retryMs: 1_000 },
    onClosed: (id) => heard.closed.push(id),
    onWritten: (count) => (heard.written += count),
    onFailed: () => (heard.failed += 1),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const at = (id: string, seq: number, cost = BigInt(seq)): Checkpoint => ({
  id,
  seq,
  bucket: 7,
  keyId: "k",
  credits: cost,
  usage: { ...NO_USAGE, inputTokens: 1, outputTokens: seq },
  contentDelivered: true,
});
const sent = (): string[][] => batches.map((batch) => batch.map(({ id, seq }) => `${id}${seq}`));
const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test("of one request only the newest checkpoint is sent, whatever the order they came in", async () => {
  checkpoints.add(at("a", 1));
  checkpoints.add(at("a", 3));
  checkpoints.add(at("a", 2));
  checkpoints.add(at("b", 1));
  await pass(0);

  expect(sent()).toEqual([["a3", "b1"]]);
  expect(heard.written).toBe(2);
});

test("there is at most one flush in 200 ms, and it sends all that waits in bounded batches", async () => {
  checkpoints.add(at("a", 1));
  await pass(0);
  for (const id of "bcdefg") checkpoints.add(at(id, 1));
  await pass(199);
  expect(batches).toHaveLength(1);
  await pass(1);

  expect(sent().slice(1)).toEqual([
    ["b1", "c1", "d1", "e1"],
    ["f1", "g1"],
  ]);
});

test("one flush is in flight at a time, and what comes meanwhile goes with the next", async () => {
  const slow = Promise.withResolvers<void>();
  line.gate = slow.promise;
  checkpoints.add(at("a", 1));
  await pass(0);
  checkpoints.add(at("a", 2));
  await pass(5_000);
  expect(sent()).toEqual([["a1"]]);
  slow.resolve();
  await pass(0);

  expect(sent()).toEqual([["a1"], ["a2"]]);
});

test("after an outage the newest of each request is sent, and nothing of those that ended", async () => {
  line.cut = true;
  for (const id of ["a", "b", "c"]) checkpoints.add(at(id, 1));
  await pass(0);
  checkpoints.add(at("a", 2));
  checkpoints.forget("b");
  line.cut = false;
  await pass(999);
  expect(batches).toHaveLength(1);
  await pass(1);

  expect(batches[1]?.map(({ id, seq }) => `${id}${seq}`).toSorted()).toEqual(["a2", "c1"]);
  expect(heard).toMatchObject({ failed: 1, written: 2 });
});

test("a newer checkpoint that comes while an older one fails is not replaced by it", async () => {
  const slow = Promise.withResolvers<void>();
  line.gate = slow.promise;
  checkpoints.add(at("a", 1));
  await pass(0);
  checkpoints.add(at("a", 2));
  line.cut = true;
  slow.resolve();
  await pass(0);
  line.cut = false;
  await pass(1_000);

  expect(sent()).toEqual([["a1"], ["a2"]]);
});

test("a request the ledger no longer knows is told, unless it ended by itself meanwhile", async () => {
  const slow = Promise.withResolvers<void>();
  line.gate = slow.promise;
  line.closed = new Set(["a", "b"]);
  for (const id of ["a", "b", "c"]) checkpoints.add(at(id, 1));
  await pass(0);
  checkpoints.forget("b");
  slow.resolve();
  await pass(0);

  expect(heard).toEqual({ closed: ["a"], written: 1, failed: 0 });
});

test("after all that waited ended by itself, the next request is written down as ever", async () => {
  checkpoints.add(at("a", 1));
  checkpoints.forget("a");
  await pass(200);
  checkpoints.add(at("b", 1));
  await pass(200);

  expect(sent()).toEqual([["b1"]]);
});

test("an impossible checkpoint is dropped and costs its neighbours nothing", async () => {
  for (const [id, cost] of [
    ["a", 1n],
    ["b", -1n],
    ["c", 1n],
    ["d", 1n],
  ] as const)
    checkpoints.add(at(id, 1, cost));
  await pass(10_000);

  expect(heard).toMatchObject({ written: 3, failed: 1 });
  expect(sent().at(-1)).toEqual(["c1", "d1"]);
});

test("stopping sends what waits, once, and nothing afterwards", async () => {
  checkpoints.add(at("a", 1));
  await checkpoints.stop();
  expect(sent()).toEqual([["a1"]]);

  checkpoints.add(at("a", 2));
  await pass(5_000);
  expect(batches).toHaveLength(1);
});

test("stopping during an outage ends after one try", async () => {
  line.cut = true;
  checkpoints.add(at("a", 1));
  await checkpoints.stop();
  await pass(60_000);

  expect(batches).toHaveLength(1);
});
