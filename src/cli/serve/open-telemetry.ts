import type { Config } from "../../config/load-config.ts";
import { systemClock } from "../../core/clock.ts";
import { createEvents, type Events } from "../../telemetry/events.ts";
import { type LineOutput, openLineOutput } from "../../telemetry/line-output.ts";
import { createLogger, type Logger } from "../../telemetry/logger.ts";
import { createMetrics, type Metrics } from "../../telemetry/metrics.ts";
import { collectProcessMetrics } from "../../telemetry/process-metrics.ts";
import { createOpenSpan } from "../../telemetry/tracing.ts";

export type Telemetry = { events: Events; metrics: Metrics; logger: Logger };

type LogPlace = { file: string; /** Is given every line as well. */ watch?: (line: string) => void };

/** Log, metrics and spans of one process. Without a place the log goes to standard output. */
export function openTelemetry(config: Config, place?: LogPlace): Telemetry {
  const clock = systemClock;
  const metrics = createMetrics(config.metrics);
  collectProcessMetrics(metrics.registry);
  const output = openLineOutput(() => metrics.lineDropped(), place?.file);
  const destination = watched(output, place?.watch);
  const logger = createLogger({ level: config.log.level, clock, destination });
  const events = createEvents({ logger, metrics, openSpan: createOpenSpan(), clock });
  return { events, metrics, logger };
}

const watched = (output: LineOutput, watch: LogPlace["watch"]): LineOutput =>
  watch === undefined
    ? output
    : {
        ...output,
        write: (line) => {
          output.write(line);
          watch(line);
        },
      };
