import { expect, test } from "vitest";
import { COUNTERS, GAUGES, HISTOGRAMS } from "./metric-table.ts";
import { CERTIFICATE_GAUGES, DATABASE_GAUGES, DISK_GAUGES } from "./server-metric-table.ts";
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
  key: null,
  model: null,
  provider: null,
  firstByteMs: null,
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

  const table = [COUNTERS, HISTOGRAMS, GAUGES, DATABASE_GAUGES, DISK_GAUGES, CERTIFICATE_GAUGES].flatMap<string>(
    (rows) => Object.values(rows).map(({ name }) => name),
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

test("alarms and background tasks are there at 0 before the first, so that the first is seen as an increase", async () => {
  const metrics = createMetrics();

  const before = await metrics.expose();
  metrics.moneyAlarmed("overrun");
  metrics.dutyEnded("sweep", "failed");
  const after = await metrics.expose();

  expect(before.text).toContain('tollgate_money_alarms_total{kind="overrun"} 0');
  expect(before.text).toContain('tollgate_money_alarms_accepted_total{kind="overrun"} 0');
  expect(before.text).toContain('tollgate_duties_total{duty="sweep",result="failed"} 0');
  expect(after.text).toContain('tollgate_money_alarms_total{kind="overrun"} 1');
  expect(after.text).toContain('tollgate_duties_total{duty="sweep",result="failed"} 1');
});

test("a key has its requests, tokens and credits under its prefix", async () => {
  const metrics = createMetrics();
  const key = { prefix: "tgc_0a1b2c", account: "a1", unit: "credit", charged: 1_500_000_000n } as const;

  metrics.requestFinished({ ...finished, key });
  metrics.requestFinished({ ...finished, key: { ...key, charged: 0n }, status: 402, code: "insufficient_credit" });
  metrics.requestFinished({ ...finished, key: { ...key, charged: 0n }, code: "upstream_error" });
  metrics.requestFinished({ ...finished, key: { prefix: "tgt_0a1b2c", account: null, unit: "tokens", charged: 30n } });
  metrics.requestFinished({ ...finished, key: null, status: 401, code: "invalid_credentials" });

  const { text } = await metrics.expose();
  expect(text).toContain('tollgate_charged_credits_total{key="tgc_0a1b2c"} 1.5');
  expect(text).toContain('tollgate_account_charged_credits_total{account="a1"} 1.5');
  expect(text).toContain('tollgate_charged_tokens_total{key="tgt_0a1b2c"} 30');
  expect(text).toContain('tollgate_key_tokens_total{key="tgc_0a1b2c",direction="input"} 30');
  for (const result of ["ok", "rejected", "failed"])
    expect(text).toContain(`tollgate_key_requests_total{key="tgc_0a1b2c",result="${result}"} 1`);
  expect((await metrics.expose()).text).toBe(text);
});

test.each([0, 1, 20])(
  "%i keys and accounts have series of their own and the rest are counted as other",
  async (keySeries) => {
    const metrics = createMetrics({ keySeries });

    for (let index = 0; index < 5_000; index++) {
      const prefix = index === 0 ? "other" : `tgc_${index}`;
      metrics.requestFinished({
        ...finished,
        key: { prefix, account: prefix, unit: "credit", charged: 1_000_000_000n },
      });
    }

    const { text } = await metrics.expose();
    for (const name of ["tollgate_charged_credits_total", "tollgate_account_charged_credits_total"]) {
      const amounts = [...text.matchAll(new RegExp(String.raw`^${name}\{.*\} (\d+)$`, "gm"))].map(([, amount]) =>
        Number(amount),
      );
      expect(amounts).toHaveLength(keySeries + 1);
      expect(amounts.reduce((sum, amount) => sum + amount)).toBe(5_000);
    }
  },
);
