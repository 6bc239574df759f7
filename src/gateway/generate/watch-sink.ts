import { WatchedSink } from "./deliver/watched-sink.ts";
import type { CallState } from "./generation.ts";

/** The caller's end, as far as this request watches it. */
export function watch(
  { caller, request, idempotency, sink }: CallState["generation"],
  storedAnswerBytes: number,
): WatchedSink {
  return new WatchedSink(sink, {
    keyId: caller.key.id,
    bucket: caller.key.bucket,
    accounts: caller.key.accounts,
    streamed: request.stream ? "yes" : "no",
    detached: idempotency !== null && !request.stream ? "yes" : "no",
    rememberBytes: idempotency === null ? 0 : storedAnswerBytes,
  });
}
