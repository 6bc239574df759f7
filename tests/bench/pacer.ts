/**
 * Tells the generator when the next request is due. It has a thread of its own because a timer of the event loop wakes up to
 * a millisecond late, which is more than the latencies measured here, and a loop that spins would take the provider's core.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { Schedule } from "./open-loop.ts";

const { startNs, intervalNs, count } = workerData as Schedule;
const cell = new Int32Array(new SharedArrayBuffer(4));

let index = 0;
while (index < count) {
  const nowNs = Number(process.hrtime.bigint());
  const dueNs = startNs + index * intervalNs;
  if (dueNs > nowNs) {
    Atomics.wait(cell, 0, 0, (dueNs - nowNs) / 1e6);
  } else {
    index = Math.min(count, Math.floor((nowNs - startNs) / intervalNs) + 1);
    // Worker messages have no origin to name; the rule means windows of a browser.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    parentPort?.postMessage(index);
  }
}
