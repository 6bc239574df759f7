import { expect, test } from "vitest";
import { Fault } from "../../core/fault.ts";
import { limitHeaders, renderToSession } from "./session-limit.ts";

const NOW = Date.UTC(2026, 10, 30, 12);
const RENEWS = "2026-12-01T00:00:00.000Z";
const RESET = String(Date.UTC(2026, 11, 1) / 1_000);

test.each(["insufficient_credit", "limit_reached"] as const)(
  "a used-up limit (%s) is 429 billing_error with the time of its renewal, and no header that replaces the message",
  (code) => {
    const fault = new Fault(code, "Ann has 0 of 50 credits left this month. Renews 1 December.", {
      renewsAt: RENEWS,
      renewsEvery: "month",
    });
    const { status, headers, body } = renderToSession(fault, "req_1", NOW);

    expect(status).toBe(429);
    expect(JSON.parse(body)).toMatchObject({ type: "error", error: { type: "billing_error", message: fault.message } });
    expect(headers).toEqual({
      "retry-after": String(12 * 3_600),
      "x-should-retry": "false",
      "x-tollgate-renews-at": RENEWS,
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": RESET,
      "anthropic-ratelimit-unified-overage-reset": RESET,
      "anthropic-ratelimit-unified-overage-utilization": "1",
      "anthropic-ratelimit-unified-overage-surpassed-threshold": "1",
      "anthropic-ratelimit-unified-overage-period": "monthly",
      "anthropic-ratelimit-unified-overage-disabled-reason": "org_spend_cap_reached",
    });
  },
);

test("a limit that renews in more than a day is waited for a day, and the headers of the client say when it renews [HDR-5]", () => {
  const fault = new Fault("insufficient_credit", "No credits left.", { renewsAt: RENEWS, renewsEvery: "month" });
  const { headers } = renderToSession(fault, "req_1", Date.UTC(2026, 10, 2));

  expect(headers).toMatchObject({
    "retry-after": "86400",
    "x-tollgate-renews-at": RENEWS,
    "anthropic-ratelimit-unified-reset": RESET,
  });
});

test("what does not renew is told as to a key", () => {
  const fault = new Fault("insufficient_credit", "Ask the operator to top it up.");

  expect(renderToSession(fault, "req_1", NOW)).toMatchObject({ status: 402, headers: { "x-should-retry": "false" } });
  expect(renderToSession(new Fault("invalid_request", "No."), "req_1", NOW).status).toBe(400);
});

test.each([
  [0.21, "allowed", undefined],
  [0.75, "allowed_warning", "0.75"],
  [0.96, "allowed_warning", "0.95"],
])("a response that succeeds tells that %d of a limit is used", (used, status, threshold) => {
  const headers = limitHeaders({ used, renewsAtMs: Date.parse(RENEWS) });

  expect(headers).toMatchObject({
    "anthropic-ratelimit-unified-status": status,
    "anthropic-ratelimit-unified-overage-status": status,
    "anthropic-ratelimit-unified-representative-claim": "overage",
    "anthropic-ratelimit-unified-overage-utilization": String(used),
    "anthropic-ratelimit-unified-reset": RESET,
    "anthropic-ratelimit-unified-overage-reset": RESET,
  });
  expect(headers["anthropic-ratelimit-unified-overage-surpassed-threshold"]).toBe(threshold);
});
