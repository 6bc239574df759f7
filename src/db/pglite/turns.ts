import { DatabaseBusyError } from "../database-error.ts";

/** Lets one caller at a time use a thing, in the order they came. */
export type Turns = { take: <T>(work: () => Promise<T>) => Promise<T> };

type Waiter = { begin: () => void };

/** At most `limit` callers wait, each for at most `timeoutMs`; past either bound they are refused. */
export function createTurns({ limit, timeoutMs }: { limit: number; timeoutMs: number }): Turns {
  const waiting = new Set<Waiter>();
  let taken = false;

  const enter = (): Promise<void> | void => {
    if (!taken) {
      taken = true;
      return;
    }
    if (waiting.size >= limit) throw new DatabaseBusyError(`${limit} callers already wait for the database`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = {
      begin: () => {
        clearTimeout(timer);
        resolve();
      },
    };
    const timer = setTimeout(() => {
      waiting.delete(waiter);
      reject(new DatabaseBusyError(`the database was not free within ${timeoutMs} ms`));
    }, timeoutMs);
    waiting.add(waiter);
    return promise;
  };

  const leave = (): void => {
    const [next] = waiting;
    if (!next) {
      taken = false;
      return;
    }
    waiting.delete(next);
    next.begin();
  };

  return {
    take: async (work) => {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
