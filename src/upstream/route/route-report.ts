import type { Payer } from "../../core/money/payer.ts";
import type { AnswerOutcome } from "../../core/money/usage.ts";
import type { RouteNews } from "../news/route-news.ts";
import type { BreakerState } from "./route-breaker.ts";
import type { PaceSample } from "./route-pace.ts";
import type { Slowness } from "./route-slowness.ts";

/** A call that failed. Nothing a provider wrote is in it. */
export type RouteFailure = { reason: string; status: number | null };

/**
 * A change of the breaker. `untilMs`: how long calls are kept away at least; null: it closed. `onHearsay`: it opened after fewer failures
 * than usual, because another process had said that the route fails.
 */
export type BreakerChange = {
  atMs: number;
  state: "closed" | "open";
  reason: string;
  untilMs: number | null;
  onHearsay: boolean;
};

/** What is known of a route by the requests that went there. */
export type RouteReport = {
  routeId: string;
  provider: string;
  upstreamModel: string;
  dialect: string;
  breaker: BreakerState;
  /** Since when this process knows it. */
  knownSinceMs: number;
  /** Calls since then; those that the provider refused with 429 are among the failed ones. */
  succeeded: number;
  failed: number;
  rateLimited: number;
  /** How long it is left alone yet, because it failed or because it asked for it. */
  restsMs: number;
  /** Lately, from 0 to 1. */
  successRate: number;
  /** Of late calls on average; null while nothing is known. */
  firstByteMs: number | null;
  /** Null: its streams begin as usual, or nothing is known. */
  slowness: Slowness | null;
  tokensPerSecond: number | null;
  callsInProgress: number;
  concurrencyLimit: number | null;
  /** Oldest first. */
  lastErrors: readonly (RouteFailure & { atMs: number })[];
  /** Of the breaker, oldest first; the last of them. */
  changes: readonly BreakerChange[];
  /** The last that another process said of it. */
  heard: { atMs: number; from: string; says: RouteNews["says"]; reason: string | null } | null;
};

/** How a call that was answered ended; null: in a way that says nothing about the route. */
export type RouteEnding = {
  outcome: AnswerOutcome | null;
  outputTokens: number;
  /** Whose request it was; absent, nobody's in particular. */
  payer?: Payer;
  /** What a stream showed of the route's pace; absent or null, nothing. */
  pace?: PaceSample | null;
};
