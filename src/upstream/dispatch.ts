import type { Payer } from "../core/money/payer.ts";
import type { Clock } from "../core/clock.ts";
import type { Fault } from "../core/fault.ts";
import type { Sink } from "../core/request/sink.ts";
import type { CallConvention, CallConventions, AnswerMode } from "./call-convention.ts";
import { DIALECT_CONVENTIONS } from "./dialect-conventions.ts";
import { backoffMs, MOST_ATTEMPTS, pause } from "./backoff.ts";
import { createRouteChoice, type RouteChoice } from "./route/choose-route.ts";
import { failureFault, tooLate, tooLong, unavailable } from "./dispatch-fault.ts";
import type { Pools } from "./pools.ts";
import type { Quirks } from "./providers.ts";
import { CONSEQUENCES, providerFault, type Refused, readRefused, refusalReason } from "./refusal/provider-error.ts";
import { readBeginning } from "./refusal/read-beginning.ts";
import { coolDownOf } from "./refusal/retry-after.ts";
import type { RouteHealth } from "./route/route-health.ts";
import type { RouteStanding } from "./route/order-routes.ts";
import type { WatchedCall } from "./route/route-record.ts";
import type { RouteEnding } from "./route/route-report.ts";
import { createSend } from "./send.ts";
import type { Route } from "../core/catalogue/route.ts";
import { type CredentialOf, type UpstreamAnswer, UpstreamError } from "./upstream.ts";

const ERROR_BODY = { maxBytes: 65_536, timeoutMs: 5_000 };
/** The words of a provider in trouble seldom matter, and come with its status when they do. */
const HASTY_BODY = { ...ERROR_BODY, timeoutMs: 500 };

export type DispatchTask = {
  routes: readonly Route[];
  /** Groups to turn to, in this order, when nobody of the one before is left; absent, there are none. */
  otherRoutes?: () => readonly (readonly Route[])[];
  answerMode: AnswerMode;
  /** The request's bytes as this route must be sent them. */
  bodyFor: (route: Route, quirks: Quirks) => Buffer | Promise<Buffer>;
  /** What this route is told in headers on the caller's behalf. */
  headersFor: (route: Route) => Readonly<Record<string, string>>;
  /** When the request must have ended, on the clock of durations. No wait for a provider outlasts it. */
  deadlineAtMs: number;
  /** Whose request it is; absent, nobody's in particular. */
  payer?: Payer;
  /** The caller: when it leaves, so does the call. */
  sink: Pick<Sink, "isGone" | "onGone">;
  onAttempt: (attempt: Attempt) => void;
  /** The caller left while no provider was at work for it: none had been sent the request, or those that had been have refused it. */
  onUnsent?: () => void;
  /** How long this payer must leave a route alone, in ms; 0, not at all. Absent: none. */
  restsMs?: (route: Route) => number;
  /** Whether a route that refused the request in these words is to be asked once more, with another body. Absent: never. */
  refused?: (route: Route, refusal: Refused) => boolean;
};

/** As if it were given up, by this payer alone. */
const RESTING: RouteStanding = { verdict: "open" };
const NEVER_RESTS = (): number => 0;

export type Attempt = {
  route: Route;
  number: number;
  status: number | null;
  failure: string | null;
  waitedMs: number;
};

/** `ended` must be told how the answer went, whatever happens: until then the call counts as in progress. */
export type Dispatched = { route: Route; answer: UpstreamAnswer; ended: (ending: RouteEnding) => void };

/** Null: the caller left before any provider answered. */
export type Dispatch = (task: DispatchTask) => Promise<Dispatched | null>;

type Parts = {
  pools: Pools;
  credential: CredentialOf;
  health: RouteHealth;
  random: () => number;
  clock: Clock;
  /** How each dialect is called; absent, as it is. */
  conventions?: CallConventions;
};

/** What came of one attempt. `next`: who may be asked after it failed; `sent`: its provider gave no answer, and may be at work on it yet. */
type Tried =
  | { kind: "answered"; dispatched: Dispatched }
  | { kind: "gone"; sent: boolean }
  | { kind: "failed"; fault: Fault; next: "nobody" | "others" | "anybody" | "same"; sent?: boolean };

/** `probe`: the route has been given up, and no other is left. */
type Trying = { route: Route; number: number; probe: boolean };

type Refusal = {
  answer: UpstreamAnswer;
  route: Route;
  task: DispatchTask;
  watched: WatchedCall;
  note: (status: number | null, failure: string | null) => void;
  convention: CallConvention | undefined;
  clock: Clock;
};

/** Tries the routes in order until one answers; nothing is tried again once a provider has begun to. */
export function createDispatch(parts: Parts): Dispatch {
  const { pools, credential, health, random, clock, conventions = DIALECT_CONVENTIONS } = parts;
  const send = createSend({ pools, credential, conventions });

  return async (task) => {
    const choice = choiceOf(task, { random, health });
    let fault: Fault | null = null;
    let sent = false;
    for (let number = 1; number <= MOST_ATTEMPTS; number++) {
      if (number > 1) await pause(backoffMs(number, random), task.sink);
      if (task.sink.isGone()) return left(task, sent);
      const usable = choice.next();
      const route = usable ?? (number === 1 ? choice.probe() : null);
      if (route === null) break;
      const tried = await attempt(task, { route, number, probe: usable === null });
      if (tried.kind === "answered") return tried.dispatched;
      if (tried.kind === "gone") return left(task, sent || tried.sent);
      fault = tried.fault;
      sent ||= tried.sent === true;
      if (tried.next === "nobody") break;
      if (tried.next === "same") continue;
      // A connection that was refused or reset says little about a provider, so a sole route is asked once more.
      const again = tried.next === "anybody" && number === 1 && choice.isSole();
      if (!again) choice.drop(route);
      if (choice.next() === null) break;
    }
    throw fault ?? unavailable(choice.considered(), health, task.restsMs ?? NEVER_RESTS);
  };

  async function attempt(task: DispatchTask, { route, number, probe }: Trying): Promise<Tried> {
    const { sink, onAttempt, payer } = task;
    const startedAtMs = clock.elapsedMs();
    if (startedAtMs >= task.deadlineAtMs) return { kind: "failed", fault: tooLate(), next: "nobody" };
    const watched = health.begin(route, { payer, streamed: task.answerMode === "streamed", probe });
    const note = (status: number | null, failure: string | null): void =>
      onAttempt({ route, number, status, failure, waitedMs: clock.elapsedMs() - startedAtMs });
    try {
      const answer = await send({
        route,
        answerMode: task.answerMode,
        headers: task.headersFor(route),
        bodyFor: task.bodyFor,
        ...timeoutsOf(route, task, task.deadlineAtMs - startedAtMs),
        sink,
      });
      const convention = conventions[route.dialect];
      if (answer.status !== 200) return await refused({ answer, route, task, watched, note, convention, clock });
      note(200, null);
      watched.answered(clock.elapsedMs() - startedAtMs);
      return { kind: "answered", dispatched: { route, answer, ended: (ending) => watched.ended(ending) } };
    } catch (error) {
      if (!(error instanceof UpstreamError) || sink.isGone()) watched.released();
      if (!(error instanceof UpstreamError)) throw error;
      if (sink.isGone()) return { kind: "gone", sent: error.sent };
      note(null, error.reason);
      return unreached({ error, task, route, watched });
    }
  }
}

function choiceOf(task: DispatchTask, { random, health }: Pick<Parts, "random" | "health">): RouteChoice {
  const { payer, restsMs = NEVER_RESTS } = task;
  return createRouteChoice(task, {
    random,
    standingOf: (route) => (restsMs(route) > 0 ? RESTING : health.standing(route, payer)),
    restsMs: (route) => (restsMs(route) > 0 ? Infinity : health.restsMs(route)),
  });
}

function left({ onUnsent }: DispatchTask, sent: boolean): null {
  if (!sent) onUnsent?.();
  return null;
}

/** A provider answered, and not with success. */
async function refused({ answer, route, task, watched, note, convention, clock }: Refusal): Promise<Tried> {
  const { status } = answer;
  const body = await readBeginning(answer.body, status >= 500 || status === 429 ? HASTY_BODY : ERROR_BODY);
  const read = readRefused(answer, body);
  const { next, counts } = CONSEQUENCES[read.kind];
  const reason = refusalReason(read);
  note(status, reason);
  if (counts === "never") watched.released();
  else {
    const { headers } = convention?.refusal?.(answer, body) ?? answer;
    const coolDownMs = coolDownOf({ status, headers, nowMs: clock.nowMs() });
    const once = counts === "once";
    const perhapsProvoked = once && read.kind === "account";
    watched.failed({ reason, status, coolDownMs, payer: task.payer, once, perhapsProvoked });
  }
  const fault = providerFault(read, { provider: route.provider, model: route.upstreamModel });
  const again = next === "nobody" && task.refused?.(route, read) === true;
  return { kind: "failed", fault, next: again ? "same" : next };
}

/**
 * A stream has the route's time to begin, and to go on. A plain answer comes with its last word, so that it has all the time there is; only
 * for a connection it waits no longer than a stream does, since what was never sent can be asked of somebody else.
 */
function timeoutsOf({ firstByteTimeoutMs, idleTimeoutMs }: Route, { answerMode }: DispatchTask, leftMs: number) {
  const beginMs = Math.min(firstByteTimeoutMs, leftMs);
  if (answerMode === "streamed") return { firstByteTimeoutMs: beginMs, idleTimeoutMs };
  return { firstByteTimeoutMs: leftMs, connectionTimeoutMs: beginMs, idleTimeoutMs: leftMs };
}

type Unreached = { error: UpstreamError; task: DispatchTask; route: Route; watched: WatchedCall };

/** A provider gave no answer at all. */
function unreached({ error, task: { answerMode, payer }, route, watched }: Unreached): Tried {
  const { reason, sent } = error;
  const perhapsLong = reason === "timed_out" && answerMode === "whole" && sent;
  // How many connections there may be is ours to say, and the provider knows nothing of those that wait for one.
  if (reason === "crowded") watched.released();
  else {
    watched.failed({ reason, status: null, coolDownMs: null, payer, once: perhapsLong });
  }
  // It may be at work on it yet: who asks somebody else as well pays for two answers.
  if (perhapsLong) return { kind: "failed", fault: tooLong(error, route.provider), next: "nobody" };
  const next = reason === "refused" || reason === "broken" ? "anybody" : "others";
  return { kind: "failed", fault: failureFault(error, route.provider), next, sent };
}
