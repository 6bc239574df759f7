/** A task that asks the identity provider about people, in the background. */
export type Refreshing = { stop: () => Promise<void> };

type Options = {
  /** Answers how many were due. */
  refreshDue: () => Promise<number>;
  /** How often each person is asked about. */
  refreshEveryMs: number;
  random: () => number;
  onFailed: (error: unknown) => void;
};

/** Often enough that nobody waits long beyond their time. */
const LEAST_MS = 100;
const MOST_MS = 5_000;
const TURNS = 10;

export function startRefreshing({ refreshDue, refreshEveryMs, random, onFailed }: Options): Refreshing {
  const pauseMs = Math.min(Math.max(refreshEveryMs / TURNS, LEAST_MS), MOST_MS);
  let isStopped = false;
  let timer: NodeJS.Timeout | null = null;
  let turning: Promise<void> | null = null;

  async function turn(): Promise<void> {
    try {
      while (!isStopped && (await refreshDue()) > 0);
    } catch (error) {
      onFailed(error);
    }
  }
  function begin(): void {
    turning = turn().finally(() => {
      // Processes that started together do not come together.
      if (!isStopped) timer = setTimeout(begin, pauseMs * (0.5 + random())).unref();
    });
  }

  begin();
  return {
    stop: async () => {
      isStopped = true;
      if (timer) clearTimeout(timer);
      await turning;
    },
  };
}
