import { expect, test } from "vitest";
import type { Sink } from "../core/sink.ts";
import { createRunning } from "./running.ts";
import { WatchedSink } from "./watched-sink.ts";

function runningOne() {
  const running = createRunning();
  const sink = new WatchedSink({ isGone: () => false } as Sink, { keyId: "key", detached: "no", rememberBytes: 0 });
  running.began("id", sink);
  return { running, told: () => sink.cutBy()?.message };
}

test("who is cut because the process stops is told so, and who is cut for the ledger that", () => {
  const [stopping, lost, closed] = [runningOne(), runningOne(), runningOne()];
  stopping.running.cutStopping();
  lost.running.cutLost();
  closed.running.cutClosed("id");

  expect(stopping.told()).toMatch(/gateway is stopping/);
  expect(lost.told()).toMatch(/ledger has closed it/);
  expect(closed.told()).toBe(lost.told());
});
