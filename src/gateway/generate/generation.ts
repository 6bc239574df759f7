import type { Model } from "../../catalogue/model.ts";
import type { Clock } from "../../core/clock.ts";
import { AnswerLimitError } from "../../core/answer-limit.ts";
import { Fault, type FaultCode } from "../../core/fault.ts";
import type { Pace } from "../../core/pace.ts";
import type { AnswerHead, Sink } from "../../core/sink.ts";
import type { AnswerOutcome, Usage } from "../../core/usage.ts";
import type { StoredAnswer } from "../../ledger/ledger.ts";
import { type Fidelity, type RouteGroups, groupOf, withDropped } from "../../translate/fidelity/group-routes.ts";
import type { AnswerOrigin } from "../../translate/translator.ts";
import type { Attempt, Dispatched } from "../../upstream/dispatch.ts";
import type { PaceSample } from "../../upstream/route-pace.ts";
import type { Route } from "../../core/route.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { Admitted } from "./admit.ts";
import type { HoldEnding } from "./hold.ts";
import type { Idempotency } from "./idempotency.ts";
import type { Caller } from "../open-request.ts";
import { untold } from "./untold-members.ts";
import type { WatchedSink } from "./watched-sink.ts";

export type Generation = {
  /** Made before the first call that uses it. */
  id: string;
  /** The same id as the caller sees it. */
  requestId: string;
  caller: Caller;
  request: GenerationRequest;
  /** What may be lost on the way to a provider of another format; absent, whatever is declared. */
  fidelity?: Fidelity;
  /** Null: the caller sent no Idempotency-Key. */
  idempotency: Idempotency | null;
  sink: Sink;
  startedAtMs: number;
  onAttempt: (attempt: Attempt) => void;
  onFirstByte: () => void;
};

/** One generation that has been paid for, on its way. */
export type Journey = {
  generation: Generation;
  model: Model;
  routeGroups: RouteGroups<Route>;
  held: Extract<Admitted, { kind: "held" }>;
  sink: WatchedSink;
  clock: Clock;
  /** The provider that answered or was last asked. */
  provider: string;
  firstByteMs: number | null;
  /** Who was asked last, and when; null while nobody was. */
  asked: { route: Route; atMs: number } | null;
  paceOf: (route: Route) => Pace;
};

/** What became of an answer. */
export type Delivered = {
  outcome: AnswerOutcome;
  /** What the caller was told after its answer had begun; null when nothing went wrong. */
  code: FaultCode | null;
  usage: Usage;
  bytesOut: number;
  /** When the provider had no more to say. */
  relayedAtMs: number;
  /** What a stream showed of its route's pace; null when it showed nothing. */
  pace: PaceSample | null;
};

export type Deliver = (journey: Journey, dispatched: Dispatched) => Promise<Delivered>;

type Known = {
  outcome: AnswerOutcome;
  begun?: boolean;
  answered?: boolean;
  usage?: Usage | null;
  hiddenTokens?: number;
};

/** The end of a journey as the ledger is told it; what is not known is not there. */
export function endingOf(
  journey: Journey,
  { outcome, begun = false, answered = false, usage = null, hiddenTokens = 0 }: Known,
): HoldEnding {
  const { generation, sink, clock, provider, firstByteMs } = journey;
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
    lostTokens: outcome === "client_gone" ? lostTokens(journey) : 0,
    stage: null,
    plain: null,
    contentDelivered,
    details,
    answer: null,
  };
}

/** What a provider may have produced since it was asked, at the pace of its route. */
function lostTokens({ asked, paceOf, clock, generation }: Journey): number {
  if (asked === null) return 0;
  const { tokensPerSecond, firstTokenMs } = paceOf(asked.route);
  const speakingMs = Math.max(0, clock.elapsedMs() - asked.atMs - firstTokenMs);
  return Math.ceil((speakingMs * tokensPerSecond * generation.request.choices) / 1_000);
}

export function noteFirstByte(journey: Journey): void {
  journey.firstByteMs = journey.clock.elapsedMs() - journey.generation.startedAtMs;
  journey.generation.onFirstByte();
}

/** The answer as it is kept for a retry; null when it is not wanted, or too large. */
export function keptAnswer({ generation, sink }: Journey, head: AnswerHead, last: Buffer): StoredAnswer | null {
  if (generation.idempotency === null) return null;
  const body = sink.remembered(last);
  return body && generation.idempotency.store(head, body);
}

/** Where an answer comes from, for formats in which we write it ourselves. */
export function originOf({ generation, clock }: Journey): AnswerOrigin {
  return { requestId: generation.requestId, createdAtSeconds: Math.floor(clock.nowMs() / 1000) };
}

/** What was lost on the way to this provider: by the translation, or since its row says that it is not told. */
export function fidelityAlong({ generation: { request }, routeGroups }: Journey, route: Route): string {
  const { fidelity } = groupOf(routeGroups, route);
  return route.dialect === request.dialect ? withDropped(fidelity, untold(request, route)) : fidelity;
}

/**
 * Tells the caller what was lost on the way to the provider that answers, and its limits: of requests, and of this answer when it
 * may not grow to what the model gives.
 */
export function announced(head: AnswerHead, journey: Journey, route: Route): AnswerHead {
  const { held, generation } = journey;
  const { rpmLimit } = generation.caller.key;
  const headers: AnswerHead["headers"] = { ...head.headers, "x-tollgate-fidelity": fidelityAlong(journey, route) };
  if (held.clamped) headers["x-tollgate-max-tokens"] = String(held.toldMaxTokens);
  if (rpmLimit !== null) headers["x-ratelimit-limit-requests"] = String(rpmLimit);
  return { ...head, headers };
}

const PROVIDER_FAILURES: ReadonlySet<FaultCode> = new Set([
  "provider_unavailable",
  "upstream_error",
  "upstream_timeout",
]);

/** A provider that failed is written down, at no cost; a request that it refused with reason is as if never sent. */
export async function failJourney(journey: Journey, error: unknown): Promise<never> {
  if (error instanceof Fault && PROVIDER_FAILURES.has(error.code)) {
    // Should the ledger be away, the hold is voided instead, and the caller still hears of the provider.
    await journey.held.hold.settle(endingOf(journey, { outcome: "upstream_failed" })).catch(() => undefined);
  }
  throw error;
}

/** Cut because we could not go on, and not for anything the caller did: it costs nothing, so the hold goes back whole. */
export const isOurs = ({ code }: Fault): boolean => code === "service_unavailable";

export const brokeOff = (): Fault =>
  new Fault("upstream_error", "The provider broke off before the answer was complete. Trying again is safe.");

/** A bound of ours ended the answer. The code is the one for an answer that could not be had; the words say whose doing it was. */
export const pastLimit = (limit: AnswerLimitError): Fault =>
  new Fault("upstream_error", `${limit.message} Ask for less, or in parts.`, { cause: limit });

/** Whether an error is a provider's doing, and not a bound of ours. */
export const isProviders = (error: unknown): boolean =>
  error instanceof Fault && error.code === "upstream_error" && !(error.cause instanceof AnswerLimitError);

export const tooLong = (): Fault =>
  new Fault("upstream_timeout", "The answer took longer than a stream may last. Ask for less, or in parts.");
