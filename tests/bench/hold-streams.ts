import { openConnection } from "./connection.ts";
import { type LoadJob, requestBytes } from "./load-job.ts";

/** Streams are opened in groups, so that neither accept queues nor the provider are taken by storm. */
const GROUP = 50;

/** Opens one stream per connection and resolves when each has delivered its first byte. They stay open. */
export async function holdStreams(job: LoadJob, fail: (error: Error) => void): Promise<{ held: number }> {
  const request = requestBytes(job);
  const hold = async (): Promise<void> => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const connection = await openConnection(
      { origin: job.origin, request, eventsPerStream: null, fail },
      {
        firstByte: begin,
        progress: () => {},
        answered: ({ problem }) => fail(new Error(problem ?? "a stream ended that was to stay open")),
        read: () => {},
      },
    );
    connection.send();
    await begun;
  };

  for (let held = 0; held < job.connections; held += GROUP) {
    await Promise.all(Array.from({ length: Math.min(GROUP, job.connections - held) }, hold));
  }
  return { held: job.connections };
}
