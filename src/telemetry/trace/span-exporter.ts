import { setTimeout as wait } from "node:timers/promises";
import type { TracerProvider } from "@opentelemetry/api";
import type { ReadableSpan, SpanExporter, SpanProcessor } from "@opentelemetry/sdk-trace";
import type { Clock } from "../../core/clock.ts";
import { createLineAllowance } from "../log/line-allowance.ts";
import { sayTo } from "../log/log-table.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";

export type SpanExport = {
  provider: TracerProvider;
  /** Sends what is left, within a bound, and stops. */
  close: () => Promise<void>;
};

type Parts = {
  /** Base address of a collector that takes OTLP over HTTP. */
  endpoint: string;
  /** Headers for the collector, such as its credential. */
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  version: string;
  /** Of this process, for as long as it runs. */
  instanceId: string;
  /** The part of all traces that is kept, from 0 to 1. */
  sample: number;
  on: SpanEvents;
};

export type SpanEvents = {
  sent: (spans: number) => void;
  /** The collector did not take them, for a reason without a secret. */
  failed: (spans: number, reason: string) => void;
  /** More spans waited for the collector than are kept. */
  dropped: () => void;
};

/** A collector that is away must be seen, and must not fill a disk. */
export function createSpanEvents({
  logger,
  metrics,
  clock,
}: {
  logger: Logger;
  metrics: Metrics;
  clock: Clock;
}): SpanEvents {
  const say = sayTo(logger);
  const failures = createLineAllowance({ most: 1, perMs: 60_000, clock });
  return {
    sent: (spans) => metrics.spansEnded("sent", spans),
    failed: (spans, reason) => {
      metrics.spansEnded("failed", spans);
      const line = failures.take();
      if (line !== null) say("spansLost", { spans, reason, unwritten: line.unwritten });
    },
    dropped: () => metrics.spansEnded("dropped", 1),
  };
}

/** A request makes four or five spans, so this is some thousand requests while the collector does not answer. */
const MOST_WAITING = 16_384;
const BATCH = 512;
const DELAY_MS = 1_000;
const TIMEOUT_MS = 5_000;
const CLOSE_MS = 5_000;

/** Sends spans with OpenTelemetry's own exporter. Its packages are loaded here, so that who sends none never loads them. */
export async function startSpanExport(parts: Parts): Promise<SpanExport> {
  const [{ OTLPTraceExporter }, sdk, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/exporter-trace-otlp-proto"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/resources"),
  ]);
  const { endpoint, headers, serviceName, version, instanceId, sample, on } = parts;
  const waiting = { spans: 0 };
  const otlp = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: TIMEOUT_MS,
  });
  const batches = new sdk.BatchSpanProcessor({
    exporter: counted(otlp, waiting, on),
    maxQueueSize: MOST_WAITING,
    maxExportBatchSize: BATCH,
    scheduledDelayMillis: DELAY_MS,
    exportTimeoutMillis: TIMEOUT_MS,
  });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      "service.name": serviceName,
      "service.version": version,
      "service.instance.id": instanceId,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(sample) }),
    spanProcessors: [bounded(batches, waiting, on)],
  });
  const close = async (): Promise<void> => {
    const late = wait(CLOSE_MS, undefined, { ref: false });
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
  };
  return { provider, close };
}

/** Counts what waits, so that the bound is ours to keep and to tell: the processor drops in silence. */
const bounded = (batches: SpanProcessor, waiting: { spans: number }, on: SpanEvents): SpanProcessor => ({
  onStart: (span, context) => batches.onStart(span, context),
  onEnd: (span) => {
    if ((span.spanContext().traceFlags & 1) === 0) return;
    if (waiting.spans >= MOST_WAITING) return on.dropped();
    waiting.spans++;
    batches.onEnd(span);
  },
  forceFlush: () => batches.forceFlush(),
  shutdown: () => batches.shutdown(),
});

const counted = (exporter: SpanExporter, waiting: { spans: number }, on: SpanEvents): SpanExporter => ({
  export: (spans: ReadableSpan[], done) =>
    exporter.export(spans, (result) => {
      waiting.spans -= spans.length;
      if (result.error === undefined) on.sent(spans.length);
      else on.failed(spans.length, reasonOf(result.error));
      done(result);
    }),
  shutdown: () => exporter.shutdown(),
});

/** The name of the failure and its code: a message may repeat an address with a credential in it. */
function reasonOf(error: Error & { code?: unknown }): string {
  const code = typeof error.code === "string" || typeof error.code === "number" ? ` ${error.code}` : "";
  return `${error.name}${code}`;
}
