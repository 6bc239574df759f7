import { openConnection } from "./connection.ts";
import type { LoadJob, LoadResult } from "./load-job.ts";
import { createTally } from "./tally.ts";

/** Keeps every connection busy for the given time, then waits for what is under way. */
export async function prepareClosedLoop(
  job: LoadJob,
  fail: (error: Error) => void,
): Promise<() => Promise<LoadResult>> {
  const tally = createTally();
  let busy = 0;
  let sent = 0;
  const over = (): boolean => tally.over() || (job.mostRequests > 0 && sent >= job.mostRequests);
  const { promise: drained, resolve: drain } = Promise.withResolvers<void>();

  const openOne = async (): Promise<() => void> => {
    let sentMs = 0;
    const sendNext = (): void => {
      sentMs = performance.now();
      busy += 1;
      sent += 1;
      connection.send();
    };
    const connection = await openConnection(job, fail, {
      firstByte: () => tally.firstByte.record((performance.now() - sentMs) * 1000),
      progress: tally.events,
      answered: (problem) => {
        tally.request(problem);
        tally.latency.record((performance.now() - sentMs) * 1000);
        busy -= 1;
        if (!over()) sendNext();
        else if (busy === 0) drain();
      },
      read: tally.read,
    });
    return sendNext;
  };

  const senders = await Promise.all(Array.from({ length: job.connections }, openOne));
  return async () => {
    tally.begin(job.durationMs);
    for (const sendFirst of senders) if (!over()) sendFirst();
    await drained;
    return tally.finish();
  };
}
