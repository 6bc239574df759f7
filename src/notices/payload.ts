import { formatAmount, type Unit } from "../core/money/amount.ts";
import type { CounterOwner, Notice } from "./notice.ts";

/** What is sent: the form that the Standard Webhooks specification recommends. */
export type Payload = { id: string; type: string; timestamp: string; data: Record<string, unknown> };

/** Stays the same in every attempt, so that a receiver knows what it has had. */
export const webhookIdOf = (noticeId: string): string => `notice_${noticeId.replaceAll("-", "")}`;

export function payloadOf(notice: Notice): Payload {
  const write = (amount: bigint): string => formatAmount(notice.unit, amount);
  return {
    id: webhookIdOf(notice.id),
    type: notice.cause === "too_large" ? "request.too_large" : "threshold.reached",
    timestamp: new Date(notice.atMs).toISOString(),
    data: {
      notice: notice.id,
      message: messageOf(notice),
      cause: notice.cause,
      threshold: notice.kind === "limit" ? { percent: Number(notice.threshold) } : { left: write(notice.threshold) },
      account: notice.accountId === null ? null : { id: notice.accountId, path: notice.accountPath },
      key: notice.key,
      counter: { id: notice.counter, kind: notice.kind, period: notice.period, models: notice.models },
      unit: notice.unit === "credit" ? "credits" : "tokens",
      amount: write(notice.amount),
      used: write(notice.used),
      reserved: write(notice.reserved),
      available: write(notice.available),
      renews_at: notice.renewsAtMs === null ? null : new Date(notice.renewsAtMs).toISOString(),
    },
  };
}

/** Tells nobody's figures. */
export const testPayload = (id: string, nowMs: number): Payload => ({
  id,
  type: "notice.test",
  timestamp: new Date(nowMs).toISOString(),
  data: { message: "This is a test of `tollgate notices test`. No threshold was reached." },
});

const OF_PERIOD = { none: "", day: " today", week: " this week", month: " this month" } as const;

/** In words, for people: "Acme / Search has used 80% of its limit: 400 of 500 credits this month. It renews on 1 December 2026." */
export function messageOf(notice: Notice): string {
  const { kind, unit, cause, amount, used, available, reserved, threshold, period, models } = notice;
  const who = ownerOf(notice);
  const left = inWords(unit, available + reserved);
  if (cause === "too_large") {
    const from = kind === "purse" ? "" : ` of ${inWords(unit, amount)}${OF_PERIOD[period]}`;
    return `A request was too large for ${who}: it asked for more than the ${left} left${from}. A smaller one may fit.`;
  }
  if (kind === "purse")
    return cause === "refused"
      ? `${who} is out of ${nameOf(unit)}: a request was rejected with ${left} left.`
      : `${who} has ${left} left; the threshold is ${inWords(unit, threshold)}.`;
  const which = models === null ? "its limit" : `its limit for ${models.join(", ")}`;
  const figures = `${numberOf(unit, used)} of ${inWords(unit, amount)}${OF_PERIOD[period]}`;
  const renews = notice.renewsAtMs === null ? "" : ` It renews on ${dayOf(notice.renewsAtMs)}.`;
  return cause === "refused"
    ? `${who} has reached ${which}: a request was rejected after ${figures}.${renews}`
    : `${who} has used ${threshold}% of ${which}: ${figures}.${renews}`;
}

export const ownerOf = ({ accountPath, key }: CounterOwner): string => {
  if (key === null) return accountPath.join(" / ");
  const name = [`Key ${key.prefix === null ? key.id : `${key.prefix}…`}`, key.label === null ? "" : ` (${key.label})`];
  return `${name.join("")}${accountPath.length > 0 ? ` of ${accountPath.join(" / ")}` : ""}`;
};

const nameOf = (unit: Unit): string => (unit === "credit" ? "credits" : "tokens");
const inWords = (unit: Unit, amount: bigint): string => `${numberOf(unit, amount)} ${nameOf(unit)}`;

function numberOf(unit: Unit, amount: bigint): string {
  const [whole = "0", fraction] = formatAmount(unit, amount).split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const dayOf = (ms: number): string =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" }).format(ms);
