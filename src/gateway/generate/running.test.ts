import { expect, test } from "vitest";
import type { Sink } from "../../core/sink.ts";
import type { Key } from "../../keys/key.ts";
import { createCutStopped } from "./cut-stopped.ts";
import { createRunning } from "./running.ts";
import { WatchedSink } from "./watched-sink.ts";

type Of = { keyExpiresAtMs?: number | null; streamed?: "yes" | "no" };

function runningOne({ keyExpiresAtMs = null, streamed = "yes" }: Of = {}) {
  const running = createRunning();
  const sink = new WatchedSink({ isGone: () => false } as Sink, {
    keyId: "key",
    bucket: 7,
    keyExpiresAtMs,
    streamed,
    detached: "no",
    rememberBytes: 0,
  });
  running.began("id", sink);
  return { running, told: () => sink.cutBy()?.message };
}

test("who is cut because the process stops is told so, and who is cut for the ledger that", () => {
  const [stopping, lost, closed] = [runningOne(), runningOne(), runningOne()];
  stopping.running.cutStopping();
  lost.running.cutLost();
  closed.running.cutClosed("id");

  expect(stopping.told()).toMatch(/gateway is shutting down/);
  expect(lost.told()).toMatch(/lost contact with its ledger/);
  expect(closed.told()).toBe(lost.told());
});

/** Looks at the one key as the database has it, at some time. */
function lookingAt(of: Of, key: Partial<Key> | "away") {
  const { running, told } = runningOne(of);
  const clock = { ms: 0, nowMs: () => clock.ms };
  let reads = 0;
  const findKey = () => {
    reads++;
    if (key === "away") return Promise.reject(new Error("away"));
    return Promise.resolve([{ id: "key", status: "active", expiresAtMs: null, ...key } as Key]);
  };
  return { ...createCutStopped({ running, findKey, clock }), clock, told, reads: () => reads };
}

test("a stream goes on past the expiry it began with only when the key's has been moved [L8]", async () => {
  const expired = lookingAt({ keyExpiresAtMs: 1_000 }, { expiresAtMs: 1_000 });
  const moved = lookingAt({ keyExpiresAtMs: 1_000 }, { expiresAtMs: 5_000 });
  for (const { passed } of [expired, moved]) await passed();
  expect([expired.reads(), moved.reads()]).toEqual([0, 0]);

  expired.clock.ms = moved.clock.ms = 1_000;
  for (const { passed } of [expired, moved]) await passed();
  for (const { passed } of [expired, moved]) await passed();

  expect(expired.told()).toMatch(/This API key expired/);
  expect(moved.told()).toBeUndefined();
  expect(moved.reads()).toBe(1);
});

test("a key that cannot be read is looked at again", async () => {
  const away = lookingAt({ keyExpiresAtMs: 1 }, "away");
  away.clock.ms = 2;
  await away.passed();
  await away.passed();

  expect(away.reads()).toBe(2);
  expect(away.told()).toBeUndefined();
});

test("an answer that is sent whole runs on, and is paid for, unless its key was revoked [L8]", async () => {
  const of = { streamed: "no" as const, keyExpiresAtMs: 1 };
  for (const status of ["suspended", "disabled", "revoked"] as const) {
    const { changed, told } = lookingAt(of, { status });
    await changed("key");

    expect(told() !== undefined).toBe(status === "revoked");
  }
  const expiring = lookingAt(of, { expiresAtMs: 1 });
  expiring.clock.ms = 2;
  await expiring.passed();
  await expiring.changed(null);

  expect(expiring.told()).toBeUndefined();
});

test("however often word of a key comes, it is read one time after the other, and once more after the last word", async () => {
  const { running } = runningOne();
  const reads: PromiseWithResolvers<readonly Key[]>[] = [];
  const findKey = (): Promise<readonly Key[]> => {
    const read = Promise.withResolvers<readonly Key[]>();
    reads.push(read);
    return read.promise;
  };
  const { changed } = createCutStopped({ running, findKey, clock: { nowMs: () => 0 } });

  const told = Array.from({ length: 1_000 }, () => changed("key"));
  expect(reads.length).toBe(1);
  reads[0]?.resolve([]);
  await new Promise(setImmediate);
  expect(reads.length).toBe(2);
  reads[1]?.resolve([]);
  await Promise.all(told);

  expect(reads.length).toBe(2);
});
