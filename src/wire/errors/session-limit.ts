import type { BudgetPeriod } from "../../core/money/budget-period.ts";
import type { Fault } from "../../core/fault.ts";
import { formatBBody, renderFormatB } from "./format-b.ts";
import { retryAfter, retryHeaders } from "./retry-advice.ts";
import type { RenderedFault } from "./shape.ts";

/** How Claude Code is told about a limit: it reads these headers, and shows the message with the time of the renewal. */
const PREFIX = "anthropic-ratelimit-unified";

const PERIODS: Record<Exclude<BudgetPeriod, "none">, string> = { day: "daily", week: "weekly", month: "monthly" };
/** From these shares of a limit on, the client shows a notice. */
const THRESHOLDS = [0.95, 0.75] as const;

/** A refusal to a session. One that renews is a limit, told in the client's way; all others are told as to a key. (interface decision 44) */
export function renderToSession(fault: Fault, requestId: string, nowMs: number): RenderedFault {
  const { code, renewsAt, renewsEvery } = fault;
  const isLimit = code === "insufficient_credit" || code === "limit_reached";
  if (!isLimit || renewsAt === null || renewsEvery === "none") return renderFormatB(fault, requestId);
  const renewsAtMs = Date.parse(renewsAt);
  const reset = String(Math.ceil(renewsAtMs / 1_000));
  const body = formatBBody(fault, requestId) as { error: { type: string } };
  body.error.type = "billing_error";
  return {
    status: 429,
    headers: {
      ...retryHeaders(fault, 429),
      "retry-after": retryAfter((renewsAtMs - nowMs) / 1_000),
      "x-should-retry": "false",
      [`${PREFIX}-status`]: "rejected",
      [`${PREFIX}-reset`]: reset,
      [`${PREFIX}-overage-reset`]: reset,
      [`${PREFIX}-overage-utilization`]: "1",
      [`${PREFIX}-overage-surpassed-threshold`]: "1",
      [`${PREFIX}-overage-period`]: PERIODS[renewsEvery],
      [`${PREFIX}-overage-disabled-reason`]: "org_spend_cap_reached",
    },
    body: JSON.stringify(body),
  };
}

/** What a refusal does not say unless it is the limit that refuses: the client would show words of its own in place of the message. */
export const isLimitHeader = (name: string): boolean => name.startsWith(PREFIX);

/** What a response that succeeds tells of the limit that is used most. `used`: from 0 to 1. */
export function limitHeaders({ used, renewsAtMs }: { used: number; renewsAtMs: number }): Record<string, string> {
  const passed = THRESHOLDS.find((threshold) => used >= threshold);
  const status = passed === undefined ? "allowed" : "allowed_warning";
  const reset = String(Math.ceil(renewsAtMs / 1_000));
  return {
    [`${PREFIX}-status`]: status,
    [`${PREFIX}-representative-claim`]: "overage",
    [`${PREFIX}-overage-status`]: status,
    [`${PREFIX}-overage-utilization`]: String(Math.round(used * 1_000) / 1_000),
    [`${PREFIX}-reset`]: reset,
    [`${PREFIX}-overage-reset`]: reset,
    ...(passed !== undefined && { [`${PREFIX}-overage-surpassed-threshold`]: String(passed) }),
  };
}
