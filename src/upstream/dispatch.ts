import { Fault } from "../core/fault.ts";
import type { Sink } from "../core/sink.ts";
import { call } from "./call.ts";
import { plan } from "./plan.ts";
import type { Pools } from "./pools.ts";
import { canCall, createPrepareTarget } from "./prepare-target.ts";
import { isRetryable, providerFault } from "./provider-error.ts";
import { readBeginning } from "./read-beginning.ts";
import { type Target, type UpstreamAnswer, UpstreamError } from "./upstream.ts";

const ERROR_BODY = { maxBytes: 65_536, timeoutMs: 5_000 };

export type DispatchTask = {
  targets: readonly Target[];
  /** The request's bytes as this target must be sent them. */
  bodyFor: (target: Target) => Buffer;
  /** What this target is told in headers on the caller's behalf. */
  headersFor: (target: Target) => Readonly<Record<string, string>>;
  /** The caller: when it leaves, so does the call. */
  sink: Pick<Sink, "isGone" | "onGone">;
  onAttempt: (attempt: Attempt) => void;
};

export type Attempt = {
  target: Target;
  number: number;
  status: number | null;
  failure: string | null;
  waitedMs: number;
};

export type Dispatched = { target: Target; answer: UpstreamAnswer };

/** Null: the caller left before any provider answered. */
export type Dispatch = (task: DispatchTask) => Promise<Dispatched | null>;

type Parts = {
  pools: Pools;
  /** The credential a reference stands for; null when the provider wants none. Throws when it cannot be had. */
  credential: (reference: string) => string | null;
  random: () => number;
  elapsedMs: () => number;
};

/** Tries the routes in order until one answers; nothing is tried again once a provider has begun to. */
export function createDispatch({ pools, credential, random, elapsedMs }: Parts): Dispatch {
  const prepare = createPrepareTarget(credential);
  return async ({ targets, bodyFor, headersFor, sink, onAttempt }) => {
    let fault: Fault | null = null;
    let number = 0;
    for (const target of plan(targets, random)) {
      if (!canCall(target.dialect)) continue;
      number++;
      const startedAtMs = elapsedMs();
      const note = (status: number | null, failure: string | null): void =>
        onAttempt({ target, number, status, failure, waitedMs: elapsedMs() - startedAtMs });
      try {
        const answer = await send(target);
        if (answer.status === 200) {
          note(200, null);
          return { target, answer };
        }
        const body = await readBeginning(answer.body, ERROR_BODY);
        note(answer.status, "answered with an error");
        fault = providerFault({ status: answer.status, body, provider: target.provider });
        if (!isRetryable(answer.status)) throw fault;
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        if (sink.isGone()) return null;
        note(null, error.reason);
        fault = failureFault(error, target.provider);
      }
    }
    throw fault ?? noProvider();

    function send(target: Target): Promise<UpstreamAnswer> {
      const { origin, path, headers } = prepare(target);
      return call(pools, {
        origin,
        path,
        headers: { ...headers, ...headersFor(target) },
        body: bodyFor(target),
        connectTimeoutMs: target.connectTimeoutMs,
        firstByteTimeoutMs: target.firstByteTimeoutMs,
        idleTimeoutMs: target.idleTimeoutMs,
        sink,
      });
    }
  };
}

const noProvider = (): Fault =>
  new Fault("provider_unavailable", "No provider can serve this model right now. Try again in a moment.");

function failureFault(error: UpstreamError, provider: string): Fault {
  const options = { detail: { provider, reason: error.reason }, cause: error };
  switch (error.reason) {
    case "timed_out":
      return new Fault("upstream_timeout", "The provider took too long to answer. Trying again is safe.", options);
    case "refused":
      return new Fault("provider_unavailable", "The provider could not be reached. Try again in a moment.", options);
    case "misconfigured":
      return new Fault("provider_unavailable", "This provider is not set up; the operator has been told.", options);
    case "broken":
      return new Fault("upstream_error", "The provider broke off before answering. Trying again is safe.", options);
    default:
      return error.reason satisfies never;
  }
}
