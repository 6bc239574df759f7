import type { Config } from "../../config/load-config.ts";
import { systemClock } from "../../core/clock.ts";
import { createEvents, type Events } from "../../telemetry/events.ts";
import { openLineOutput } from "../../telemetry/line-output.ts";
import { createLogger, type Logger } from "../../telemetry/logger.ts";
import { createMetrics, type Metrics } from "../../telemetry/metrics.ts";
import { collectProcessMetrics } from "../../telemetry/process-metrics.ts";
import { createOpenSpan } from "../../telemetry/tracing.ts";

export type Telemetry = { events: Events; metrics: Metrics; logger: Logger };

/** Log, metrics and spans of one process. Without a file the log goes to standard output. */
export function openTelemetry(config: Config, logFile?: string): Telemetry {
  const clock = systemClock;
  const metrics = createMetrics();
  collectProcessMetrics(metrics.registry);
  const destination = openLineOutput(() => metrics.lineDropped(), logFile);
  const logger = createLogger({ level: config.log.level, clock, destination });
  const events = createEvents({ logger, metrics, openSpan: createOpenSpan(), clock });
  return { events, metrics, logger };
}
