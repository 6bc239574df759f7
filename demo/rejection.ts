import { tryAgainIn } from "../src/core/request/parsed-texts.ts";
import type { Call, Mistake } from "./plan-day.ts";

type RejectionCode = Mistake | "rate_limit_exceeded" | "insufficient_credit" | "limit_reached";

/** What a client that was rejected got. `model`: whether the gateway got as far as finding one. */
export type Rejection = {
  code: RejectionCode;
  status: number;
  words: string;
  model: "found" | "none";
  asked?: string;
};

const STATUS: Record<RejectionCode, number> = {
  invalid_credentials: 401,
  invalid_request: 400,
  model_not_found: 404,
  context_length_exceeded: 400,
  rate_limit_exceeded: 429,
  insufficient_credit: 402,
  limit_reached: 429,
};
/** What people ask for that nobody sells. */
const UNKNOWN = "claude-sonnet-4";

export function rejection(code: RejectionCode, call?: Pick<Call, "input"> & { rpm?: number }): Rejection {
  const none = code === "invalid_credentials" || code === "model_not_found" || code === "invalid_request";
  return {
    code,
    status: STATUS[code],
    words: wordsOf(code, { input: call?.input ?? 0, rpm: call?.rpm ?? 60 }),
    model: none ? "none" : "found",
    ...(code === "model_not_found" ? { asked: UNKNOWN } : {}),
  };
}

function wordsOf(code: RejectionCode, { input, rpm }: { input: number; rpm: number }): string {
  switch (code) {
    case "invalid_credentials":
      return "The API key is not valid.";
    case "invalid_request":
      return "messages.1.role: Input should be 'user' or 'assistant'";
    case "model_not_found":
      return `There is no model ${UNKNOWN}. GET /v1/models lists the models you can use.`;
    case "context_length_exceeded":
      return `Input is about ${(200_000 + input).toLocaleString("en-US")} tokens; the limit is 200,000.`;
    case "rate_limit_exceeded":
      return `Rate limit reached: ${rpm} requests per minute. ${tryAgainIn(1 + (input % 40))}`;
    case "insufficient_credit":
    case "limit_reached":
      return "Not enough credit.";
    default:
      return code satisfies never;
  }
}
