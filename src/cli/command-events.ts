import type { Config } from "../config/load-config.ts";
import { systemClock } from "../core/clock.ts";
import { createLogger } from "../telemetry/log/logger.ts";
import { createOperatorEvents, type OperatorEvents } from "../telemetry/operator-events.ts";

/**
 * What a command changes in the database is told on standard error, a line of JSON for each change, as a gateway tells it in its
 * log; standard output is for the result. On a terminal nothing is told: the result is read there.
 */
export function commandEvents({ log }: Pick<Config, "log">): OperatorEvents {
  const write = process.stderr.isTTY ? () => undefined : (line: string) => void process.stderr.write(line);
  return createOperatorEvents({
    logger: createLogger({ level: log.level, clock: systemClock, destination: { write } }),
  });
}
