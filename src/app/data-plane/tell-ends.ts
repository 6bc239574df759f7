import type { Ended } from "../../core/request/in-flight.ts";
import type { RecordRequest } from "../../core/request/request-facts.ts";
import type { PublishLive } from "../../live/publish-live.ts";

/** Operators who watch are told of each generation that ends. While none does, this is one question to a variable. */
export const tellEnds =
  (live: Pick<PublishLive, "isWatched" | "ended">, nowMs: () => number): RecordRequest =>
  (facts) => {
    if (!live.isWatched() || facts.dialect === null) return;
    const { steps, attempts } = facts;
    const ended: Ended = {
      requestId: facts.requestId,
      atMs: nowMs(),
      keyId: facts.keyId,
      accounts: facts.accounts,
      dialect: facts.dialect,
      streamed: facts.streamed,
      model: facts.model ?? facts.modelAsked,
      provider: attempts?.at(-1)?.provider ?? null,
      status: facts.status,
      code: facts.code,
      outcome: facts.outcome,
      inputTokens: facts.inputTokens,
      outputTokens: facts.outputTokens,
      charged: facts.charged,
      tookMs: Math.round(steps.closed / 1_000),
      firstByteMs: steps.first_byte === null ? null : Math.round(steps.first_byte / 1_000),
      refusal: facts.refusal,
    };
    live.ended(ended);
  };
