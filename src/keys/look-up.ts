import type { Key, KeyStore } from "./key.ts";

/** Looks secrets up together: one statement at a time, which carries all that came during the last. */
export type LookUp = {
  find: (digest: Buffer) => Promise<Key | null>;
  /** How many wait for an answer. */
  waiting: () => number;
};

type Options = {
  findByDigests: KeyStore["findByDigests"];
  /** Least time between two statements. */
  paceMs: number;
};

type Entry = { digest: Buffer; resolve: (key: Key | null) => void; reject: (error: unknown) => void };

const MOST_TOGETHER = 256;

export function createLookUp({ findByDigests, paceMs }: Options): LookUp {
  const queue: Entry[] = [];
  let waiting = 0;
  let running = false;

  async function run(): Promise<void> {
    running = true;
    while (queue.length > 0) {
      const rested = paceMs > 0 ? new Promise((resolve) => setTimeout(resolve, paceMs)) : null;
      await ask(queue.splice(0, MOST_TOGETHER));
      await rested;
    }
    running = false;
  }

  async function ask(entries: readonly Entry[]): Promise<void> {
    try {
      const keys = await findByDigests(entries.map(({ digest }) => digest));
      for (const [index, { resolve }] of entries.entries()) resolve(keys[index] ?? null);
    } catch (error) {
      for (const { reject } of entries) reject(error);
    } finally {
      waiting -= entries.length;
    }
  }

  return {
    find: (digest) =>
      new Promise((resolve, reject) => {
        waiting++;
        queue.push({ digest, resolve, reject });
        if (!running) void run();
      }),
    waiting: () => waiting,
  };
}
