import type { Clock } from "../core/clock.ts";
import type { ExchangeMeans } from "./call-convention.ts";
import { call } from "./provider-call.ts";
import { createKeepToken } from "./keep-token.ts";
import type { Pools } from "./pools.ts";
import type { PreparedRoute } from "./prepare-route.ts";
import { readBeginning } from "./read-beginning.ts";
import type { Route } from "../core/route.ts";
import { UpstreamError } from "./upstream.ts";

const ANSWER = { connectTimeoutMs: 5_000, timeoutMs: 10_000, maxBytes: 65_536 };

type Keeper = { secret: string; keep: () => string | Promise<string> };

/** What a provider is shown: the secret itself, or the token it was exchanged for. A promise only while there is no token. */
export type ExchangeSecret = (prepared: PreparedRoute, route: Route) => string | null | Promise<string>;

export function createExchangeSecret({ pools, clock }: { pools: Pools; clock: Clock }): ExchangeSecret {
  const { nowMs, elapsedMs } = clock;
  /** By provider: a token outlives the routes it is for, which are made anew whenever the catalogue is read. */
  const keepers = new Map<string, Keeper>();
  const post: ExchangeMeans["post"] = (url, request) => postTo(pools, url, request);

  return ({ secret, convention: { exchange } }, route) => {
    if (exchange === undefined || secret === null) return secret;
    const holder = `${route.dialect} ${route.provider} ${route.baseUrl}`;
    let keeper = keepers.get(holder);
    if (keeper?.secret !== secret) {
      const means = { route, nowMs, post };
      keeper = { secret, keep: createKeepToken({ exchange: () => exchange(secret, means), elapsedMs }) };
      keepers.set(holder, keeper);
    }
    const token = keeper.keep();
    return token instanceof Promise ? token.catch(misconfigured) : token;
  };
}

function misconfigured(cause: unknown): never {
  throw new UpstreamError("misconfigured", cause);
}

/** One short question to whoever gives out tokens, under bounds like any other call. */
async function postTo(
  pools: Pools,
  url: string,
  { headers, body }: Parameters<ExchangeMeans["post"]>[1],
): Promise<{ status: number; body: Buffer }> {
  const { origin, pathname, search } = new URL(url);
  const { connectTimeoutMs, timeoutMs, maxBytes } = ANSWER;
  const answer = await call(pools, {
    origin,
    path: pathname + search,
    headers: { "user-agent": "tollgate", ...headers },
    body,
    connectTimeoutMs,
    firstByteTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    sink: { onGone: () => undefined },
  });
  return { status: answer.status, body: await readBeginning(answer.body, { maxBytes, timeoutMs }) };
}
