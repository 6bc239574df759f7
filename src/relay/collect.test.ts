import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ByteReader } from "../core/bytes/byte-stream.ts";
import { collect } from "./collect.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open({ maxBytes = 100, timeoutMs = 1_000 } = {}) {
  const log: string[] = [];
  let reader: ByteReader | null = null;
  let gone = (): void => undefined;
  const collected = collect({
    body: {
      read: (given) => (reader = given),
      pause: () => log.push("pause"),
      resume: () => log.push("resume"),
      cancel: () => log.push("cancel"),
    },
    sink: { onGone: (callback) => (gone = callback) },
    maxBytes,
    timeoutMs,
  });
  const read = (): ByteReader => reader as unknown as ByteReader;
  return { collected, log, read, leave: () => gone() };
}

test("an answer is handed over whole, in the order it came", async () => {
  const { collected, read, log } = open();
  for (const piece of ["one ", "two ", "three"]) read().chunk(Buffer.from(piece));
  read().end();

  expect(await collected).toEqual({ outcome: "completed", bytes: Buffer.from("one two three") });
  expect(log).toEqual([]);
});

test("an empty answer is an answer", async () => {
  const { collected, read } = open();
  read().end();

  expect(await collected).toEqual({ outcome: "completed", bytes: Buffer.alloc(0) });
});

test("an answer past the limit is given up, and the provider stopped", async () => {
  const { collected, read, log } = open({ maxBytes: 10 });
  read().chunk(Buffer.alloc(10));
  expect(log).toEqual([]);
  read().chunk(Buffer.alloc(1));

  expect(await collected).toEqual({ outcome: "limited", bytes: Buffer.alloc(0) });
  expect(log).toEqual(["cancel"]);
});

test("a caller that leaves stops the provider", async () => {
  const { collected, read, leave, log } = open();
  read().chunk(Buffer.from("half"));
  leave();

  expect(await collected).toEqual({ outcome: "client_gone", bytes: Buffer.alloc(0) });
  expect(log).toEqual(["cancel"]);
});

test("an answer that takes too long is given up, and the provider stopped", async () => {
  const { collected, log } = open({ timeoutMs: 1_000 });
  await vi.advanceTimersByTimeAsync(999);
  expect(log).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);

  expect(await collected).toMatchObject({ outcome: "timed_out" });
  expect(log).toEqual(["cancel"]);
});

test("a provider that breaks off has given no answer, however much came before", async () => {
  const { collected, read } = open();
  read().chunk(Buffer.from("half"));
  read().fail(new Error("reset"));

  expect(await collected).toEqual({ outcome: "upstream_failed", bytes: Buffer.alloc(0) });
  expect(vi.getTimerCount()).toBe(0);
});
