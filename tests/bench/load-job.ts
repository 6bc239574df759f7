import { type BenchDialect, dialectOf, pathOf } from "./dialects.ts";
import type { Buckets } from "./histogram.ts";

/** What one run of a load generator does. */
export type LoadJob = {
  /**
   * `closed`: every connection sends its next request when the last one is answered, which finds the highest rate.
   * `open`: requests leave on a fixed schedule, answered or not, which finds the latency at that rate.
   * `hold`: opens one stream per connection and keeps them open.
   */
  mode: "closed" | "open" | "hold";
  port: number;
  /** The bytes of the request in base64; each connection writes its number into `tagOffset`. */
  request: string;
  tagOffset: number;
  connections: number;
  /** Requests per second in `open`; in `hold` streams opened per second, 0: as fast as `atOnce` allows. */
  ratePerSecond: number;
  durationMs: number;
  /** An answer with another number of events is a failure; null: any number. */
  eventsPerStream: number | null;
  /** An answer with a shorter body is a failure. */
  leastBytes: number;
  /** How many streams are opened at the same time; only in `hold`. */
  atOnce: number;
  /** How many requests are sent before the time is up; 0: as many as the time allows; only in `closed`. */
  mostRequests: number;
};

/** In microseconds; `buckets` are those of `Histogram`, by which the latencies of several jobs can be added up. */
export type Percentiles = { p50: number; p99: number; buckets: Buckets };

export type LoadResult = {
  requests: number;
  /** Answers with another status than 200, with missing events or bytes, or none at all. They are part of `requests`. */
  failures: number;
  firstFailure: string;
  events: number;
  /** Reads from sockets: how far events arrived one by one. */
  reads: number;
  /** Those of `requests` and of `events` that were answered before the time was up; the others were under way then. */
  inTime: number;
  eventsInTime: number;
  durationMs: number;
  /** Until the last answer was there. */
  elapsedMs: number;
  /** Streams that delivered something, those that did not, and how long the last one took; only in `hold`. */
  opened: number;
  refused: number;
  openedMs: number;
  /** From the moment a request was sent, or in `open` was due. */
  latencyMicros: Percentiles;
  firstByteMicros: Percentiles;
  /** How late the generator itself sent, which is part of both latencies; only in `open`. */
  latenessMicros: Percentiles;
};

export type RequestInput = {
  origin: string;
  dialect: BenchDialect;
  credential: string;
  headers: Record<string, string>;
  model: string;
  streamed: boolean;
};

const BODY_BYTES = 1024;
/** By this the compiled provider knows which connection of the generator a stream leads to. */
const TAG = "toll #";
const PROMPT = `Tell me about ${TAG}000000. ${"Tell me about tolls. ".repeat(60)}`;

/** The bytes of a request, made once: a POST whose body is 1 KiB to the byte, whatever the model is called. */
export function requestBytes({ origin, dialect, credential, headers, model, streamed }: RequestInput): Buffer {
  const bodyWith = (content: string): string => JSON.stringify(dialectOf(dialect).body({ model, content, streamed }));
  const padding = BODY_BYTES - Buffer.byteLength(bodyWith(""));
  const body = bodyWith(PROMPT.slice(0, padding));
  const lines = [
    `POST ${pathOf(dialect, { model, streamed })} HTTP/1.1`,
    `host: ${new URL(origin).host}`,
    `authorization: Bearer ${credential}`,
    "content-type: application/json",
    ...Object.entries({ ...dialectOf(dialect).headers, ...headers }).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

export const tagOffsetIn = (request: Buffer): number => request.lastIndexOf(TAG) + TAG.length;
