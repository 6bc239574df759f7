import { randomUUID } from "node:crypto";
import { buildInfo } from "../../config/build-info.ts";
import type { Config } from "../../config/load-config.ts";
import { systemClock } from "../../core/clock.ts";
import { schemaFolder, schemaVersion } from "../../db/schema-files.ts";
import { createEvents, type Events } from "../../telemetry/events.ts";
import { type LineOutput, openLineOutput } from "../../telemetry/log/line-output.ts";
import { createLogger, type Logger } from "../../telemetry/log/logger.ts";
import { exposeBuild } from "../../telemetry/metrics/build-info.ts";
import { createMetrics, type Metrics } from "../../telemetry/metrics/metrics.ts";
import { collectProcessMetrics } from "../../telemetry/metrics/process-metrics.ts";
import {
  createSpanEvents,
  type SpanEvents,
  type SpanExport,
  startSpanExport,
} from "../../telemetry/trace/span-exporter.ts";
import { createOpenTrace } from "../../telemetry/trace/tracing.ts";
import { packageVersion } from "../../config/package-version.ts";

export type Telemetry = {
  events: Events;
  metrics: Metrics;
  logger: Logger;
  /** Sends and writes what is left. Where the reader of the log stalls, the process has to be ended by `process.exit`. */
  close: () => Promise<{ stalled: boolean }>;
};

type LogPlace = { file: string; /** Is given every line as well. */ watch?: (line: string) => void };

/** Log, metrics and spans of one process. Without a place the log goes to standard output. */
export async function openTelemetry(config: Config, place?: LogPlace): Promise<Telemetry> {
  const clock = systemClock;
  const metrics = createMetrics(config.metrics);
  collectProcessMetrics(metrics.registry);
  exposeBuild(metrics.registry, { ...buildInfo(), schema: schemaVersion(schemaFolder()) });
  const output = openLineOutput(() => metrics.lineDropped(), place?.file);
  const destination = watched(output, place?.watch);
  const logger = createLogger({ level: config.log.level, clock, destination });
  const spans = await openSpanExport(config.traces, createSpanEvents({ logger, metrics, clock }));
  const openTrace = createOpenTrace({
    clock,
    parent: config.traces.parent,
    ...(spans && { provider: spans.provider }),
  });
  const events = createEvents({ logger, metrics, openTrace, clock });
  const close = async (): Promise<{ stalled: boolean }> => {
    await spans?.close();
    return logger.close();
  };
  return { events, metrics, logger, close };
}

async function openSpanExport(traces: Config["traces"], on: SpanEvents): Promise<SpanExport | null> {
  const { endpoint, headers, serviceName, sample } = traces;
  if (endpoint === null) return null;
  return startSpanExport({
    endpoint,
    headers: headerList(headers?.reveal() ?? ""),
    serviceName,
    version: packageVersion(),
    instanceId: randomUUID(),
    sample: Number(sample),
    on,
  });
}

/** `name=value,name=value`, as OpenTelemetry writes it. */
const headerList = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(",")
      .map((pair) => pair.trim())
      .filter((pair) => pair !== "")
      .map((pair) => [pair.slice(0, pair.indexOf("=")), decoded(pair.slice(pair.indexOf("=") + 1))]),
  );

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
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
