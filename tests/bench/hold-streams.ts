import { setTimeout as pause } from "node:timers/promises";
import { openConnection } from "./connection.ts";
import type { LoadJob, LoadResult } from "./load-job.ts";
import { createTally } from "./tally.ts";

/**
 * Opens one stream per connection and ends when each has delivered its first byte or was refused. They stay open; when called
 * again, it tells what has become of them.
 */
export async function prepareHold(job: LoadJob, fail: (error: Error) => void): Promise<() => Promise<LoadResult>> {
  const tally = createTally();
  let startedMs = 0;
  const hold = async (): Promise<void> => {
    const { promise: decided, resolve: decide } = Promise.withResolvers<void>();
    const connection = await openConnection(job, fail, {
      firstByte: (status) => {
        tally.firstByte.record((performance.now() - startedMs) * 1000);
        if (status !== 200) return;
        tally.opened();
        decide();
      },
      progress: tally.events,
      answered: (problem) => {
        tally.request(problem ?? "a stream ended that was to stay open");
        decide();
      },
      read: tally.read,
    });
    connection.send();
    await decided;
  };
  let left = job.connections;
  const untilDue = async (number: number): Promise<void> => {
    const dueMs = job.ratePerSecond > 0 ? (number / job.ratePerSecond) * 1000 : 0;
    const waitMs = startedMs + dueMs - performance.now();
    if (waitMs > 0) await pause(waitMs);
  };
  const holdInTurn = async (): Promise<void> => {
    while (left > 0) {
      const number = job.connections - left;
      left -= 1;
      await untilDue(number);
      await hold();
    }
  };
  let opened = false;
  return async () => {
    if (opened) return tally.finish();
    opened = true;
    startedMs = performance.now();
    tally.begin(job.durationMs);
    await Promise.all(Array.from({ length: Math.min(job.atOnce, job.connections) }, holdInTurn));
    return tally.finish();
  };
}
