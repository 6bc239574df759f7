import { type BenchDialect, DIALECTS } from "./dialects.ts";

/** Who runs where; null when nothing is pinned. */
export type Cores = { proxy: number; load: number };

/** What one run of the load generator does. It travels as JSON on the generator's command line. */
export type LoadJob = {
  /**
   * `closed`: every connection sends its next request when the last one is answered, which finds the highest rate.
   * `open`: requests leave on a fixed schedule, answered or not, which finds the latency at that rate.
   * `hold`: opens one stream per connection and keeps them open until standard input closes.
   */
  mode: "closed" | "open" | "hold";
  origin: string;
  dialect: BenchDialect;
  credential: string;
  model: string;
  streamed: "yes" | "no";
  connections: number;
  /** Requests per second; only in `open`. */
  ratePerSecond: number;
  /** Sent, but not counted. */
  warmupMs: number;
  durationMs: number;
  /** An answer with another number of events is a failure; null when the number is not known yet. */
  eventsPerStream: number | null;
  /** The processes whose processor time is read at both ends of the measurement. */
  watch: { proxyPid: number | null; providerPid: number; databasePid: number | null; cores: Cores | null };
};

export type Percentiles = { p50: number; p99: number };

export type LoadResult = {
  requests: number;
  failures: number;
  firstFailure: string | null;
  events: number;
  /** Reads from sockets: how far events arrived one by one. */
  reads: number;
  durationMs: number;
  latencyMicros: Percentiles;
  firstByteMicros: Percentiles;
  /** How late the generator itself sent, which is part of both latencies; only in `open`. */
  latenessMicros: Percentiles;
  /** Processor time spent between both ends of the measurement. */
  cpuMicros: {
    proxy: number;
    provider: number;
    database: number;
    generator: number;
    proxyCore: number;
    loadCore: number;
  };
};

const BODY_BYTES = 1024;

/** The bytes of a request, made once: a POST whose body is 1 KiB to the byte, whatever the model is called. */
export function requestBytes(job: Pick<LoadJob, "origin" | "dialect" | "credential" | "model" | "streamed">): Buffer {
  const { path, headers, body: bodyOf } = DIALECTS[job.dialect];
  const bodyWith = (content: string): string =>
    JSON.stringify({
      model: job.model,
      ...bodyOf(content),
      ...(job.streamed === "yes" ? { stream: true } : {}),
    });
  const padding = BODY_BYTES - Buffer.byteLength(bodyWith(""));
  const body = bodyWith("Tell me about tolls. ".repeat(60).slice(0, Math.max(1, padding)));
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(job.origin).host}`,
    `authorization: Bearer ${job.credential}`,
    "content-type: application/json",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
