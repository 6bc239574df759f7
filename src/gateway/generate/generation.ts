import type { GenerationModel, Model } from "../../catalogue/model.ts";
import type { Amounts } from "../../core/money/amount.ts";
import type { CallFormat } from "../../core/request/dialect.ts";
import type { Clock } from "../../core/clock.ts";
import type { FaultCode } from "../../core/fault.ts";
import type { Pace } from "../../core/request/pace.ts";
import type { GenerationRoute, Route } from "../../core/catalogue/route.ts";
import type { Sink } from "../../core/request/sink.ts";
import type { AnswerOutcome, Usage } from "../../core/money/usage.ts";
import type { LedgerCall } from "../../telemetry/request-line.ts";
import type { Fidelity, RouteGroups } from "../../translate/fidelity/group-routes.ts";
import type { Attempt, Dispatched } from "../../upstream/dispatch.ts";
import type { PaceSample } from "../../upstream/route/route-pace.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { Caller } from "../open-request.ts";
import type { Admitted } from "./admit.ts";
import type { CostSoFar } from "./bill.ts";
import type { Idempotency } from "./idempotent/idempotency.ts";
import type { WatchedSink } from "./deliver/watched-sink.ts";

/** A generation as it is asked for. */
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
  /** What the client calls itself; absent, it does not say. */
  agent?: string | undefined;
  startedAtMs: number;
  /** The key may use this model. */
  onModel: (model: Model) => void;
  /** What the ledger charged, in the unit of the key and in each that counts. Not called for what costs nothing because it never started. */
  onCharged: (amount: bigint, amounts: Amounts) => void;
  /** A call of the ledger for this generation has ended, however it did. */
  onLedger: (call: LedgerCall) => void;
  /** A route is about to be called. The trace context of that call, as its provider may be told it; null: there is none. */
  onCall: (route: Route) => string | null;
  onAttempt: (attempt: Attempt) => void;
  onFirstByte: () => void;
};

/** A generation that has been admitted, until its last byte. What changes under way is written by the `note` functions alone. */
export type GenerationState = {
  readonly generation: Generation;
  readonly model: GenerationModel;
  readonly routeGroups: RouteGroups<GenerationRoute>;
  /** Where it may run, by the key that it was admitted for; null: anywhere. */
  readonly regions: readonly string[] | null;
  readonly held: Extract<Admitted, { kind: "held" }>;
  readonly sink: WatchedSink;
  readonly clock: Clock;
  readonly paceOf: (route: Route) => Pace;
  /** Where it is among those that run. */
  place: number;
  /** The provider that answered or was last asked. */
  provider: string;
  firstByteMs: number | null;
  /** The route that was asked last, and when; null while none was. */
  asked: { route: Route; atMs: number } | null;
  /** What its stream has come to, for whoever looks; null while there is none. */
  soFar: (() => CostSoFar) | null;
};

/** What generations have in common with requests for embeddings, as far as running, ending and looking at them goes. */
export type CallState = Omit<GenerationState, "generation" | "model" | "routeGroups"> & {
  readonly generation: Omit<Generation, "request" | "fidelity"> & {
    request: Pick<GenerationRequest, "model" | "payer" | "bytes" | "stream" | "choices"> & { dialect: CallFormat };
  };
  readonly model: Model;
};

/** What became of an answer. */
export type Delivered = {
  outcome: AnswerOutcome;
  /** What the caller was told after its answer had begun; null when nothing went wrong. */
  code: FaultCode | null;
  /** The same in words. */
  refusal?: string;
  usage: Usage;
  bytesOut: number;
  /** When the provider had no more to say. */
  relayedAtMs: number;
  /** What a stream showed of its route's pace; null when it showed nothing. */
  pace: PaceSample | null;
};

/** Brings an answer to the caller, and settles. */
export type Deliver = (state: GenerationState, dispatched: Dispatched) => Promise<Delivered>;

export function noteAsked(state: CallState, route: Route): void {
  state.asked = { route, atMs: state.clock.elapsedMs() };
}

export function noteAttempt(state: CallState, attempt: Attempt): void {
  state.provider = attempt.route.provider;
  state.generation.onAttempt(attempt);
}

export function noteStream(state: GenerationState, soFar: () => CostSoFar): void {
  state.soFar = soFar;
}

export function noteFirstByte(state: CallState): void {
  state.firstByteMs = state.clock.elapsedMs() - state.generation.startedAtMs;
  state.generation.onFirstByte();
}
