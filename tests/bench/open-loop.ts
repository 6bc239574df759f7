import { Worker } from "node:worker_threads";
import { type Connection, openConnection } from "./connection.ts";
import type { LoadJob, LoadResult } from "./load-job.ts";
import { createTally } from "./tally.ts";

/** Request number `i` is due at `startNs + i · intervalNs` of the monotonic clock. */
export type Schedule = { startNs: number; intervalNs: number; count: number };

type Slot = { connection: Connection; dueNs: number };

/** Enough for the pacer's thread to be up before the first request is due. */
const LEAD_NS = 500_000_000;
const DRAIN_LIMIT_MS = 5_000;

/**
 * Sends on a fixed schedule and measures from the moment a request was due, not from the moment it could be sent: when the
 * other side stalls, the requests that had to wait count as slow, as they would for callers.
 */
export async function prepareOpenLoop(job: LoadJob, fail: (error: Error) => void): Promise<() => Promise<LoadResult>> {
  const tally = createTally();
  const intervalNs = 1e9 / job.ratePerSecond;
  const count = Math.round((job.durationMs / 1000) * job.ratePerSecond);
  const idle: Slot[] = [];
  let startNs = 0;
  let sent = 0;
  let due = 0;
  let answered = 0;
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>();

  const sendDue = (): void => {
    for (let slot = idle.pop(); slot !== undefined; slot = idle.pop()) {
      if (sent >= due) {
        idle.push(slot);
        return;
      }
      slot.dueNs = startNs + sent * intervalNs;
      sent += 1;
      tally.lateness.record(microsSince(slot.dueNs));
      slot.connection.send();
    }
  };

  const openSlot = async (): Promise<void> => {
    const connection = await openConnection(job, fail, {
      firstByte: () => tally.firstByte.record(microsSince(slot.dueNs)),
      progress: tally.events,
      answered: (problem) => {
        tally.request(problem);
        tally.latency.record(microsSince(slot.dueNs));
        answered += 1;
        if (answered === count) drain();
        idle.push(slot);
        sendDue();
      },
      read: tally.read,
    });
    const slot: Slot = { dueNs: 0, connection };
    idle.push(slot);
  };
  await Promise.all(Array.from({ length: job.connections }, openSlot));

  return async () => {
    startNs = Number(process.hrtime.bigint()) + LEAD_NS;
    tally.begin(LEAD_NS / 1e6 + job.durationMs);
    const schedule: Schedule = { startNs, intervalNs, count };
    const pacer = new Worker(new URL("./pacer.ts", import.meta.url), { workerData: schedule });
    pacer.on("error", fail);
    pacer.on("message", (dueSoFar: number) => {
      due = dueSoFar;
      sendDue();
    });
    const limitMs = LEAD_NS / 1e6 + job.durationMs + DRAIN_LIMIT_MS;
    const limit = setTimeout(() => fail(new Error(`only ${answered} of ${count} requests were answered`)), limitMs);
    await drained;
    clearTimeout(limit);
    return tally.finish();
  };
}

function microsSince(startNs: number): number {
  return (Number(process.hrtime.bigint()) - startNs) / 1000;
}
