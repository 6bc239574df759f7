import type { Clock } from "../core/clock.ts";
import { createLineAllowance } from "./log/line-allowance.ts";
import { sayTo } from "./log/log-table.ts";
import type { Logger } from "./log/logger.ts";
import type { Metrics } from "./metrics/metrics.ts";

/** What comes of a limit of open files. Each may be called often; few lines are written. */
export type FileEvents = {
  /** A connection was closed on arrival, since too few files are left. */
  connectionRefused: (refused: { listener: "public" | "admin"; limit: number }) => void;
  /** The process can open no file at all. */
  filesExhausted: (limit: number) => void;
};

const LINE_EVERY_MS = 60_000;

type Parts = { logger: Logger; metrics: Metrics; clock: Clock };

export function createFileEvents({ logger, metrics, clock }: Parts): FileEvents {
  const say = sayTo(logger);
  const createTell = (listener: "public" | "admin" | null) => {
    const lines = createLineAllowance({ most: 1, perMs: LINE_EVERY_MS, clock });
    return (limit: number): void => {
      const line = lines.take();
      if (line !== null) say("filesExhausted", { listener, limit, ...line });
    };
  };
  // What is worse must not go untold for what came first.
  const tellRefused = { public: createTell("public"), admin: createTell("admin") };
  const tellExhausted = createTell(null);
  return {
    connectionRefused: ({ listener, limit }) => {
      metrics.connectionRefused(listener);
      tellRefused[listener](limit);
    },
    filesExhausted: (limit) => {
      metrics.filesExhausted();
      tellExhausted(limit);
    },
  };
}
