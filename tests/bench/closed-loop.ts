import { openConnection } from "./connection.ts";
import { type LoadJob, type LoadResult, requestBytes } from "./load-job.ts";
import { createTally } from "./tally.ts";

/** Keeps every connection busy for the given time: the highest rate that the other side can bear. */
export async function runClosedLoop(job: LoadJob, fail: (error: Error) => void): Promise<LoadResult> {
  const tally = createTally(job.watch);
  const request = requestBytes(job);

  const connections = Array.from({ length: job.connections }, async () => {
    let sentMs = 0;
    const sendNext = (): void => {
      sentMs = performance.now();
      connection.send();
    };
    const connection = await openConnection(
      { origin: job.origin, request, eventsPerStream: job.eventsPerStream, fail },
      {
        firstByte: () => tally.firstByte.record((performance.now() - sentMs) * 1000),
        progress: tally.events,
        answered: ({ problem }) => {
          tally.request(problem);
          tally.latency.record((performance.now() - sentMs) * 1000);
          sendNext();
        },
        read: tally.read,
      },
    );
    return sendNext;
  });

  for (const sendFirst of await Promise.all(connections)) sendFirst();
  await pause(job.warmupMs);
  tally.begin();
  await pause(job.durationMs);
  return tally.finish();
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, durationMs);
  });
}
