import type { Attributes, Span, SpanOptions, SpanStatus, Tracer, TracerProvider } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { calledAt } from "../../tests/support/call-made.ts";
import type { Clock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import { troubleOf } from "../db/trouble.ts";
import { createEvents } from "./events.ts";
import { createLogger, type LogLevel } from "./log/logger.ts";
import { createMetrics } from "./metrics/metrics.ts";
import type { RequestFinished, RequestOpened } from "./request-line.ts";
import { createOpenTrace } from "./trace/tracing.ts";

const CANARY = "Canary0f7d2c9a41b8e6";

type RecordedSpan = {
  name: string;
  attributes: Attributes;
  events: string[];
  status: SpanStatus | null;
  ended: number;
};

/** A collector of spans in memory, in place of an SDK. */
function recordingProvider() {
  const spans: RecordedSpan[] = [];
  const startSpan = (name: string, options?: SpanOptions): Span => {
    const recorded: RecordedSpan = { name, attributes: { ...options?.attributes }, events: [], status: null, ended: 0 };
    spans.push(recorded);
    const span: Partial<Span> = {
      setAttribute: (key, value) => (Object.assign(recorded.attributes, { [key]: value }), span as Span),
      setAttributes: (attributes) => (Object.assign(recorded.attributes, attributes), span as Span),
      addEvent: (event) => (recorded.events.push(event), span as Span),
      setStatus: (status) => ((recorded.status = status), span as Span),
      spanContext: () => ({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", traceFlags: 1 }),
      end: () => void recorded.ended++,
    };
    return span as Span;
  };
  const provider: TracerProvider = { getTracer: () => ({ startSpan }) as unknown as Tracer };
  return { provider, spans };
}

function build(level: LogLevel = "debug") {
  const lines: Record<string, unknown>[] = [];
  const time = { ms: 0 };
  const clock: Clock = { nowMs: () => time.ms, elapsedMs: () => time.ms };
  const { provider, spans } = recordingProvider();
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
    flush: () => {},
  };
  const metrics = createMetrics();
  const logger = createLogger({ level, clock, destination });
  const events = createEvents({
    logger,
    metrics,
    openTrace: createOpenTrace({ clock, provider, parent: "ignore" }),
    clock,
  });
  return { events, metrics, lines, time, spans };
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

test("a request is one line that says who, what, where, how long and how it ended", () => {
  const { events, lines, time } = build();

  const log = events.requestOpened(opened);
  log.authenticated({ keyId: "key-1", prefix: "tgc_0a1Xy7Qp" });
  log.modelAsked("sim-large");
  log.modelFound({ id: "sim-large", priceVersion: 3, unit: "credit" });
  log.charged(1_230_000n);
  log.dispatched(calledAt("one", 1));
  log.dispatched(calledAt("two", 2));
  time.ms = 40;
  log.firstByte();
  time.ms = 75.5;
  log.finished(completed);

  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    level: "info",
    msg: "request",
    request_id: "req_1",
    route: "chat_completions",
    status: 200,
    outcome: "completed",
    key_id: "key-1",
    key_prefix: "tgc_0a1Xy7Qp",
    model: "sim-large",
    price_version: 3,
    cost: "0.00123",
    provider: "two",
    attempts: 2,
    input_tokens: 12,
    output_tokens: 34,
    total_ms: 75.5,
    first_byte_ms: 40,
    provider_ms: 70,
    overhead_ms: 5.5,
  });
});

test("what a key with a token budget was charged is a number of tokens, and what was not priced has no version", () => {
  const { events, lines } = build();

  const log = events.requestOpened(opened);
  log.modelFound({ id: "sim-large", priceVersion: null, unit: "tokens" });
  log.charged(46n);
  log.finished(completed);

  expect(lines[0]).toMatchObject({ model: "sim-large", charged_tokens: 46 });
  expect(lines[0]).not.toHaveProperty("cost");
  expect(lines[0]).not.toHaveProperty("price_version");
});

test("finishing twice writes one line, counts one request and closes one stream", async () => {
  const { events, metrics, lines, spans } = build();

  const log = events.requestOpened(opened);
  log.streamOpened();
  log.streamOpened();
  log.finished(completed);
  log.finished(completed);
  log.firstByte();
  log.streamOpened();

  expect(lines).toHaveLength(1);
  expect(spans.map((span) => span.ended)).toEqual([1]);
  const { text } = await metrics.expose();
  expect(text).toMatch(/^tollgate_open_requests 0$/m);
  expect(text).toMatch(/^tollgate_open_streams 0$/m);
  expect(text).toMatch(/^tollgate_requests_total\{.*\} 1$/m);
});

test("a refusal is a line of level info without a stack, a failure is one of level error with its cause", () => {
  const { events, lines } = build();
  const refusal = new Fault("invalid_request", "No.", { param: "messages.1.role", detail: { ceiling: 5n } });
  const failure = new Error("outer", { cause: Object.assign(new Error("inner"), { code: "ECONNRESET" }) });

  const refused = events.requestOpened(opened);
  refused.failed(refusal);
  refused.finished({ ...completed, status: 400, code: "invalid_request", outcome: null });
  const failed = events.requestOpened(opened);
  failed.failed(failure);
  failed.finished({ ...completed, status: 500, code: "internal_error", outcome: null });

  expect(lines[0]).toMatchObject({
    level: "info",
    code: "invalid_request",
    error: { param: "messages.1.role", detail: { ceiling: "5" } },
  });
  expect(JSON.stringify(lines[0])).not.toContain("stack");
  expect(lines[1]).toMatchObject({
    level: "error",
    error: { message: "outer", cause: { message: "inner", code: "ECONNRESET" } },
  });
  expect(JSON.stringify(lines[1])).toContain("events.test.ts");
});

test("health checks are silent at level info", () => {
  const { events, lines } = build("info");

  events.requestOpened({ ...opened, route: "health", dialect: null }).finished({ ...completed, outcome: null });

  expect(lines).toEqual([]);
});

test("a secret reaches neither log nor span nor metric, wherever an error carries it", async () => {
  const { events, metrics, lines, spans } = build();
  const error = Object.assign(new Error(`connect postgres://u:${CANARY}@db/x with Bearer ${CANARY}`), {
    code: `sk-${CANARY}`,
    detail: { headers: { "x-api-key": CANARY }, list: [`tgc_0a1${CANARY}`] },
    cause: new AggregateError([new Error(`Authorization: Basic ${CANARY}`)], `sk-${CANARY}`),
  });

  const log = events.requestOpened(opened);
  log.modelAsked(`sk-${CANARY}`);
  log.failed(error);
  log.finished({ ...completed, status: 502, code: "upstream_error" });
  const unknown = events.requestOpened(opened);
  unknown.modelAsked(`sk-${CANARY}`);
  unknown.finished({ ...completed, status: 404, code: "model_not_found" });
  events.bug(error, "req_1");
  events.readFailed("keys", error);
  events.connectionBroken(error);
  events.ledgerChanged({ state: "down", sinceMs: 0, trouble: troubleOf(error) });

  expect(lines).toHaveLength(6);
  const everything = JSON.stringify([lines, spans, await metrics.expose()]);
  expect(everything).not.toContain(CANARY);
});

test("what a caller wrote does not reach the log through the message of a JSON parser", () => {
  const { events, lines } = build();
  let thrown: unknown;
  try {
    JSON.parse('{"messages": my private prompt');
  } catch (error) {
    thrown = error;
  }

  events.bug(new Error("could not read", { cause: thrown }), null);

  expect(JSON.stringify(lines)).not.toContain("private");
});

test("errors of any size and shape make a line of bounded length", () => {
  const { events, lines } = build();
  const error: Error & { detail?: unknown } = new Error("x".repeat(1e6));
  error.detail = { text: "y".repeat(1e6) };
  error.cause = error;

  events.bug(error, null);
  events.bug("a string", null);
  events.bug(undefined, null);
  const log = events.requestOpened(opened);
  log.modelAsked("m".repeat(1e6));
  log.finished(completed);

  expect(lines).toHaveLength(4);
  for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(40_000);
});

test("a ledger that is down is one line with cause and command, a gauge at zero, and one line when it is up", async () => {
  const { events, metrics, lines, time } = build();
  const sinceMs = time.ms;

  events.ledgerChanged({ state: "down", sinceMs, trouble: troubleOf({ code: "53100" }) });
  const { text } = await metrics.expose();
  time.ms += 2500;
  events.ledgerChanged({ state: "ok" });

  expect(text).toMatch(/^tollgate_ledger_up 0$/m);
  expect(lines).toEqual([
    expect.objectContaining({
      msg: "ledger down: requests get 503",
      reason: "a disk of PostgreSQL is full",
      sqlstate: "53100",
      fix: expect.stringContaining("df -h"),
    }),
    expect.objectContaining({ msg: "ledger up: requests are served again", down_ms: 2500 }),
  ]);
  expect((await metrics.expose()).text).toMatch(/^tollgate_ledger_up 1$/m);
});

test("what fails every few seconds while the database is away is one line a minute", () => {
  const { events, lines } = build();

  for (let time = 0; time < 20; time++) {
    events.readFailed("catalogue", new Error("gone"));
    events.connectionBroken(new Error("gone"));
  }

  expect(lines.map(({ msg }) => msg)).toEqual(["reading the database failed", "database connection broken"]);
});

test("a duty that keeps failing is counted each time and written once, and once more when it is done again", async () => {
  const { events, metrics, lines, time } = build();

  events.dutyDone("sweep");
  for (const ms of [0, 5_000, 10_000]) {
    time.ms = ms;
    events.dutyFailed("sweep", new Error("gone"));
  }
  events.dutyFailed("rollup", new Error("gone"));
  time.ms = 12_000;
  events.dutyDone("sweep");
  events.dutyDone("sweep");

  expect(lines).toMatchObject([
    { level: "warn", msg: "background task failed", duty: "sweep" },
    { level: "warn", msg: "background task failed", duty: "rollup" },
    { level: "info", msg: "background task works again", duty: "sweep", failing_ms: 12_000 },
  ]);
  const { text } = await metrics.expose();
  expect(text).toContain('tollgate_duties_total{duty="sweep",result="failed"} 3');
  expect(text).toContain('tollgate_duties_total{duty="sweep",result="done"} 3');
});

test("a lost lease is an error and a gauge at zero until it is renewed", async () => {
  const { events, metrics, lines } = build();

  events.leaseLost();
  const { text } = await metrics.expose();
  events.dutyDone("lease");

  expect(text).toMatch(/^tollgate_lease_held 0$/m);
  expect(lines).toMatchObject([{ level: "error", msg: "lease lost" }]);
  expect((await metrics.expose()).text).toMatch(/^tollgate_lease_held 1$/m);
});

test("a hold that cannot be ended is an error that says why and what to do, and a gauge until none is left", async () => {
  const { events, metrics, lines } = build();

  events.holdQuarantined({ requestId: "req_1", keyId: "k", code: "23514", reason: "a rule of balance" });
  events.lostHoldsCounted({ quarantined: 3, lagSeconds: 7.5 });
  const { text } = await metrics.expose();
  events.lostHoldsCounted({ quarantined: 0, lagSeconds: 0 });

  expect(lines).toMatchObject([
    {
      level: "error",
      msg: "hold quarantined",
      request_id: "req_1",
      key_id: "k",
      sqlstate: "23514",
      reason: "a rule of balance",
      fix: expect.stringContaining("tollgate ledger quarantine list") as string,
    },
  ]);
  expect(text).toMatch(/^tollgate_holds_quarantined 3$/m);
  expect(text).toMatch(/^tollgate_sweep_lag_seconds 7.5$/m);
  expect(text).toMatch(/^tollgate_money_alarms_total\{kind="hold_quarantined"\} 1$/m);
  expect((await metrics.expose()).text).toMatch(/^tollgate_holds_quarantined 0$/m);
});

test("what is in order in the background writes no line", async () => {
  const { events, metrics, lines } = build();

  events.dutyDone("lease");
  events.holdsSwept({ holds: 0 });
  events.checkpointsWritten(3);
  events.dayPartitioned({ day: "2026-11-15", result: "present" });
  expect(lines).toEqual([]);
  events.holdsSwept({ holds: 12 });
  events.dayPartitioned({ day: "2026-11-16", result: "made" });
  events.dayPartitioned({ day: "2026-11-17", result: "occupied" });

  expect(lines).toMatchObject([
    { level: "info", msg: "holds swept", holds: 12 },
    { level: "info", msg: "partition created", day: "2026-11-16" },
    {
      level: "warn",
      msg: "day left in the default partition",
      day: "2026-11-17",
      fix: "tollgate ledger partitions --repair 2026-11-17",
    },
  ]);
  const { text } = await metrics.expose();
  expect(text).toMatch(/^tollgate_holds_swept_total 12$/m);
  expect(text).toMatch(/^tollgate_checkpoints_total 3$/m);
});

test("a failed attempt is counted by its reason and an answered one as answered", async () => {
  const { events, metrics, lines } = build();

  const log = events.requestOpened(opened);
  log.dispatched(calledAt("one", 1));
  events.upstreamFailed({
    requestId: "req_1",
    provider: "one",
    routeId: "route-1",
    reason: "connect_timeout",
    status: null,
  });
  log.dispatched(calledAt("two", 2));
  log.firstByte();

  const { text } = await metrics.expose();
  expect(text).toContain('tollgate_upstream_calls_total{provider="one",outcome="connect_timeout"} 1');
  expect(text).toContain('tollgate_upstream_calls_total{provider="two",outcome="answered"} 1');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({ level: "warn", msg: "upstream failed", request_id: "req_1" });
});

test("a provider that refuses our credential is an error in the log, and any other failure of one a warning [UPS-3]", () => {
  const { events, lines } = build();
  const failure = { requestId: "req_1", provider: "east", routeId: "route-1" };
  events.upstreamFailed({ ...failure, reason: "credential_refused", status: 401 });
  events.upstreamFailed({ ...failure, reason: "server_error", status: 500 });

  expect(lines).toMatchObject([
    { level: "error", msg: "upstream failed", reason: "credential_refused", status: 401 },
    { level: "warn", msg: "upstream failed", reason: "server_error", status: 500 },
  ]);
});

test("a credential that cannot be had is an error that says what to do, and its return is told", () => {
  const { events, lines } = build();
  events.credentialChanged({ provider: "east", problem: "env:EAST_KEY: names a variable that is not set." });
  events.credentialChanged({ provider: "east", problem: null });

  expect(lines).toMatchObject([
    { level: "error", msg: "credential missing", provider: "east", problem: expect.stringContaining("env:EAST_KEY") },
    { level: "info", msg: "credential found", provider: "east" },
  ]);
});

test("a route that is left alone says why, and says when it is back", () => {
  const { events, lines } = build();
  events.routeChanged({ routeId: "route-1", provider: "east", state: "open", reason: "timed_out", onHearsay: false });
  events.routeChanged({ routeId: "route-1", provider: "east", state: "closed", reason: "answered", onHearsay: false });

  expect(lines).toMatchObject([
    { level: "error", msg: "circuit breaker opened", provider: "east", route_id: "route-1", reason: "timed_out" },
    { level: "info", msg: "circuit breaker closed", provider: "east", route_id: "route-1" },
  ]);
});

test("a change of the catalogue is one line however much it changed, and no line when nothing did", () => {
  const { events, lines } = build();
  const changes = Array.from({ length: 2_000 }, (_, index) => ({ kind: "model", name: `m${index}`, change: "added" }));

  events.catalogueChanged({ actor: "admin", requestId: "req_1", changes });
  events.catalogueChanged({ actor: "admin", requestId: "req_2", changes: [] });

  expect(lines).toMatchObject([{ msg: "catalogue changed", actor: "admin", request_id: "req_1", changes: 2_000 }]);
  expect(lines[0]?.["named"]).toHaveLength(20);
  expect(lines[0]?.["named"]).toContain("added model m0");
});

const STRANGER = { credential: "personal token", reason: "unknown", actor: null } as const;

test("refused logins are told with where they come from, a few per minute, and the rest is counted", () => {
  const { events, lines, time } = build();
  for (let attempt = 0; attempt < 1_000; attempt++) {
    events.operatorRefused({ requestId: `req_${attempt}`, address: "192.0.2.7", ...STRANGER });
  }

  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatchObject({
    msg: "admin request rejected",
    address: "192.0.2.7",
    credential: "personal token",
    reason: "unknown",
    unwritten: 0,
  });

  time.ms += 60_000;
  events.operatorRefused({ requestId: "req_later", address: "192.0.2.8", ...STRANGER });

  expect(lines).toHaveLength(11);
  expect(lines[10]).toMatchObject({ request_id: "req_later", unwritten: 990 });
});

test("what an operator does to a key is told with what became of it", () => {
  const { events, lines } = build();
  const key = { keyId: "k", prefix: "tgc_0a1" };
  events.keyStatusChanged({ ...key, status: "suspended", actor: "admin", requestId: "req_1" });
  events.keyChanged({ ...key, changed: ["label"], actor: "cli" });

  expect(lines).toMatchObject([
    { msg: "key status changed", key_prefix: "tgc_0a1", status: "suspended", actor: "admin", request_id: "req_1" },
    { msg: "key changed", key_prefix: "tgc_0a1", changed: ["label"], actor: "cli" },
  ]);
  expect(lines[1]).not.toHaveProperty("request_id");
});

test("a refused database server is counted each time and logged three times a minute", async () => {
  const { events, metrics, lines, time } = build();
  const refusal = new Error("the database server a:1 is refused");

  for (let times = 0; times < 10; times++) events.serverRefused(refusal);
  time.ms = 61_000;
  events.serverRefused(refusal);
  events.booksMoved({ from: 1, to: 2 });

  expect(lines.map(({ msg }) => msg)).toEqual([
    ...Array.from({ length: 4 }, () => "database server refused"),
    "ledger moved to a higher timeline",
  ]);
  expect(lines[3]).toMatchObject({ level: "error", reason: refusal.message, unwritten: 7 });
  expect((await metrics.expose()).text).toMatch(/^tollgate_database_servers_refused_total 11$/m);
});

test("that statements are no longer prepared is logged with what the database said", () => {
  const { events, lines } = build();
  events.statementsUnprepared(new Error('prepared statement "x" does not exist'));

  expect(lines).toMatchObject([
    {
      level: "warn",
      msg: "prepared statements do not work here: none are used",
      reason: 'prepared statement "x" does not exist',
    },
  ]);
});

test("a process that is shutting down says so in a gauge", async () => {
  const { events, metrics } = build();

  const before = await metrics.expose();
  events.drainStarted({ openRequests: 2, deadlineMs: 310_000 });

  expect(before.text).toMatch(/^tollgate_draining 0$/m);
  expect((await metrics.expose()).text).toMatch(/^tollgate_draining 1$/m);
});
