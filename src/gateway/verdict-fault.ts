import type { Demand } from "../admission/demand.ts";
import { Fault } from "../core/fault.ts";
import type { KeyMode } from "../core/key-mode.ts";
import { formatCredits } from "../core/money.ts";
import { tryAgainIn } from "../core/parsed-texts.ts";
import type { AdmitVerdict } from "../ledger/ledger.ts";
import type { LimitAdvice } from "./limit-advice.ts";

/** Every answer of the ledger that lets nothing start. */
export type RefusingVerdict = Exclude<AdmitVerdict, { kind: "admitted" | "already" | "replay" | "stale_key" }>;

type Context = {
  mode: KeyMode;
  rpmLimit: number | null;
  demand: Demand;
  advice: LimitAdvice;
  random: () => number;
};

const MINUTE_SECONDS = 60;
/**
 * Some agents wait as long as they are told without a word to their user, and then ask again a few times. So it is short: the user
 * reads what is the matter within half a minute, and when the budget renews stands in the message.
 */
const USED_UP_RETRY_SECONDS = 5;
const RESERVED_RETRY_SECONDS = { least: 1, most: 5 };

/** Says the number and the way out: needed, available, reserved, and the longest answer that would fit. [interface decision 18] */
export function verdictFault(refusal: RefusingVerdict, context: Context): Fault {
  switch (refusal.kind) {
    case "rate_limited":
      return overRate(context.rpmLimit, refusal.retryAfterMs);
    case "insufficient":
      return new Fault("insufficient_credit", insufficient(refusal, context));
    case "reserved": {
      const { least, most } = RESERVED_RETRY_SECONDS;
      const retryAfterSeconds = least + Math.floor(context.random() * (most - least + 1));
      return new Fault("balance_temporarily_reserved", reserved(refusal, context), { retryAfterSeconds });
    }
    case "limit_reached":
      return limitReached(refusal.periodEndsAtMs);
    case "in_progress":
      return new Fault("idempotency_in_progress", IN_PROGRESS, { retryAfterSeconds: 1 });
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

export const replayUnavailable = (): Fault =>
  new Fault(
    "idempotency_replay_unavailable",
    "The request with this Idempotency-Key completed and was charged, but its response was not stored. Use a new key to run it again.",
  );

type Funds = { posted: bigint; held: bigint };

function insufficient({ posted, held }: Funds, context: Context): string {
  const { mode, demand } = context;
  const remedy = mode === "credit" ? "Top up the key" : "Wait for the next period or raise the budget";
  const needed = `this request needs at least ${amount(demand.least, mode)}`;
  const rest = held === 0n ? "available" : `(${amount(held, mode)} reserved by requests in progress)`;
  const has = `the key has ${amount(posted, mode)} ${rest}`;
  return `Not enough ${mode === "credit" ? "credit" : "tokens"}: ${needed} and ${has}. ${remedy}${orLess(posted - held, context)}.`;
}

function reserved({ posted, held }: Funds, context: Context): string {
  const { mode, demand } = context;
  return (
    `This request needs at least ${amount(demand.least, mode)}. The key has ${amount(posted, mode)}: ` +
    `${amount(held, mode)} reserved by requests in progress, ${amount(posted - held, mode)} available. ` +
    `Try again when they finish${orLess(posted - held, context)}.`
  );
}

/** A limit that is admitted when it is sent with the same request, if there is one. [interface decision 18] */
function orLess(available: bigint, { demand, advice: { fields, addedBytes, smallest } }: Context): string {
  const fits = demand.advisableOutputTokens(available, addedBytes);
  return fits >= smallest && fits > 0 ? `, or set ${fields} to ${fits.toLocaleString("en-US")} or less` : "";
}

export function limitReached(periodEndsAtMs: number | null): Fault {
  const retryAfterSeconds = USED_UP_RETRY_SECONDS;
  if (periodEndsAtMs === null) {
    const message = "This key's token budget is used up and does not renew. Ask the operator for a larger budget.";
    return new Fault("limit_reached", message, { retryAfterSeconds });
  }
  const renewsAt = new Date(periodEndsAtMs).toISOString();
  const message = `This key's token budget is used up. It renews at ${renewsAt}.`;
  return new Fault("limit_reached", message, { retryAfterSeconds, renewsAt });
}

const amount = (value: bigint, mode: KeyMode): string =>
  mode === "credit" ? `${formatCredits(value)} credits` : `${value.toLocaleString("en-US")} tokens`;

const IN_PROGRESS =
  "A request with this Idempotency-Key is in progress. Retry in a moment to get its response; you won't be charged twice.";
const KEY_REUSE =
  "This Idempotency-Key was used for a different request. Use a new key for each request; reuse one only to retry the same operation and body.";
const INTERRUPTED =
  "The stream with this Idempotency-Key was interrupted after part of it was delivered. It can't be replayed or repeated. Use a new key.";
