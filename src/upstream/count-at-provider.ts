import type { Clock } from "../core/clock.ts";
import { isObject } from "../core/bytes/is-object.ts";
import type { CallConventions } from "./call-convention.ts";
import { DIALECT_CONVENTIONS } from "./dialect-conventions.ts";
import { orderRoutes, type RouteStanding } from "./route/order-routes.ts";
import type { Pools } from "./pools.ts";
import { readRefused } from "./refusal/provider-error.ts";
import { readBeginning } from "./refusal/read-beginning.ts";
import type { RouteHealth } from "./route/route-health.ts";
import { createSend } from "./send.ts";
import type { Quirks } from "./providers.ts";
import type { Route } from "../core/catalogue/route.ts";
import type { CredentialOf, UpstreamAnswer } from "./upstream.ts";

/** Agents count before every turn; a count that takes longer is of no use to them. */
const TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 65_536;

/** How long a provider that does not count, or cannot be reached, is not asked again: an estimate at once is worth more. */
const REST_MS = 60_000;

type Task = {
  /** Routes whose providers speak messages. */
  routes: readonly Route[];
  bodyFor: (route: Route, quirks: Quirks) => Buffer | Promise<Buffer>;
  headers: Readonly<Record<string, string>>;
};

/** A provider's own count of a request's input; null when none gave one, for whatever reason. */
export type CountAtProvider = (task: Task) => Promise<number | null>;

type Parts = {
  pools: Pools;
  credential: CredentialOf;
  health: Pick<RouteHealth, "standing">;
  random: () => number;
  clock: Clock;
  /** How each dialect is called; absent, as it is. */
  conventions?: CallConventions;
};

/**
 * Asks a provider that speaks messages, if one is well: a route that generations are kept from is left alone by counts too. What
 * comes of a count says nothing about generations, so no route's health hears of it.
 */
export function createCountAtProvider(parts: Parts): CountAtProvider {
  const { pools, credential, health, random, clock, conventions = DIALECT_CONVENTIONS } = parts;
  const send = createSend({ pools, credential, conventions });
  /** By route, since routes are made anew whenever the catalogue is read. */
  const restsUntilMs = new Map<string, number>();

  function rest(route: Route): void {
    for (const [id, untilMs] of restsUntilMs) if (untilMs <= clock.elapsedMs()) restsUntilMs.delete(id);
    restsUntilMs.set(route.id, clock.elapsedMs() + REST_MS);
  }

  function standingOf(route: Route): RouteStanding {
    if (clock.elapsedMs() < (restsUntilMs.get(route.id) ?? 0)) return { verdict: "open" };
    const standing = health.standing(route);
    return standing.verdict === "doubtful" ? { verdict: "open" } : standing;
  }

  /** Null: unreachable or too slow, which is all one to somebody who can estimate instead. */
  async function ask({ bodyFor, headers }: Task, route: Route): Promise<UpstreamAnswer | null> {
    let giveUp: (() => void) | null = null;
    const timer = setTimeout(() => giveUp?.(), TIMEOUT_MS);
    try {
      return await send({
        route,
        answerMode: "whole",
        asks: "count",
        headers,
        bodyFor,
        firstByteTimeoutMs: TIMEOUT_MS,
        idleTimeoutMs: TIMEOUT_MS,
        sink: { onGone: (callback) => (giveUp = callback) },
      });
    } catch {
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  return async (task) => {
    const [route] = orderRoutes(task.routes, { random, standingOf });
    if (route === undefined) return null;
    const startedAtMs = clock.elapsedMs();
    const answer = await ask(task, route);
    const timeoutMs = Math.max(0, TIMEOUT_MS - (clock.elapsedMs() - startedAtMs));
    const bytes = answer && (await readBeginning(answer.body, { maxBytes: MAX_ANSWER_BYTES, timeoutMs }));
    const count = answer?.status === 200 && bytes ? countIn(bytes) : null;
    // What the caller can provoke must not keep others from counting.
    if (count === null && !(answer && bytes && isOfCaller(answer, bytes))) rest(route);
    return count;
  };
}

/** Bedrock says so of some models, as if the request were at fault. */
const COUNTS_NOTHING = /^The provided model doesn't support counting tokens/;

/** Whether it depends on what was to be counted, and not on who was asked. */
function isOfCaller(answer: UpstreamAnswer, bytes: Buffer): boolean {
  const { kind, message } = readRefused(answer, bytes);
  if (COUNTS_NOTHING.test(message)) return false;
  if (kind === "unknown") return answer.status === 400 || answer.status === 413 || answer.status === 422;
  return kind === "request" || kind === "too_long" || kind === "too_much";
}

function countIn(bytes: Buffer): number | null {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const count = isObject(value) ? (value["input_tokens"] ?? value["inputTokens"]) : null;
    return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : null;
  } catch {
    return null;
  }
}
