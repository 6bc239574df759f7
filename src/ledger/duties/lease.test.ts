import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Lease, startLease } from "./lease.ts";

type Answer = "renewed" | "refused" | "silent";

let answer: Answer;
let tries: number[];
let heard: string[];
let lease: Lease;
/** The renewals that were never answered, for the test to answer late. */
let unanswered: (() => void)[];

const clock = { elapsedMs: () => Date.now() };
const until = new Date(0);

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  answer = "renewed";
  [tries, heard, unanswered] = [[], [], []];
});
afterEach(async () => {
  const stopped = lease.stop();
  await vi.advanceTimersByTimeAsync(4_000);
  await stopped;
  vi.useRealTimers();
});

function start(): void {
  lease = startLease({
    heartbeat: () => {
      tries.push(Date.now());
      if (answer === "refused") return Promise.reject(new Error("refused"));
      if (answer === "renewed") return Promise.resolve(until);
      return new Promise((resolve) => unanswered.push(() => resolve(until)));
    },
    processId: "p",
    clock,
    onRenewed: () => heard.push("renewed"),
    onLapsed: () => heard.push("lapsed"),
    onFailed: () => heard.push("failed"),
    onLost: () => heard.push("lost"),
  });
}
const count = (what: string): number => heard.filter((it) => it === what).length;

test("a lease is renewed every five seconds, the first time at once", async () => {
  start();
  await lease.renewed;
  await vi.advanceTimersByTimeAsync(15_000);

  expect(tries).toEqual([0, 5_000, 10_000, 15_000]);
  expect(heard).toEqual(Array(4).fill("renewed"));
});

test("a process that cannot renew at its start goes on trying, and is ready only when it has renewed", async () => {
  answer = "refused";
  start();
  let ready = false;
  void lease.renewed.then(() => (ready = true));
  await vi.advanceTimersByTimeAsync(12_000);
  expect(ready).toBe(false);
  answer = "renewed";
  await vi.advanceTimersByTimeAsync(5_000);

  expect(ready).toBe(true);
  expect(count("failed")).toBe(3);
});

test("a renewal that hangs does not keep back the next", async () => {
  answer = "silent";
  start();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(tries).toEqual([0, 5_000, 10_000]);
  answer = "renewed";
  await vi.advanceTimersByTimeAsync(5_000);

  expect(heard).toEqual(["failed", "failed", "failed", "renewed"]);
});

test("a minute without renewal is told once, and renewal afterwards makes all well again", async () => {
  start();
  answer = "refused";
  await vi.advanceTimersByTimeAsync(59_999);
  expect(count("lost")).toBe(0);
  await vi.advanceTimersByTimeAsync(30_001);
  expect(count("lost")).toBe(1);

  answer = "renewed";
  await vi.advanceTimersByTimeAsync(5_000);
  answer = "silent";
  await vi.advanceTimersByTimeAsync(70_000);
  expect(count("lost")).toBe(2);
});

test("a renewal answered too late counts from when it was sent", async () => {
  start();
  answer = "silent";
  await vi.advanceTimersByTimeAsync(54_000);
  for (const late of unanswered.splice(0)) late();
  await vi.advanceTimersByTimeAsync(50_000);
  // The last of them was sent at 50 s.
  expect(count("lost")).toBe(0);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(count("lost")).toBe(1);
});

test("a process that was stopped for longer than its lease says so even if it can renew at once", async () => {
  start();
  await vi.advanceTimersByTimeAsync(5_000);
  vi.setSystemTime(200_000);
  await vi.advanceTimersByTimeAsync(5_000);

  expect(heard).toEqual(["renewed", "renewed", "lost", "renewed", "lapsed"]);
});

test("a stopped lease is not renewed again", async () => {
  start();
  await lease.renewed;
  await lease.stop();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(tries).toEqual([0]);
});

test("a renewal that comes after the lease has run out says so, and one in time does not", async () => {
  start();
  await lease.renewed;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(count("lapsed")).toBe(0);

  answer = "refused";
  await vi.advanceTimersByTimeAsync(15_000);
  answer = "renewed";
  await vi.advanceTimersByTimeAsync(10_000);

  expect(count("lapsed")).toBe(1);
  expect(count("lost")).toBe(0);
});
