import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCatalogue } from "../../src/catalogue/catalogue.ts";
import type { Demand } from "../../src/admission/demand.ts";
import { listFields } from "../../src/config/fields.ts";
import { FAULT_CODES, type FaultCode } from "../../src/core/fault.ts";
import { ledgerAway } from "../../src/gateway/ask-ledger.ts";
import { cancelledByOperator, providerBrokeOff } from "../../src/gateway/generate/answer-fault.ts";
import { checkContextWindow } from "../../src/gateway/generate/check/check-context-window.ts";
import { limitReached, overRate, type RefusingVerdict, verdictFault } from "../../src/gateway/verdict-fault.ts";
import { extractCredential } from "../../src/http/credential/credential.ts";
import { unforeseen } from "../../src/http/serve/serve-route.ts";
import { tooOld } from "../../src/http/socket/socket-session.ts";
import { socketsOff, unknownPath, wrongMethod } from "../../src/http/serve/unknown-path.ts";
import { invalidKey } from "../../src/keys/authenticate.ts";
import type { Key } from "../../src/keys/key.ts";
import { requireUsable } from "../../src/keys/usable.ts";
import { REFUSAL_WORDS } from "../../src/wire/errors/refusal-words.ts";
import { failureFault, unavailable } from "../../src/upstream/dispatch-fault.ts";
import type { Lack, NamedCounter } from "../../src/ledger/ledger.ts";
import { UpstreamError } from "../../src/upstream/upstream.ts";
import { chatRequestSchema } from "../../src/wire/chat/chat-request.ts";
import { previousNotFound } from "../../src/wire/responses/socket-message.ts";
import { validate } from "../../src/wire/validate.ts";

const NOW_MS = Date.UTC(2026, 10, 16);
const demand = { least: { credits: 20_000_000n, tokens: null }, advisableOutputTokens: () => 512 } as unknown as Demand;

const verdict = (refusal: RefusingVerdict): Error =>
  verdictFault(refusal, {
    rpmLimit: 60,
    demand,
    floor: null,
    advice: { fields: "max_tokens", addedBytes: 0, smallest: 1 },
    counters: [],
    nowMs: NOW_MS,
    random: () => 0,
  });

const unusable = (state: Partial<Key>): (() => void) => {
  const key = { status: "active", expiresAtMs: null, secretExpiresAtMs: null, personId: null, ...state } as Key;
  return () => requireUsable(key, NOW_MS, "full");
};

const contextWindow = { id: "your-model", contextWindow: 128_000, tokenFactor: 1 };
const chain = { id: 1, own: "credit", counters: [] } as const;
const reader = {
  mode: "credit",
  providerScope: "all",
  models: null,
  regions: null,
  accountRegions: null,
  chain,
} as const;

/** A lone key's purse or budget. */
const named = (posted: bigint, held: bigint, fields: Partial<NamedCounter> = {}): Lack => {
  const available = posted - held;
  const of = {
    id: 1,
    kind: "purse",
    unit: "credit",
    amount: 0n,
    period: "none",
    renewsAtMs: null,
    holder: null,
  } as const;
  return {
    posted: { credits: posted, tokens: null },
    available: { credits: available, tokens: null },
    named: { ...of, posted, available, ...fields },
  };
};

/** What the code itself throws, with the values of the example. */
const FAULTS: Record<FaultCode, Error | (() => unknown)> = {
  invalid_credentials: invalidKey(),
  key_expired: unusable({ expiresAtMs: Date.UTC(2026, 5, 30) }),
  key_disabled: unusable({ status: "disabled" }),
  rate_limit_exceeded: overRate(60, 2_000),
  balance_temporarily_reserved: verdict({ kind: "reserved", ...named(30_000_000n, 20_000_000n) }),
  limit_reached: limitReached(
    named(0n, 0n, { kind: "limit", unit: "tokens", renewsAtMs: Date.UTC(2026, 11) }).named,
    NOW_MS,
  ),
  insufficient_credit: verdict({ kind: "insufficient", ...named(10_000_000n, 0n) }),
  invalid_request: () => validate(chatRequestSchema, {}),
  model_not_found: () => createCatalogue().resolve("your-model", reader),
  not_found: unknownPath("/v1/model", "/v1/models"),
  method_not_allowed: wrongMethod("/v1/responses", "GET", ["POST"]),
  upgrade_required: socketsOff(),
  previous_response_not_found: previousNotFound(),
  websocket_connection_limit_reached: tooOld(3_600_000),
  context_length_exceeded: () =>
    checkContextWindow(
      { input: { likely: 900_000, most: 900_000, mostPredicted: 0 }, model: contextWindow },
      async () => 900_000,
    ),
  idempotency_in_progress: verdict({ kind: "in_progress", retryAfterMs: 2_000 }),
  idempotency_key_reuse: verdict({ kind: "key_reuse" }),
  idempotency_replay_unavailable: verdict({ kind: "replay_unavailable" }),
  idempotency_stream_interrupted: verdict({ kind: "stream_interrupted" }),
  request_cancelled: cancelledByOperator(),
  provider_unavailable: unavailable([], { standing: () => ({}) as never, restsMs: () => 0 }, () => 0),
  upstream_error: providerBrokeOff(),
  upstream_timeout: failureFault(new UpstreamError("timed_out", null), "acme"),
  service_unavailable: ledgerAway(() => 0, null),
  internal_error: unforeseen(null),
};

test.each(FAULT_CODES)("the documented example of %s is a message that the gateway sends", async (code) => {
  const source = FAULTS[code];
  const thrown = typeof source === "function" ? await faultOf(source) : source;

  expect(thrown).toMatchObject({
    code,
    message: REFUSAL_WORDS[code].example,
    param: REFUSAL_WORDS[code].param ?? null,
  });
});

test("the 401 for two credentials names a setting that exists and that the guide for clients explains [AUT-5]", async () => {
  const both = ["authorization", "Bearer a", "x-api-key", "a"];
  const { message } = (await faultOf(() => extractCredential(both, "bearer_or_header"))) as Error;
  const [, setting = ""] = /`([a-z_.]+): on`/.exec(message) ?? [];
  const guide = readFileSync(join(import.meta.dirname, "../../docs/start/connect-a-client.md"), "utf8");

  expect(listFields().map(({ path }) => path)).toContain(setting);
  expect(guide).toContain(setting);
});

async function faultOf(run: () => unknown): Promise<unknown> {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
