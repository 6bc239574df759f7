import { createAskForThoughts } from "../../src/gateway/generate/check/ask-for-thoughts.ts";
import { createCatalogue } from "../../src/catalogue/catalogue.ts";
import type { Model } from "../../src/catalogue/model.ts";
import type { Amounts } from "../../src/core/money/amount.ts";
import type { Route } from "../../src/core/catalogue/route.ts";
import type { ByteReader, ByteStream } from "../../src/core/bytes/byte-stream.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { KeyChain } from "../../src/core/money/counter.ts";
import { Fault } from "../../src/core/fault.ts";
import { createId } from "../../src/core/ids.ts";
import type { MoneyAlarm } from "../../src/core/money/money-alarm.ts";
import type { Sink } from "../../src/core/request/sink.ts";
import type { AnswerOutcome } from "../../src/core/money/usage.ts";
import { createAdmit } from "../../src/gateway/generate/admit.ts";
import { createAskLedger } from "../../src/gateway/ask-ledger.ts";
import { createChainFor } from "../../src/gateway/chain-for.ts";
import { createCountRequest } from "../../src/gateway/count-request.ts";
import { createDeliverPlain } from "../../src/gateway/generate/deliver/deliver-plain.ts";
import { createDeliverStream } from "../../src/gateway/generate/deliver/deliver-stream.ts";
import { createGenerate } from "../../src/gateway/generate/generate.ts";
import { idempotencyOf } from "../../src/gateway/generate/idempotent/idempotency.ts";
import type { Generation } from "../../src/gateway/generate/generation.ts";
import type { Caller } from "../../src/gateway/open-request.ts";
import { createRunning } from "../../src/gateway/generate/running.ts";
import type { Key } from "../../src/keys/key.ts";
import { LedgerUnavailableError } from "../../src/ledger/turn/lane.ts";
import type { Checkpoint } from "../../src/ledger/ledger.ts";
import { createRateDenials } from "../../src/ledger/turn/rate-denials.ts";
import { createPaperwork } from "../../src/offload/create-paperwork.ts";
import { createRelay } from "../../src/relay/relay.ts";
import { readChatRequest } from "../../src/wire/chat/chat-request.ts";
import { fingerprintOf } from "../../src/wire/fingerprint.ts";
import { parseBody } from "../../src/wire/json/parse-body.ts";
import { DIALECT_CONVENTIONS } from "../../src/upstream/dialect-conventions.ts";
import { conventionAt } from "../../src/upstream/platform/platforms.ts";
import { createModel } from "../ledger/model.ts";

export const ROUTE: Route = {
  id: "r1",
  provider: "east",
  baseUrl: "http://east.invalid/v1",
  credentialRef: "none",
  upstreamModel: "m",
  dialect: "chat",
  conformant: true,
  priority: 0,
  weight: 1,
  connectTimeoutMs: 1,
  firstByteTimeoutMs: 1,
  idleTimeoutMs: 1,
  concurrencyLimit: null,
};

/** A chat stream of one event, as its provider sends it. */
export const EVENT = 'data: {"choices":[{"index":0,"delta":{"content":"one two three"}}]}\n\n';
export const USAGE = 'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}\n\n';
export const DONE = "data: [DONE]\n\n";
export const PLAIN = '{ "choices": [], "usage": {"prompt_tokens":1,"completion_tokens":2,"total_tokens":3} }';

/** Input at 1 credit and output at 2 credits per million: a token is 1,000 or 2,000 nano-credits. */
export const MODEL: Model = {
  id: "m",
  provider: "east",
  createdAtMs: 0,
  ownedBy: "east",
  displayName: null,
  tagline: null,
  contextWindow: 1_000,
  maxOutputTokens: 8,
  outputCeiling: null,
  outputFloor: 4,
  tokenFactor: 1,
  capabilities: {},
  price: {
    version: 3,
    effectiveFromMs: 0,
    inputNano: 1_000_000_000n,
    outputNano: 2_000_000_000n,
    cacheReadNano: null,
    cacheWrite5mNano: null,
    cacheWrite1hNano: null,
    toolCallNano: {},
  },
  upcomingPrices: [],
  acceptedAlarms: [],
  routes: [ROUTE],
};

/** The number of the key's own counter. */
const PURSE = 1;

export type Provider = ((reader: ByteReader) => void) | "caller left" | "left unsent" | Fault;

/** Bytes that come as soon as somebody reads. */
const bodyOf = (say: (reader: ByteReader) => void, log: string[]): ByteStream => ({
  read: say,
  pause: () => undefined,
  resume: () => undefined,
  cancel: () => void log.push("cancel"),
});

export const pieces =
  (...list: string[]) =>
  (reader: ByteReader): void => {
    for (const piece of list) reader.chunk(Buffer.from(piece));
    reader.end();
  };

/**
 * The real story, admission and billing over the ledger's executable specification, with a provider and a caller in the hands of
 * the test; and everything that happened, in order.
 */
export function generationStage(
  provider: Provider,
  {
    credits = 10n ** 9n,
    model = MODEL,
    rpmLimit = null as number | null,
    keepAliveMs = 5_000,
    writeOffCap = 10n ** 9n,
  } = {},
) {
  const log: string[] = [];
  const charged: bigint[] = [];
  const bodies: string[] = [];
  /** The routes that might have been called. */
  const offered: Route[] = [];
  const alarms: MoneyAlarm["kind"][] = [];
  const unpriced: string[] = [];
  /** What the route was told of each answer. */
  const heard: (AnswerOutcome | null)[] = [];
  const checkpoints: Checkpoint[] = [];
  const forgotten: string[] = [];
  /** What providers did in vain. */
  const lostWork: Amounts[] = [];
  const line = { ledger: "up" as "up" | "down", say: provider, countTokens: createPaperwork(null).countTokens };
  const ledger = createModel({ startMs: Date.UTC(2026, 0, 5) });
  const keyId = createId(1);
  const processId = createId(2);
  ledger.createKey(keyId, "credit", { own: PURSE });
  if (credits > 0n)
    ledger.fund({ counter: PURSE, reference: `p ${keyId}`, kind: "purchase", amount: credits, actor: "test" });
  ledger.heartbeat(processId);

  const reach = async <Answer>(step: string, call: () => Answer): Promise<Answer> => {
    await Promise.resolve();
    log.push(step);
    if (line.ledger === "down") throw new LedgerUnavailableError("down");
    return call();
  };
  const batcher = {
    admit: (ask: Parameters<typeof ledger.admit>[1][number]) =>
      reach("admit", () => ledger.admit(processId, [ask])[0] as ReturnType<typeof ledger.admit>[number]),
    settle: (settlement: Parameters<typeof ledger.settle>[0][number]) =>
      reach(`settle ${settlement.outcome} ${settlement.price.credits}`, () => ledger.settle([settlement])[0] as never),
    settleLate: (settlement: Parameters<typeof ledger.settle>[0][number]) =>
      reach(
        `settle late ${settlement.outcome} ${settlement.price.credits}`,
        () => ledger.settle([settlement])[0] as never,
      ),
    void: (request: Parameters<typeof ledger.void>[0][number]) =>
      reach("void", () => ledger.void([request])[0] as never),
    refused: () => reach("tell of a refusal", () => undefined),
    suspend: ({ keyId }: { keyId: string }) => reach("suspend", () => ledger.suspend([keyId]).length > 0),
  };
  const denials = createRateDenials(systemClock);
  const askLedger = createAskLedger({ obstacle: () => null, batcher, denials, random: () => 0 });
  const running = createRunning();
  const catalogue = createCatalogue();
  catalogue.replace([model]);
  const paperwork = createPaperwork(null);
  const generate = createGenerate({
    askForThoughts: createAskForThoughts(),
    catalogue,
    countRequest: createCountRequest({ askLedger }),
    admit: createAdmit({
      askLedger,
      chainFor: createChainFor({ ledger: { chain: () => Promise.resolve(null) } }),
      paperwork,
      clock: systemClock,
      random: () => 0,
      deadlineMs: 5_000,
      hold: {
        clock: systemClock,
        batcher,
        checkpoints: {
          add: (checkpoint) => void checkpoints.push(checkpoint),
          forget: (id) => void forgotten.push(id),
        },
        countTokens: (text, owner) => line.countTokens(text, owner),
        creditNanoUsd: 1_000_000_000n,
        checkpointWorth: { credit: 1_000_000n, tokens: 100n },
        writeOffCap: { credit: writeOffCap, tokens: 1_000_000n },
        accountCaps: 10n,
        unconfirmed: (cause) => new Fault("service_unavailable", "unconfirmed", { cause }),
        onAlarm: ({ kind, part }) => {
          alarms.push(kind);
          if (part !== undefined) unpriced.push(part);
        },
      },
    }),
    paperwork,
    running,
    lostWork: { add: (_, lost) => void lostWork.push(lost), restsMs: () => 0 },
    dispatch: async ({ routes, otherRoutes, bodyFor, onAttempt, onUnsent, sink: watched }) => {
      log.push("dispatch");
      offered.splice(0, Infinity, ...routes, ...(otherRoutes?.().flat() ?? []));
      if (watched.isGone()) return null;
      const [route = ROUTE] = offered;
      bodies.push((await bodyFor(route, conventionAt(route, DIALECT_CONVENTIONS).quirks)).toString());
      onAttempt({ route, number: 1, status: 200, failure: null, waitedMs: 0 });
      if (line.say instanceof Fault) throw line.say;
      if (line.say === "left unsent") onUnsent?.();
      if (line.say === "left unsent" || line.say === "caller left") return null;
      const answer = { status: 200, headers: {}, body: bodyOf(line.say, log) };
      return { route, answer, ended: ({ outcome }) => void heard.push(outcome) };
    },
    paceOf: () => ({
      tokensPerSecond: 100,
      lostPerSecond: 100,
      firstTokenMs: 1_000,
      lateFirstTokenMs: 1_500,
      thinks: { told: false, untold: false, forbidden: false },
      shortensThoughts: false,
    }),
    deliverStream: createDeliverStream({
      relay: createRelay({
        clock: systemClock,
        limits: { deadlineMs: 5_000, keepAliveMs, maxEventBytes: 1_024 },
      }),
    }),
    deliverPlain: createDeliverPlain({ paperwork, limits: { deadlineMs: 5_000, maxAnswerBytes: 1_024 } }),
    clock: systemClock,
    deadlineMs: 5_000,
    storedAnswerBytes: 2_048,
  });

  let leave = (): void => undefined;
  let gone = false;
  const heads: Record<string, string>[] = [];
  const sink: Sink = {
    isGone: () => gone,
    onGone: (callback) => {
      leave = () => {
        gone = true;
        callback();
      };
    },
    onDrained: () => undefined,
    begin: ({ status, headers }) => {
      heads.push(headers);
      log.push(`begin ${status}`);
    },
    write: (bytes) => log.push(`write ${bytes.toString()}`) > 0,
    end: (bytes) => log.push(`end ${bytes?.toString() ?? ""}`),
  };
  const chain: KeyChain = { id: 1, own: "credit", counters: [] };
  const key = {
    id: keyId,
    bucket: 7,
    version: 1,
    mode: "credit",
    rpmLimit,
    providerScope: "all",
    models: null,
    tiers: null,
    regions: null,
    accountTiers: null,
    accountRegions: null,
    chain,
  };
  const rates: Parameters<Caller["onRate"]>[0][] = [];
  const caller: Caller = {
    key: key as unknown as Key,
    secret: "tgc_secret",
    onRate: (rate) => void rates.push(rate),
    again: () => reread?.() ?? caller,
  };
  let reread: (() => Caller) | null = null;
  /** The key is changed once the request was checked: the ledger knows, and the next reading finds it so. */
  const changeKey = (change: Partial<Key>): void => {
    const stored = ledger.state.keys.get(keyId);
    if (!stored) throw new Error("the key is there");
    stored.version += 1;
    const { version } = stored;
    reread = () => ({ ...caller, key: { ...caller.key, ...change, version } });
  };

  const ask = (fields: object = {}, idempotencyKey?: string): Generation =>
    askText(JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...fields }), idempotencyKey);
  const askText = (text: string, idempotencyKey?: string): Generation => {
    const bytes = Buffer.from(text);
    return {
      id: createId(Date.UTC(2026, 0, 5)),
      requestId: "req_1",
      caller,
      request: readChatRequest(parseBody(bytes, 64)),
      idempotency:
        idempotencyKey === undefined
          ? null
          : idempotencyOf(caller, {
              idempotencyKey,
              route: "chat_completions",
              fingerprint: fingerprintOf({ route: "chat_completions", version: "", bytes }),
            }),
      sink,
      startedAtMs: systemClock.elapsedMs(),
      onModel: () => undefined,
      onCharged: (amount) => void charged.push(amount),
      onLedger: () => undefined,
      onCall: () => null,
      onAttempt: () => undefined,
      onFirstByte: () => undefined,
    };
  };
  const account = () => {
    const found = ledger.state.keys.get(keyId);
    if (!found) throw new Error("the key has an account");
    return { ...found, ...ledger.counter(PURSE) };
  };
  return {
    generate,
    catalogue,
    changeKey,
    ask,
    askText,
    log,
    bodies,
    offered,
    heads,
    charged,
    alarms,
    unpriced,
    rates,
    heard,
    checkpoints,
    forgotten,
    lostWork,
    line,
    ledger,
    account,
    keyId,
    running,
    leave: () => leave(),
    charges: () =>
      [...ledger.state.charges.values()].map(({ kind, charged: { credits: paid } }) => `${kind} ${paid ?? 0n}`),
    /** Those that count in reports of usage. */
    records: () =>
      [...ledger.state.charges.values()]
        .filter(({ reported }) => reported)
        .map(({ kind, charged: { credits: paid } }) => `${kind} ${paid ?? 0n}`),
  };
}

/** Runs the event loop until what was left running has settled. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
