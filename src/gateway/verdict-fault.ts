import type { Demand } from "../admission/demand.ts";
import type { ChainCounter } from "../core/money/counter.ts";
import { Fault } from "../core/fault.ts";
import { tryAgainIn } from "../core/request/parsed-texts.ts";
import type { AdmitVerdict, Lack, NamedCounter } from "../ledger/ledger.ts";
import { insufficientWords, isOfKey, type Needed, renewalOf, reservedWords, usedUpWords } from "./lack-words.ts";
import type { LimitAdvice } from "./limit-advice.ts";

/** Every answer of the ledger that lets nothing start. */
export type RefusingVerdict = Exclude<AdmitVerdict, { kind: "admitted" | "already" | "replay" | "stale_key" }>;

type Context = {
  rpmLimit: number | null;
  demand: Demand;
  floor: Needed["floor"];
  advice: LimitAdvice;
  /** The counters of the key's chain. */
  counters: readonly ChainCounter[];
  nowMs: number;
  random: () => number;
};

const MINUTE_SECONDS = 60;
/** There is nothing to wait for: whoever waits all the same soon tells their user. */
const NEVER_RENEWS_RETRY_SECONDS = 5;
const RESERVED_RETRY_SECONDS = { least: 1, most: 5 };
const IN_PROGRESS_RETRY_SECONDS = { least: 1, most: 15 };

/** Says the number and the way out: needed, available, reserved, and the longest answer that would fit. [interface decision 18] */
export function verdictFault(refusal: RefusingVerdict, context: Context): Fault {
  switch (refusal.kind) {
    case "rate_limited":
      return overRate(context.rpmLimit, refusal.retryAfterMs);
    case "insufficient":
      return insufficient(refusal, context);
    case "reserved": {
      const { least, most } = RESERVED_RETRY_SECONDS;
      const retryAfterSeconds = least + Math.floor(context.random() * (most - least + 1));
      return new Fault(
        "balance_temporarily_reserved",
        reservedWords(refusal, { ...context, models: modelsOf(refusal.named, context) }),
        { retryAfterSeconds },
      );
    }
    case "limit_reached":
      return limitReached(refusal.named, context.nowMs, modelsOf(refusal.named, context));
    case "not_begun":
      return notBegun();
    case "in_progress":
      return inProgress(refusal.retryAfterMs);
    case "key_reuse":
      return new Fault("idempotency_key_reuse", KEY_REUSE);
    case "replay_unavailable":
      return replayUnavailable();
    case "stream_interrupted":
      return new Fault("idempotency_stream_interrupted", INTERRUPTED);
    default:
      return refusal satisfies never;
  }
}

export function overRate(rpmLimit: number | null, retryAfterMs: number): Fault {
  const seconds = Math.min(MINUTE_SECONDS, Math.max(1, Math.ceil(retryAfterMs / 1000)));
  const limit =
    rpmLimit === null ? "" : `: ${rpmLimit.toLocaleString("en-US")} request${rpmLimit === 1 ? "" : "s"} per minute`;
  const message = `Rate limit reached${limit}. ${tryAgainIn(seconds)}`;
  return new Fault("rate_limit_exceeded", message, { retryAfterSeconds: seconds });
}

/** Until an operator has mended it, or it begins. */
const notBegun = (): Fault =>
  new Fault(
    "service_unavailable",
    "A limit of this key can't be used at the moment, so none of its requests are started. The operator has been alerted.",
    { retryAfterSeconds: MINUTE_SECONDS },
  );

/** What has run for long goes on for long: whoever waits as long again asks a few times and not hundreds. [interface decision 29] */
function inProgress(retryAfterMs: number): Fault {
  const { least, most } = IN_PROGRESS_RETRY_SECONDS;
  const seconds = Math.min(most, Math.max(least, Math.ceil(retryAfterMs / 1_000)));
  const message = `A request with this Idempotency-Key is in progress. ${tryAgainIn(seconds)} You get its response and won't be charged twice.`;
  return new Fault("idempotency_in_progress", message, { retryAfterSeconds: seconds });
}

export const replayUnavailable = (): Fault =>
  new Fault(
    "idempotency_replay_unavailable",
    "The request with this Idempotency-Key completed and was charged, but its response was not stored. Use a new key to run it again.",
  );

/** The models that a counter counts: with another one the request might start. */
const modelsOf = ({ id }: NamedCounter, { counters }: Context): readonly string[] | null =>
  counters.find((counter) => counter.id === id)?.models ?? null;

/** A limit above the key renews, and says when; the words of a lone key have always said it themselves. */
const insufficient = (lack: Lack, context: Context): Fault =>
  new Fault(
    "insufficient_credit",
    insufficientWords(lack, { ...context, models: modelsOf(lack.named, context) }),
    isOfKey(lack.named) ? {} : renewalOf(lack.named),
  );

/** Until it renews there is nothing to be had. [interface decision 29] */
export const limitReached = (named: NamedCounter, nowMs: number, models: readonly string[] | null = null): Fault =>
  new Fault("limit_reached", usedUpWords(named, models), {
    retryAfterSeconds:
      named.renewsAtMs === null ? NEVER_RENEWS_RETRY_SECONDS : Math.ceil((named.renewsAtMs - nowMs) / 1_000),
    ...renewalOf(named),
  });

const KEY_REUSE =
  "This Idempotency-Key was used for a different request. Use a new key for each request; reuse one only to retry the same operation and body.";
const INTERRUPTED =
  "The stream with this Idempotency-Key was interrupted after part of it was delivered. It can't be replayed or repeated. Use a new key.";
