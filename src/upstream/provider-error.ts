import { Fault } from "../core/fault.ts";
import { scrub } from "../core/scrub.ts";
import { readRefusal } from "./read-refusal.ts";

const CONTEXT_CODES = new Set(["context_length_exceeded", "model_context_window_exceeded"]);
const CONTEXT_WORDS =
  /context.{0,20}(length|window|limit)|maximum context|prompt is too long|too many (input )?tokens|maximum number of tokens/i;

/** How the formats call a request that is at fault itself; and how vLLM, xAI and Google do. */
const CALLER_FAULTS = new Set([
  "invalid_request_error",
  "request_too_large",
  "BadRequestError",
  "Client specified an invalid argument",
  "INVALID_ARGUMENT",
]);

/** Whether a provider refuses our credential: the operator's to mend, and no reason to refuse the caller. */
const isOurCredential = (status: number): boolean => status === 401 || status === 403;

/** Whether another route may be tried after this status. [interface decision 31] */
export function isRetryable(status: number): boolean {
  return status === 408 || status === 429 || status >= 500 || isOurCredential(status);
}

/** A provider's refusal in a word, for labels and lists. */
export function refusalReason(status: number): string {
  if (isOurCredential(status)) return "credential_refused";
  if (status === 429) return "rate_limited";
  if (status === 503 || status === 529) return "overloaded";
  if (status === 408) return "timed_out";
  if (status >= 500) return "server_error";
  return status >= 400 ? "request_refused" : "unexpected_status";
}

type Refusal = {
  status: number;
  body: Buffer;
  provider: string;
  /** What it was asked for. */
  model?: string;
};

/** A provider's refusal as the caller is told it: translated, not leaked. [interface decision 31] */
export function providerFault({ status, body, provider, model }: Refusal): Fault {
  const detail = { provider, status };
  if (isOurCredential(status)) {
    return new Fault("provider_unavailable", "The provider rejected the gateway's credential. Contact the operator.", {
      detail,
    });
  }
  if (status === 429 || status === 503 || status === 529) {
    return new Fault("provider_unavailable", "The provider is overloaded. Try again in a moment.", { detail });
  }
  const { message, code, type } = readRefusal(body);
  if (status === 400 || status === 413 || status === 422) {
    if (CONTEXT_CODES.has(code) || CONTEXT_WORDS.test(message)) {
      return new Fault(
        "context_length_exceeded",
        scrub(message, model) || "The input exceeds the model's context window. Shorten the input.",
        { detail, kept: "The provider says that the input exceeds the model's context window." },
      );
    }
    if (CALLER_FAULTS.has(type) && message !== "") {
      return new Fault("invalid_request", `The provider rejected the request: ${scrub(message, model)}`, {
        detail,
        kept: "The provider rejected the request. The client was sent its reason, which may quote the request.",
      });
    }
  }
  return new Fault("upstream_error", `The provider returned an error (status ${status}).`, { detail });
}
