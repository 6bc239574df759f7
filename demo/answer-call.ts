import type { Amounts } from "../src/core/money/amount.ts";
import { chargeOf } from "../src/core/money/pay-rate.ts";
import { REQUEST_STEPS, type RequestFacts } from "../src/core/request/request-facts.ts";
import { NO_USAGE, type Usage } from "../src/core/money/usage.ts";
import { createReadClient } from "../src/records/agent-name.ts";
import type { QueuedRecord } from "../src/records/record-queue.ts";
import { type AskedProviders, askProviders } from "./ask-providers.ts";
import type { Ask, NamedCounter, Settlement } from "../src/ledger/ledger.ts";
import { type BookKey, inUnits, refusalWords } from "./books.ts";
import type { Draw } from "./draw.ts";
import { type DemoModel, modelNamed, priceThen } from "./models.ts";
import type { Call } from "./plan-day.ts";
import { rejection, type Rejection } from "./rejection.ts";

/** A call that the gateway would start, if the ledger lets it: what it asks the ledger for, and what comes of it. */
export type WantedCall = {
  call: Call;
  key: BookKey;
  idHex: string;
  made: Made;
  ask: Ask;
  need: Amounts;
  price: Amounts;
};

/** What the gateway makes of a call before the ledger is asked: its record, where nothing is started; else what is to be started. */
export type PreparedCall = { record: QueuedRecord; wanted: null } | { record: null; wanted: WantedCall };

export type World = {
  endMs: number;
  badDayMs: number;
  draw: Draw;
  /** Ids of routes by model, provider and format. */
  routes: ReadonlyMap<string, string>;
  rates: ReadonlyMap<string, number>;
};

const DAY_MS = 86_400_000;
const ROUTES = { messages: "messages", chat: "chat_completions", responses: "responses" } as const;
const HOUR_MS = 3_600_000;
/** Nobody of the demo is suspended for what they cause. */
const NO_CAP = 10n ** 18n;
const readClient = createReadClient();

export function prepareCall(call: Call, key: BookKey | null, world: World): PreparedCall {
  const { draw } = world;
  const idHex = `${call.atMs.toString(16).padStart(12, "0")}7${draw.hex(3)}a${draw.hex(15)}`;
  const told = mistakeOf(call, key, world);
  if (key === null || told !== null)
    return {
      record: rejectedRecord(call, { idHex, key, told: told ?? rejection("invalid_credentials"), draw }),
      wanted: null,
    };
  if (call.habit.format === "messages" && call.streamed && draw.chance(0.03))
    return { record: countRecord(call, { idHex, key, draw }), wanted: null };
  return { record: null, wanted: wantedCall(call, { idHex, key, world }) };
}

const usageOf = (call: Call, output: number, model: DemoModel, draw: Draw): Usage => ({
  ...NO_USAGE,
  inputTokens: call.input,
  cacheReadTokens: call.cached,
  cacheWriteTokens: call.written,
  outputTokens: output,
  reasoningTokens: model.reasons ? Math.floor(output * draw.next() * 0.45) : 0,
});

const costOf = (usage: Usage, call: Call, endMs: number): Amounts => ({
  credits: chargeOf(priceThen(modelNamed(call.model), (endMs - call.atMs) / DAY_MS).tariff, usage),
  tokens: BigInt(usage.inputTokens + usage.outputTokens),
});

function mistakeOf(call: Call, key: BookKey | null, { rates }: World): Rejection | null {
  if (call.mistake !== null) return rejection(call.mistake, call);
  if (key === null || !call.burst) return null;
  return rejection("rate_limit_exceeded", { ...call, rpm: rates.get(key.label) ?? 60 });
}

type Shown = { idHex: string; key: BookKey | null; draw: Draw };

const factsOf = (call: Call, { idHex, key }: Shown): RequestFacts => ({
  requestId: `req_${idHex}`,
  keyId: key?.keyId ?? null,
  accounts: key?.accounts ?? [],
  route: ROUTES[call.habit.format],
  dialect: call.habit.format,
  modelAsked: null,
  model: call.model,
  priceVersion: null,
  status: 200,
  code: null,
  outcome: null,
  streamed: false,
  replay: false,
  steps: { ...NO_STEPS, closed: 0 },
  providerUs: 0,
  attempts: null,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  held: null,
  charged: null,
  refusal: null,
  dropped: null,
  bytesOut: 0,
  traceId: null,
});

const NO_STEPS = Object.fromEntries(REQUEST_STEPS.map((step) => [step, null])) as Record<
  (typeof REQUEST_STEPS)[number],
  null
>;

const recorded = (call: Call, facts: RequestFacts): QueuedRecord => ({
  facts,
  name: readClient(call.habit.userAgent),
  times: 1,
});

/** Microseconds until a request was checked. */
function checkedSteps(draw: Draw, input: number): { authenticated: number; read: number; checked: number } {
  const authenticated = Math.round(draw.around(95, 0.4));
  const read = authenticated + Math.round(draw.around(140 + input / 90, 0.4));
  return { authenticated, read, checked: read + Math.round(draw.around(260 + input / 40, 0.35)) };
}

function rejectedRecord(call: Call, shown: Shown & { told: Rejection }): QueuedRecord {
  const { told, draw, key } = shown;
  const { authenticated, read, checked } = checkedSteps(draw, call.input);
  const steps = { ...NO_STEPS, authenticated: key === null ? null : authenticated, read: key === null ? null : read };
  return recorded(call, {
    ...factsOf(call, shown),
    model: told.model === "none" ? null : call.model,
    modelAsked: told.asked ?? null,
    status: told.status,
    code: told.code,
    steps: {
      ...steps,
      checked: told.model === "none" ? null : checked,
      closed: checked + Math.round(draw.around(240, 0.4)),
    },
    refusal: told.words,
    bytesOut: 180 + told.words.length,
  });
}

function countRecord(call: Call, shown: Shown): QueuedRecord {
  const { authenticated, read, checked } = checkedSteps(shown.draw, call.input);
  const closed = checked + Math.round(shown.draw.around(2_400, 0.5));
  const steps = { ...NO_STEPS, authenticated, read, checked, closed };
  return recorded(call, { ...factsOf(call, shown), route: "count_tokens", steps, bytesOut: 24 });
}

/** A generation, from the first step to the last. `whole`: something was delivered, be it a part. */
type Made = {
  steps: RequestFacts["steps"];
  providerUs: number;
  asked: AskedProviders;
  usage: Usage;
  whole: boolean;
  kind: "completed" | "client_gone" | "upstream_failed";
  priceVersion: number;
};

function wantedCall(call: Call, { idHex, key, world }: { idHex: string; key: BookKey; world: World }): WantedCall {
  const made = produce(call, world);
  const costFor = (output: number): Amounts =>
    inUnits(key, costOf({ ...NO_USAGE, inputTokens: call.input, outputTokens: output }, call, world.endMs));
  // The input counts in full, whatever a cache will save.
  const need = costFor(Math.max(call.output, 1_024));
  const ask: Ask = {
    id: uuidOf(idHex),
    bucket: key.bucket,
    keyId: key.keyId,
    keyVersion: key.version,
    chain: key.chain,
    // What exceeds a rate is drawn: many requests of an hour are asked for at one instant here.
    rpmLimit: null,
    least: need,
    most: costFor(Math.max(4_096, call.output * 2)),
    unlimited: false,
    model: call.model,
    priceVersion: made.priceVersion,
    lifetimeMs: 2 * HOUR_MS,
    claim: null,
  };
  return { call, key, idHex, made, ask, need, price: inUnits(key, costOf(made.usage, call, world.endMs)) };
}

const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** The record of a call that the ledger has let start, and its settlement. */
export function startedCall(
  wanted: WantedCall,
  { granted, draw }: { granted: Amounts; draw: Draw },
): { record: QueuedRecord; settlement: Settlement } {
  const { call, key, idHex, made, ask, price } = wanted;
  const { kind, usage, asked, steps, whole } = made;
  const nothing = inUnits(key, { credits: 0n, tokens: 0n });
  const paid = kind === "upstream_failed" ? nothing : price;
  const status = whole ? 200 : 502;
  const details = {
    provider: asked.last.provider,
    status,
    firstByteMs: steps.first_byte === null ? null : Math.round(steps.first_byte / 1_000),
    tookMs: Math.round(steps.closed / 1_000),
    estimated: kind === "client_gone",
  };
  const { id, bucket, keyId, chain } = ask;
  return {
    record: generatedRecord(call, { idHex, key, draw, made, status, granted, paid }),
    settlement: {
      id,
      bucket,
      keyId,
      chain,
      outcome: kind,
      price: paid,
      usage,
      digest: null,
      contentDelivered: whole,
      record: details,
      answer: null,
      absorbed: nothing,
      waived: asked.broken ? price : nothing,
      capPerHour: NO_CAP,
      accountCapPerHour: NO_CAP,
    },
  };
}

/** The record of a call that the ledger refused for want of credit or tokens. */
export function refusedCall(
  { call, key, idHex, need }: WantedCall,
  { named, draw }: { named: NamedCounter; draw: Draw },
): QueuedRecord {
  const usedUp = named.unit === "tokens" && named.posted === 0n;
  const told = rejection(usedUp ? "limit_reached" : "insufficient_credit", call);
  return rejectedRecord(call, { idHex, key, told: { ...told, words: refusalWords(named, need) }, draw });
}

function produce(call: Call, world: World): Made {
  const { draw, endMs } = world;
  const model = modelNamed(call.model);
  const { authenticated, read, checked } = checkedSteps(draw, call.input);
  const admitted = checked + Math.round(draw.around(1_500, 0.45));
  const dispatched = admitted + Math.round(draw.around(210, 0.3));
  const asked = askProviders(call, { model, world, fromUs: dispatched });
  const whole = !asked.failed || asked.broken;
  const output = Math.max(1, Math.floor(call.output * (asked.broken ? 0.3 : call.stays)));
  const spokenUs = call.streamed ? Math.round((output / asked.perSecond) * 1e6) : 0;
  const endUs = asked.last.endedUs + (whole ? spokenUs : 0);
  const settled = endUs + Math.round(draw.around(1_700, 0.4));
  const closed = settled + Math.round(draw.around(160, 0.3));
  const [first_byte, last_byte] = whole ? [asked.last.endedUs, endUs] : [null, null];
  return {
    steps: { authenticated, read, checked, admitted, dispatched, first_byte, last_byte, settled, closed },
    providerUs: Math.max(0, endUs - dispatched - Math.round(draw.around(420, 0.4))),
    asked,
    usage: whole ? usageOf(call, output, model, draw) : NO_USAGE,
    whole,
    kind: asked.failed ? "upstream_failed" : call.stays < 1 ? "client_gone" : "completed",
    priceVersion: priceThen(model, (endMs - call.atMs) / DAY_MS).version,
  };
}

type Charged = { made: Made; status: number; granted: Amounts; paid: Amounts };

function generatedRecord(call: Call, shown: Shown & Charged): QueuedRecord {
  const { steps, providerUs, asked, usage, whole, kind, priceVersion } = shown.made;
  const streamed = call.streamed && whole;
  return recorded(call, {
    ...factsOf(call, shown),
    priceVersion,
    status: shown.status,
    code: asked.failed ? "upstream_error" : null,
    outcome: kind,
    streamed,
    steps,
    providerUs,
    attempts: asked.attempts,
    inputTokens: usage.inputTokens,
    cachedTokens: usage.cacheReadTokens,
    outputTokens: usage.outputTokens,
    reasoningTokens: usage.reasoningTokens,
    held: shown.granted,
    charged: shown.paid,
    refusal: asked.failed ? asked.words : null,
    bytesOut: 220 + Math.round(usage.outputTokens * (streamed ? 148 : 4.6)),
  });
}
