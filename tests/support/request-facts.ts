import { createId, requestIdOf } from "../../src/core/ids.ts";
import type { RequestFacts } from "../../src/core/request/request-facts.ts";

const KEYS = Array.from({ length: 5 }, (_, no) => `00000000-0000-4000-8002-00000000000${no}`);
const TEAM = "00000000-0000-4000-8001-000000000001";

/** A streamed request of one of five keys of a team and one of three models, which was charged 7. */
export function factsOf(no: number, atMs = Date.now()): RequestFacts {
  return {
    requestId: requestIdOf(createId(atMs)),
    keyId: KEYS[no % KEYS.length] ?? null,
    accounts: [TEAM],
    route: "chat_completions",
    dialect: "chat",
    modelAsked: null,
    model: `model-${no % 3}`,
    priceVersion: 1,
    status: 200,
    code: null,
    outcome: "completed",
    streamed: true,
    replay: false,
    steps: {
      authenticated: 1,
      read: 2,
      checked: 3,
      admitted: 4,
      dispatched: 5,
      first_byte: 60_000,
      last_byte: 90_000,
      settled: 91_000,
      closed: 92_000,
    },
    providerUs: 85_000,
    attempts: [
      { provider: "acme", routeId: TEAM, region: null, beganUs: 5, endedUs: 60_000, status: 200, failure: null },
    ],
    inputTokens: 10,
    cachedTokens: 1,
    outputTokens: 20,
    reasoningTokens: 0,
    held: { credits: 100n, tokens: null },
    charged: { credits: 7n, tokens: null },
    refusal: null,
    dropped: null,
    bytesOut: 10,
    traceId: null,
  };
}
