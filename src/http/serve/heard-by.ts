import { unitOf } from "../../core/money/amount.ts";
import type { Usage } from "../../core/money/usage.ts";
import type { KeyMode } from "../../core/people/key-mode.ts";
import type { Generation } from "../../gateway/generate/generation.ts";
import type { Events } from "../../telemetry/events.ts";
import type { RequestContext } from "../request-context.ts";

/** For the log alone: nobody was there to be told a status. */
export const CLIENT_CLOSED = 499;

type Heard = Pick<Generation, "onModel" | "onCharged" | "onLedger" | "onCall" | "onAttempt">;

/** What the log and the events hear of a call while it runs. */
export const heardBy = (
  context: RequestContext,
  { mode, events }: { mode: KeyMode; events: Pick<Events, "upstreamFailed"> },
): Heard => {
  const { log, requestId } = context;
  return {
    onModel: ({ id, price }) => log.modelFound({ id, priceVersion: price?.version ?? null, unit: unitOf(mode) }),
    onCharged: (amount, amounts) => log.charged(amount, amounts),
    onLedger: (call) => log.ledgerCalled(call),
    onCall: (asked) => log.calling(asked),
    onAttempt: (attempt) => {
      const { route: asked, status, failure, waitedMs } = attempt;
      context.providerMs += waitedMs;
      log.dispatched(attempt);
      if (failure === null) return;
      events.upstreamFailed({ requestId, provider: asked.provider, routeId: asked.id, reason: failure, status });
    },
  };
};

export const countsOf = ({ inputTokens, outputTokens, cacheReadTokens: cachedTokens, reasoningTokens }: Usage) => ({
  inputTokens,
  outputTokens,
  cachedTokens,
  reasoningTokens,
});
