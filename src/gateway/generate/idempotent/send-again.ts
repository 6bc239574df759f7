import { invariant } from "../../../core/invariant.ts";
import type { StoredAnswer } from "../../../ledger/ledger.ts";
import { chargeHeader } from "../deliver/answer-head.ts";
import type { CallState } from "../generation.ts";

/** The answer to the first request, again, byte for byte; nothing is charged for it. Answers its length. [interface decision 25] */
export function sendAgain(
  { caller, idempotency, sink, onFirstByte }: CallState["generation"],
  answer: StoredAnswer,
): number {
  invariant(idempotency, "a replay belongs to a request with a claim");
  const { head, body } = idempotency.open(answer);
  onFirstByte();
  const headers = { ...head.headers, ...chargeHeader(caller.key.mode, 0n), "idempotent-replayed": "true" };
  sink.begin({ ...head, headers });
  sink.end(body);
  return body.length;
}
