import { Fault } from "../../core/fault.ts";
import { scrub } from "../../core/secret/scrub.ts";
import { eventData } from "../../wire/sse/event-data.ts";
import { type ProviderRefusal, readRefusal } from "./read-refusal.ts";
import { BAD_REQUEST_NAMES, REFUSAL_SIGNS, type RefusalAbout, type RefusalSign } from "./refusal-signs.ts";
import type { UpstreamAnswer } from "../upstream.ts";

/** What a refusal comes to: what it is about if it says so, and else what its status says. */
export type RefusalKind = RefusalAbout | "busy" | "late" | "failed" | "unknown";

/** Who may be asked after it, and how much it says against the route: nothing, once for each payer, or in full. */
type Consequence = { next: "nobody" | "others"; counts: "never" | "once" | "always" };

/**
 * What a client can bring about by what it sends must not take a route from others, so that only what names our key, or a provider in
 * trouble, counts in full. A refusal of our account may be one of a prompt that nobody here can read, as a firewall's is: it is
 * told as ours, is asked of the next route, and counts once for each payer. The other way round, whatever is taken for a client's
 * mistake is told to the client alone, so that a dead account must never be. [interface decision 31]
 */
export const CONSEQUENCES: Readonly<Record<RefusalKind, Consequence>> = {
  request: { next: "nobody", counts: "never" },
  too_long: { next: "nobody", counts: "never" },
  too_much: { next: "others", counts: "never" },
  unknown: { next: "nobody", counts: "never" },
  account: { next: "others", counts: "once" },
  late: { next: "others", counts: "once" },
  key: { next: "others", counts: "always" },
  busy: { next: "others", counts: "always" },
  failed: { next: "others", counts: "always" },
};

const SIGNS = Object.values(REFUSAL_SIGNS).flat();
/** Statuses that say whose a refusal is, whatever its words are like. */
const OF_OUR_ACCOUNT: ReadonlySet<number> = new Set([401, 402, 403, 407]);
const NEVER_OF_A_REQUEST: ReadonlySet<number> = new Set([401, 402, 407]);
const OF_A_REQUEST: ReadonlySet<number> = new Set([400, 413, 422, 451]);
const BUSY: ReadonlySet<number> = new Set([429, 503, 529]);
const LATE: ReadonlySet<number> = new Set([408, 504, 524]);

export type Refused = ProviderRefusal & { kind: RefusalKind; status: number };

/** Reads a refusal: what it says first, and what its status says then. */
export function readRefused({ status, headers }: Pick<UpstreamAnswer, "status" | "headers">, body: Buffer): Refused {
  const refusal = readRefusal(body, headers);
  return { ...refusal, kind: kindOf(refusal, status), status };
}

function kindOf(refusal: ProviderRefusal, status: number): RefusalKind {
  const sign = SIGNS.find((candidate) => speaksAt(candidate, status) && isIn(refusal, candidate));
  if (sign) return sign.about;
  const { message, names } = refusal;
  if (status === 401 && message !== "") return "key";
  if (OF_OUR_ACCOUNT.has(status)) return "account";
  if (BUSY.has(status)) return "busy";
  if (LATE.has(status)) return "late";
  if (status >= 500 || status === 424) return "failed";
  const blames = names.has(String(status)) || [...names].some((name) => BAD_REQUEST_NAMES.has(name));
  return OF_A_REQUEST.has(status) && blames && message !== "" ? "request" : "unknown";
}

/** `Too many tokens, please wait` is no input that is too long: where a provider is busy, words alone do not blame a request. */
function speaksAt(sign: RefusalSign, status: number): boolean {
  if (sign.about !== "request" && sign.about !== "too_long") return true;
  return !NEVER_OF_A_REQUEST.has(status) && ("name" in sign || status !== 429);
}

/** Of a sign with both, name and words are from one hand: a refusal that is passed on may be made of a prompt. */
function isIn({ message, names, passedOn = false }: ProviderRefusal, { name, words }: RefusalSign): boolean {
  if (name !== undefined && words !== undefined) return !passedOn && names.has(name) && words.test(message);
  return name === undefined ? words.test(message) : names.has(name);
}

/** A provider's refusal in a word, for labels and lists. */
export function refusalReason({ kind, status }: Refused): string {
  switch (kind) {
    case "key":
    case "account":
      return "credential_refused";
    case "busy":
      return status === 429 ? "rate_limited" : "overloaded";
    case "late":
      return "timed_out";
    case "failed":
      return "server_error";
    case "request":
    case "too_long":
    case "too_much":
      return "request_refused";
    case "unknown":
      return status >= 400 ? "request_refused" : "unexpected_status";
    default:
      return kind satisfies never;
  }
}

/** Whom it was asked of, and for what. */
type Asked = { provider: string; model?: string };

/** A provider's refusal as the caller is told it: translated, not leaked. [interface decision 31] */
export function providerFault({ kind, status, message }: Refused, { provider, model }: Asked): Fault {
  const detail = { provider, status };
  switch (kind) {
    case "request":
    case "too_much":
      return new Fault(
        "invalid_request",
        `The provider rejected the request: ${scrub(message, model) || "no reason given."}`,
        {
          detail,
          kept: "The provider rejected the request. The client was sent its reason, which may quote the request.",
        },
      );
    case "too_long":
      return new Fault(
        "context_length_exceeded",
        scrub(message, model) || "The input exceeds the model's context window. Shorten the input.",
        { detail, kept: "The provider says that the input exceeds the model's context window." },
      );
    case "key":
    case "account":
      return new Fault(
        "provider_unavailable",
        "The provider rejected the gateway's credential. Contact the operator.",
        {
          detail,
        },
      );
    case "busy":
      return new Fault("provider_unavailable", "The provider is overloaded. Try again in a moment.", { detail });
    case "late":
      return new Fault("upstream_timeout", "The provider took too long to respond. It is safe to retry.", { detail });
    case "failed":
    case "unknown":
      return new Fault("upstream_error", `The provider returned an error (status ${status}).`, { detail });
    default:
      return kind satisfies never;
  }
}

/** More than any words about a request come to. */
const MOST_BYTES = 65_536;

/**
 * What a provider that answered with success says of the request instead of answering it, in an event of a stream or in a whole body;
 * null when it says nothing about the request.
 */
export function requestFault(said: Buffer, asked: Asked): Fault | null {
  if (said.length > MOST_BYTES) return null;
  const data = eventData(said);
  const refusal = readRefusal(data === null ? said : Buffer.from(data));
  const refused = { ...refusal, kind: kindOf(refusal, statusIn(refusal)), status: 200 };
  return CONSEQUENCES[refused.kind].counts === "never" && refused.kind !== "unknown"
    ? providerFault(refused, asked)
    : null;
}

/** The status that it would have had: its own word for it, or that of a request at fault. */
function statusIn({ names }: ProviderRefusal): number {
  const said = [...names].map(Number).find((status) => status >= 400 && status < 600);
  return said ?? 400;
}
