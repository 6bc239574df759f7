import { TracerProvider } from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { calledAt } from "../../tests/support/call-made.ts";
import { createEvents } from "./events.ts";
import { ALARM_FIXES } from "./log/alarm-fixes.ts";
import { createLogger } from "./log/logger.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { REQUEST_FIELDS } from "./request-fields.ts";
import { createOpenTrace } from "./trace/tracing.ts";

function build() {
  const lines: Record<string, unknown>[] = [];
  const clock = { nowMs: () => 0, elapsedMs: () => 0 };
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const logger = createLogger({ level: "info", clock, destination: { write } });
  const openTrace = createOpenTrace({ clock, provider: new TracerProvider(), parent: "ignore" });
  return { events: createEvents({ logger, metrics: createMetrics(), openTrace, clock }), lines };
}

test("the reference lists exactly the fields that lines of requests have", () => {
  const { events, lines } = build();
  for (const unit of ["credit", "tokens"] as const) {
    const log = events.requestOpened({
      requestId: "req_1",
      route: "chat_completions",
      dialect: "chat",
      method: "POST",
    });
    log.authenticated({ keyId: "key-1", prefix: "tgc_0a1Xy7Qp" });
    log.modelFound({ id: "sim-large", priceVersion: 3, unit });
    log.dispatched(calledAt("one", 1));
    log.firstByte();
    log.failed(new Error("reset"));
    log.finished({
      status: 502,
      code: "upstream_error",
      outcome: "upstream_failed",
      streamed: true,
      inputTokens: 12,
      outputTokens: 34,
      providerMs: 70,
      bytesOut: 2048,
      dropped: "seed",
    });
  }
  const written = new Set(lines.flatMap((line) => Object.keys(line)));
  for (const name of ["level", "time", "pid", "msg"]) written.delete(name);

  expect([...written].toSorted()).toEqual(Object.keys(REQUEST_FIELDS).toSorted());
});

test("a warning says what to do, and an event that needs nothing done does not", () => {
  const { events, lines } = build();

  events.moneyAlarm({ kind: "overrun", keyId: "key-1", requestId: "req_1", model: "m" });
  events.ledgerChanged({
    state: "down",
    sinceMs: 0,
    trouble: { words: "it is gone", fix: "Bring it back.", sqlState: null },
  });
  events.ledgerChanged({ state: "ok" });
  events.dayPartitioned({ day: "2026-11-16", result: "occupied" });

  expect(lines.map(({ fix }) => fix)).toEqual([
    ALARM_FIXES.overrun,
    "Bring it back.",
    undefined,
    "tollgate ledger partitions --repair 2026-11-16",
  ]);
});
