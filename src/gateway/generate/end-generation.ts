import { Fault, type FaultCode } from "../../core/fault.ts";
import type { AnswerHead } from "../../core/request/sink.ts";
import type { AnswerOutcome, Usage } from "../../core/money/usage.ts";
import type { StoredAnswer } from "../../ledger/ledger.ts";
import type { CallState } from "./generation.ts";
import type { HoldEnding } from "./hold.ts";

type Known = {
  outcome: AnswerOutcome;
  begun?: boolean;
  answered?: boolean;
  overdue?: boolean;
  usage?: Usage | null;
  hiddenTokens?: number;
  doubtedTokens?: number;
};

/** The end of a generation as the ledger is told it; what is not known is not there. */
export function endingOf(
  state: CallState,
  {
    outcome,
    begun = false,
    answered = false,
    overdue = false,
    usage = null,
    hiddenTokens = 0,
    doubtedTokens = 0,
  }: Known,
): HoldEnding {
  const { generation, sink, clock, provider, firstByteMs } = state;
  const details = {
    provider,
    status: outcome === "completed" || begun ? 200 : 502,
    firstByteMs: firstByteMs === null ? null : Math.round(firstByteMs),
    tookMs: Math.round(clock.elapsedMs() - generation.startedAtMs),
  };
  const contentDelivered = sink.hasAnswered();
  return {
    outcome,
    begun,
    answered,
    streamed: generation.request.stream,
    usage,
    hiddenTokens,
    doubtedTokens,
    lostTokens: outcome === "completed" ? 0 : lostTokens(state, outcome),
    overdue,
    stage: null,
    plain: null,
    contentDelivered,
    details,
    answer: null,
  };
}

/** What a provider may have produced since it was asked, at the pace of its route. Who left has it counted from its usual first token on. */
function lostTokens({ asked, paceOf, clock, generation }: CallState, outcome: AnswerOutcome): number {
  if (asked === null) return 0;
  const { lostPerSecond, firstTokenMs } = paceOf(asked.route);
  const silentMs = outcome === "client_gone" ? firstTokenMs : 0;
  const speakingMs = Math.max(0, clock.elapsedMs() - asked.atMs - silentMs);
  return Math.ceil((speakingMs * lostPerSecond * generation.request.choices) / 1_000);
}

/** The answer as it is kept for a retry; null when it is not wanted, or too large. */
export function keptAnswer({ generation, sink }: CallState, head: AnswerHead, last: Buffer): StoredAnswer | null {
  if (generation.idempotency === null) return null;
  const body = sink.remembered(last);
  return body && generation.idempotency.store(head, body);
}

const PROVIDER_FAILURES: ReadonlySet<FaultCode> = new Set([
  "provider_unavailable",
  "upstream_error",
  "upstream_timeout",
]);

/** A provider that failed is written down, at no cost; a request that it refused with reason is as if never sent. */
export async function failGeneration(state: CallState, error: unknown, known: Partial<Known> = {}): Promise<never> {
  state.sink.complete();
  if (error instanceof Fault && PROVIDER_FAILURES.has(error.code)) {
    // Should the ledger be away, the hold is voided instead, and the caller still hears of the provider.
    await state.held.hold.settle(endingOf(state, { ...known, outcome: "upstream_failed" })).catch(() => undefined);
  }
  throw error;
}
