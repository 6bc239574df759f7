import { type Amounts, formatAmount, type Unit } from "../core/money/amount.ts";
import type { CallFormat } from "../core/request/dialect.ts";
import type { FaultCode } from "../core/fault.ts";
import type { Route } from "../core/catalogue/route.ts";
import type { AnswerOutcome } from "../core/money/usage.ts";
import { redact } from "./log/redact.ts";
import type { RouteName } from "./route-name.ts";

export type RequestOpened = {
  requestId: string;
  route: RouteName;
  dialect: CallFormat | null;
  method: string;
  /** The client's header of that name, whatever it says. */
  traceparent?: string | undefined;
  /** The same of `User-Agent`. */
  userAgent?: string | undefined;
};

export type RequestFinished = {
  status: number;
  code: FaultCode | null;
  /** How a generation ended; null when none was begun. */
  outcome: AnswerOutcome | null;
  streamed: boolean;
  inputTokens: number;
  outputTokens: number;
  /** Time spent waiting for the provider. */
  providerMs: number;
  bytesOut: number;
  /** Members of the request that its provider was not told, by names that were made harmless; absent or null, none. */
  dropped?: string | null;
  cachedTokens?: number;
  reasoningTokens?: number;
  /** The response to an earlier request was sent again. */
  replay?: boolean;
  /** The message that the client got instead of a response, or within its stream. */
  refusal?: string | null;
};

export type KnownKey = {
  keyId: string;
  prefix: string;
  /** Null or absent: it is its own account. */
  accountId?: string | null;
  /** All accounts above it, from the root down. */
  accounts?: readonly string[];
};
export type KnownCall = { provider: string; routeId: string; region?: string | null; attempt: number };

/** A call to a provider, when it has got a status or failed. */
export type CallMade = {
  route: Pick<Route, "id" | "provider" | "dialect" | "upstreamModel" | "baseUrl" | "region">;
  number: number;
  status: number | null;
  /** A word from a fixed set; null when it was answered with success. */
  failure: string | null;
  waitedMs: number;
};

/** A call of the ledger for one request, on the clock of durations. */
export type LedgerCall = {
  name: "admit" | "settle";
  startedAtMs: number;
  endedAtMs: number;
  /** Of an admit: what was reserved; null: nothing was. */
  granted?: Amounts | null;
};

/** The model that was found for a request, and what it is sold at; the version is null where it has no price. */
export type KnownModel = { id: string; priceVersion: number | null; unit: Unit };

/** Everything the log says of one request. */
export type RequestLine = {
  request: RequestOpened;
  /** Null: it has no trace. */
  traceId: string | null;
  end: RequestFinished;
  key: KnownKey | null;
  call: KnownCall | null;
  /** The model as the client named it; null when its name was not read. */
  modelAsked: string | null;
  modelFound: KnownModel | null;
  /** What the ledger charged, in the unit of the key. */
  charged: bigint;
  totalMs: number;
  firstByteMs: number | null;
  overheadMs: number;
  error: unknown;
};

/**
 * The members of a request's line as JSON text. Written out by hand because it is on the path of every request, where a
 * general serialiser took several times as long. What is put in quotes unread here is made by us and needs no escaping.
 */
export function requestLine({
  request,
  traceId,
  end,
  key,
  call,
  modelAsked,
  modelFound,
  charged,
  totalMs,
  firstByteMs,
  overheadMs,
  error,
}: RequestLine): string {
  let text = `"request_id":"${request.requestId}","route":"${request.route}"`;
  if (traceId !== null) text += `,"trace_id":"${traceId}"`;
  if (request.dialect !== null) text += `,"format":"${request.dialect}"`;
  text += `,"method":"${request.method}","status":${end.status}`;
  if (end.code !== null) text += `,"code":"${end.code}"`;
  if (end.outcome !== null) text += `,"outcome":"${end.outcome}"`;
  if (key !== null) text += `,"key_id":"${key.keyId}","key_prefix":"${key.prefix}"`;
  if (modelFound !== null) text += modelText(modelFound, charged);
  else if (modelAsked !== null) text += `,"model":${redact(quoted(modelAsked))}`;
  if (call !== null) {
    text += `,"provider":${quoted(call.provider)},"route_id":"${call.routeId}"`;
    if (call.region) text += `,"region":"${call.region}"`;
    text += `,"attempts":${call.attempt}`;
  }
  text += `,"streamed":${end.streamed},"input_tokens":${end.inputTokens},"output_tokens":${end.outputTokens}`;
  if (end.dropped) text += `,"dropped":${quoted(end.dropped)}`;
  text += `,"bytes_out":${end.bytesOut},"total_ms":${milliseconds(totalMs)}`;
  if (firstByteMs !== null) text += `,"first_byte_ms":${milliseconds(firstByteMs)}`;
  text += `,"provider_ms":${milliseconds(end.providerMs)},"overhead_ms":${milliseconds(overheadMs)}`;
  // Without an error the line holds ids, numbers and names the operator gave; other free text comes in only with one.
  return error === undefined ? text : redact(`${text},"error":${JSON.stringify(error)}`);
}

/** A sum over all lines counts credits as credits and tokens as tokens, since the two have a name each. */
function modelText({ id, priceVersion, unit }: KnownModel, charged: bigint): string {
  const version = priceVersion === null ? "" : `,"price_version":${priceVersion}`;
  const cost = unit === "credit" ? `"cost":"${formatAmount(unit, charged)}"` : `"charged_tokens":${charged}`;
  return `,"model":${quoted(id)}${version},${cost}`;
}

/** Names operators gave are nearly always plain. */
const PLAIN = /^[\w.:/ -]*$/;

const quoted = (name: string): string => (PLAIN.test(name) ? `"${name}"` : JSON.stringify(name));

/** Milliseconds to the microsecond, put together from whole numbers, which are cheaper to write than fractions. */
function milliseconds(durationMs: number): string {
  const micros = Math.round(durationMs * 1000);
  if (!(micros >= 0)) return "0";
  const fraction = micros % 1000;
  const whole = (micros - fraction) / 1000;
  return fraction === 0 ? `${whole}` : `${whole}.${fraction < 10 ? "00" : fraction < 100 ? "0" : ""}${fraction}`;
}
