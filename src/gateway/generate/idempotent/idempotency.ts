import type { AnswerHead } from "../../../core/request/sink.ts";
import type { Claim, StoredAnswer } from "../../../ledger/ledger.ts";
import { claimOf, type IdempotentRequest } from "./claim.ts";
import type { Caller } from "../../open-request.ts";
import { sealAnswer, unsealAnswer } from "./sealed-answer.ts";
import { replayUnavailable } from "../../verdict-fault.ts";

/** One request's claim to its Idempotency-Key, and how the answer is kept for whoever repeats it. */
export type Idempotency = {
  claim: Claim;
  store: (head: AnswerHead, body: Buffer) => StoredAnswer;
  /** Throws when the answer was sealed with another secret of the key. */
  open: (answer: StoredAnswer) => { head: AnswerHead; body: Buffer };
};

export function idempotencyOf({ key, secret }: Caller, request: IdempotentRequest): Idempotency {
  const claim = claimOf(request);
  const lock = { secret, about: `${key.id} ${request.route} ${claim.keySha256.toString("hex")}` };
  return {
    claim,
    store: ({ status, headers }, body) => ({
      status,
      contentType: headers["content-type"] ?? "application/json",
      body: sealAnswer({ headers: ownHeaders(headers), body }, lock),
    }),
    open: ({ status, contentType, body }) => {
      const opened = unsealAnswer(body, lock);
      if (opened === null) throw replayUnavailable();
      const headers = { ...headersOf(contentType, opened.body), ...opened.headers };
      return { head: { status, headers }, body: opened.body };
    },
  };
}

/** What we said of the answer itself, such as what was lost on its way; limits and ids are those of the repeat. */
function ownHeaders(headers: AnswerHead["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-tollgate-")));
}

function headersOf(contentType: string, body: Buffer): Record<string, string> {
  if (!contentType.startsWith("text/event-stream")) {
    return { "content-type": contentType, "content-length": String(body.length) };
  }
  return { "content-type": contentType, "cache-control": "no-store", "x-accel-buffering": "no" };
}
