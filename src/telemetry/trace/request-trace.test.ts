import { type HrTime, SpanKind } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { calledAt } from "../../../tests/support/call-made.ts";
import type { Clock } from "../../core/clock.ts";
import type { RecordRequest } from "../../core/request/request-facts.ts";
import { createLogger } from "../log/logger.ts";
import { createMetrics } from "../metrics/metrics.ts";
import type { RequestFinished, RequestOpened } from "../request-line.ts";
import { openRequestLog } from "../request-log.ts";
import { createOpenTrace } from "./tracing.ts";

/** The clock of durations starts elsewhere than that of dates. */
const EPOCH_MS = 1_700_000_000_000;

function build(parent: "ignore" | "continue" = "ignore", sample = 1) {
  const time = { ms: 0 };
  const clock: Clock = { nowMs: () => EPOCH_MS + time.ms, elapsedMs: () => time.ms };
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sample) }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ level: "info", clock, destination: { write } });
  const openTrace = createOpenTrace({ clock, provider, parent });
  const traceIds: (string | null)[] = [];
  const record: RecordRequest = ({ traceId }) => traceIds.push(traceId);
  const parts = { logger, metrics: createMetrics(), openTrace, clock, record };
  return {
    traceIds,
    open: (request = opened) => openRequestLog(parts, request),
    time,
    lines,
    spans: () => exporter.getFinishedSpans(),
  };
}

const opened: RequestOpened = { requestId: "req_1", route: "chat_completions", dialect: "chat", method: "POST" };
const completed: RequestFinished = {
  status: 200,
  code: null,
  outcome: "completed",
  streamed: true,
  inputTokens: 12,
  outputTokens: 34,
  providerMs: 70,
  bytesOut: 2048,
};

const sinceEpochMs = ([seconds, nanos]: HrTime): number =>
  Math.round((seconds * 1e3 - EPOCH_MS) * 1e3 + nanos / 1e3) / 1e3;
test("a request is a span, with one below it for each call to a provider and to the ledger, in the words other tools know", () => {
  const { open, spans, time } = build();
  time.ms = 1_000;

  const log = open();
  log.authenticated({ keyId: "key-1", prefix: "tgc_0a1Xy7Qp" });
  log.modelFound({ id: "sim-large", priceVersion: 3, unit: "credit" });
  log.ledgerCalled({ name: "admit", startedAtMs: 1_001, endedAtMs: 1_003 });
  time.ms = 1_010;
  log.dispatched({ ...calledAt("one", 1), status: 429, failure: "rate_limited", waitedMs: 6 });
  time.ms = 1_040;
  log.dispatched({ ...calledAt("gemini", 2), waitedMs: 20 });
  time.ms = 1_045;
  log.firstByte();
  log.charged(1_230_000n);
  log.ledgerCalled({ name: "settle", startedAtMs: 1_090, endedAtMs: 1_095 });
  time.ms = 1_096;
  log.finished({ ...completed, providerMs: 6 + 20 + 50 });

  expect(
    spans().map(({ name, kind, startTime, endTime }) => [name, kind, sinceEpochMs(startTime), sinceEpochMs(endTime)]),
  ).toEqual([
    ["ledger admit", SpanKind.INTERNAL, 1_001, 1_003],
    ["chat large", SpanKind.CLIENT, 1_004, 1_010],
    ["ledger settle", SpanKind.INTERNAL, 1_090, 1_095],
    ["chat large", SpanKind.CLIENT, 1_020, 1_090],
    ["POST /v1/chat/completions", SpanKind.SERVER, 1_000, 1_096],
  ]);
  const [, failed, , answered, request] = spans();
  const below = spans().slice(0, 4);
  expect(below.map((span) => span.parentSpanContext?.spanId)).toEqual(below.map(() => request?.spanContext().spanId));
  expect(request?.events.map(({ name, time: at }) => [name, sinceEpochMs(at)])).toEqual([["first byte", 1_045]]);
  expect(request?.attributes).toMatchObject({
    "http.request.method": "POST",
    "http.route": "/v1/chat/completions",
    "http.response.status_code": 200,
    "gen_ai.request.model": "sim-large",
    "tollgate.request_id": "req_1",
    "tollgate.key_id": "key-1",
    "tollgate.cost": "0.00123",
    "tollgate.attempts": 2,
  });
  expect(failed?.status.code).toBe(2);
  expect(failed?.attributes).toMatchObject({
    "gen_ai.provider.name": "one",
    "server.address": "one.example",
    "http.response.status_code": 429,
    "error.type": "rate_limited",
    "tollgate.attempt": 1,
  });
  expect(answered?.status.code).toBe(0);
  expect(answered?.attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "gcp.gemini",
    "gen_ai.request.model": "large",
    "gen_ai.usage.input_tokens": 12,
    "gen_ai.usage.output_tokens": 34,
    "tollgate.outcome": "completed",
  });
});

test("a stream that its provider broke off is an error of the provider's span and not of the request's", () => {
  const { open, spans } = build();

  const log = open();
  log.dispatched(calledAt("one", 1));
  log.finished({ ...completed, outcome: "upstream_failed", code: "upstream_error" });

  expect(spans().map(({ name, status }) => [name, status.code])).toEqual([
    ["chat large", 2],
    ["POST /v1/chat/completions", 0],
  ]);
  expect(spans()[0]?.attributes).toMatchObject({ "error.type": "upstream_failed" });
});

test("a request that failed is an error, and its message holds no secret", () => {
  const { open, spans } = build();

  const log = open();
  log.failed(new Error("rejected Bearer sk-abcdefghijklmnopqrstuvwxyz0123456789"));
  log.finished({ ...completed, status: 500, code: "internal_error", outcome: null });

  expect(spans()[0]?.status).toMatchObject({ code: 2, message: expect.stringContaining("rejected") });
  expect(JSON.stringify(spans()[0]?.status)).not.toContain("sk-abc");
});

test("a key with a token budget has its charge in tokens", () => {
  const { open, spans } = build();

  const log = open();
  log.modelFound({ id: "sim-large", priceVersion: null, unit: "tokens" });
  log.charged(46n);
  log.finished(completed);

  expect(spans()[0]?.attributes).toMatchObject({ "tollgate.charged_tokens": 46 });
  expect(spans()[0]?.attributes).not.toHaveProperty("tollgate.cost");
});

const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test.for([
  ["continued where it is set so", "continue", PARENT, "00f067aa0ba902b7"],
  ["ignored otherwise", "ignore", PARENT, undefined],
  ["ignored when its ids are zeros", "continue", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`, undefined],
  ["ignored when it is of no known version", "continue", PARENT.replace("00-", "ff-"), undefined],
  ["ignored when it is longer than its version allows", "continue", `${PARENT}0`, undefined],
] as const)("a client's traceparent is %s", ([, parent, traceparent, expected]) => {
  const { open, spans } = build(parent);

  open({ ...opened, traceparent }).finished(completed);

  expect(spans().map((span) => span.parentSpanContext?.spanId)).toEqual([expected]);
});

test("the log line of a request has the id of its trace, and none if the trace is not sampled", () => {
  const [kept, left] = [build(), build("ignore", 0)];

  kept.open().finished(completed);
  left.open().finished(completed);

  expect(kept.lines[0]?.["trace_id"]).toBe(kept.spans()[0]?.spanContext().traceId);
  expect(left.lines[0]).not.toHaveProperty("trace_id");
});

test.for([
  ["its own, although the client named one", 1, PARENT, "own"],
  ["its own, where the client named none", 1, undefined, "own"],
  ["the client's, where it is not sampled", 0, PARENT, PARENT.slice(3, 35)],
  ["none, where it is not sampled and the client's is none", 0, `${PARENT}0`, null],
  ["none, where it is not sampled and the client named none", 0, undefined, null],
] as const)("the record of a request has the id of a trace: %s", ([, sample, traceparent, expected]) => {
  const { open, spans, traceIds } = build("ignore", sample);

  const log = open({ ...opened, traceparent });
  log.authenticated({ keyId: "key-1", prefix: "tgc_0a1Xy7Qp" });
  log.finished(completed);

  expect(traceIds).toEqual([expected === "own" ? spans()[0]?.spanContext().traceId : expected]);
});

test("a provider that is told of its span is told of the one that is written, and of no other", () => {
  const { open, spans, time } = build("continue");

  const log = open({ ...opened, traceparent: PARENT });
  time.ms = 5;
  const first = log.calling(calledAt("one", 1).route);
  time.ms = 10;
  log.dispatched({ ...calledAt("one", 1), status: 429, failure: "rate_limited", waitedMs: 5 });
  const second = log.calling(calledAt("two", 2).route);
  time.ms = 40;
  log.dispatched({ ...calledAt("two", 2), waitedMs: 30 });
  log.finished({ ...completed, providerMs: 45 });

  const [failed, answered, request] = spans();
  expect(spans()).toHaveLength(3);
  const contextOf = (span = failed): string => `00-4bf92f3577b34da6a3ce929d0e0e4736-${span?.spanContext().spanId}-01`;
  expect([first, second]).toEqual([contextOf(failed), contextOf(answered)]);
  expect([first, second]).not.toContain(contextOf(request));
  expect(failed).toMatchObject({
    name: "chat large",
    attributes: { "tollgate.attempt": 1, "error.type": "rate_limited" },
  });
  expect([failed, answered].map((span) => span && [sinceEpochMs(span.startTime), sinceEpochMs(span.endTime)])).toEqual([
    [5, 10],
    [10, 50],
  ]);
  expect(answered?.attributes).toMatchObject({ "tollgate.attempt": 2, "gen_ai.usage.output_tokens": 34 });
});

test("a call that its client left ends with the request", () => {
  const { open, spans, time } = build();

  const log = open();
  log.calling(calledAt("one", 1).route);
  time.ms = 30;
  log.finished({ ...completed, outcome: "client_gone" });

  expect(spans().map(({ name, endTime }) => [name, sinceEpochMs(endTime)])).toEqual([
    ["chat large", 30],
    ["POST /v1/chat/completions", 30],
  ]);
});

test("a provider is told that a trace is not sampled", () => {
  const { open } = build("ignore", 0);

  expect(open().calling(calledAt("one", 1).route)).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
});

test("without an SDK no span is made", () => {
  const clock = { nowMs: () => 0, elapsedMs: () => 0 };

  expect(createOpenTrace({ clock, parent: "ignore" })(opened)).toBeNull();
});
