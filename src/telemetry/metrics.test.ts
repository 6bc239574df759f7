import { expect, test } from "vitest";
import { COUNTERS, GAUGES, HISTOGRAMS } from "./metric-table.ts";
import { createMetrics, type FinishedRequest } from "./metrics.ts";
import { collectProcessMetrics } from "./process-metrics.ts";

const finished: FinishedRequest = {
  route: "messages",
  dialect: "messages",
  status: 200,
  code: null,
  outcome: "completed",
  totalMs: 12,
  overheadMs: 0.2,
  inputTokens: 10,
  outputTokens: 20,
};

test("a request is counted once in every metric that concerns it, and a second scrape says the same", async () => {
  const metrics = createMetrics();
  metrics.requestOpened();
  metrics.requestOpened();
  metrics.firstByte("messages", 3);
  metrics.requestFinished(finished);

  await metrics.expose();
  const { text } = await metrics.expose();

  expect(text).toContain('tollgate_requests_total{route="messages",format="messages",status="200",code=""} 1');
  expect(text).toContain('tollgate_request_seconds_bucket{le="0.025",route="messages"} 1');
  expect(text).toContain('tollgate_request_seconds_bucket{le="0.01",route="messages"} 0');
  expect(text).toContain('tollgate_overhead_seconds_bucket{le="0.00025",route="messages"} 1');
  expect(text).toContain('tollgate_first_byte_seconds_count{route="messages"} 1');
  expect(text).toContain('tollgate_tokens_total{direction="input"} 10');
  expect(text).toContain('tollgate_tokens_total{direction="output"} 20');
  expect(text).toContain('tollgate_outcomes_total{outcome="completed"} 1');
  expect(text).toContain('tollgate_outcomes_total{outcome="timed_out"} 0');
  expect(text).toMatch(/^tollgate_open_requests 1$/m);
});

test("every metric of the table is exposed under its name, and nothing else is", async () => {
  const metrics = createMetrics();

  const names = metrics.registry.getMetricsAsArray().map(({ name }) => name);

  const table = [...Object.values(COUNTERS), ...Object.values(HISTOGRAMS), ...Object.values(GAUGES)].map(
    ({ name }) => name,
  );
  expect(names.toSorted()).toEqual(table.toSorted());
});

test("a name chosen by somebody else cannot make series without end", async () => {
  const metrics = createMetrics();

  for (let index = 0; index < 5000; index++) metrics.upstreamCalled(`provider-${index}`, `reason-${index}`);
  metrics.upstreamCalled("x".repeat(1000), "answered");

  const { text } = await metrics.expose();
  expect(text.match(/^tollgate_upstream_calls_total\{/gm)?.length).toBeLessThanOrEqual(101);
  expect(text).toContain('{provider="other",outcome="other"}');
});

test("numbers that make no sense are left out and fail nothing", async () => {
  const metrics = createMetrics();

  metrics.requestFinished({
    ...finished,
    status: Number.NaN,
    totalMs: Number.NaN,
    overheadMs: -1,
    inputTokens: -5,
    outputTokens: Number.POSITIVE_INFINITY,
  });

  const { text } = await metrics.expose();
  expect(text).toContain('status="none"');
  expect(text).not.toContain("tollgate_request_seconds_count{");
  expect(text).toContain('tollgate_tokens_total{direction="input"} 0');
});

test("memory, processor time and event-loop lag of the process are exposed on request", async () => {
  const metrics = createMetrics();
  collectProcessMetrics(metrics.registry);

  const { text, contentType } = await metrics.expose();

  expect(contentType).toContain("text/plain");
  for (const name of [
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "nodejs_eventloop_lag_p99_seconds",
  ]) {
    expect(text).toContain(`# TYPE ${name} `);
  }
});
