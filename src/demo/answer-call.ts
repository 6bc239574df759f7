import type { Amounts } from "../core/amount.ts";
import { chargeOf } from "../core/price.ts";
import { REQUEST_STEPS, type RequestFacts } from "../core/request-facts.ts";
import { NO_USAGE, type Usage } from "../core/usage.ts";
import { createReadClient } from "../records/agent-name.ts";
import type { QueuedRecord } from "../records/record-queue.ts";
import { type AskedProviders, askProviders } from "./ask-providers.ts";
import { type BookKey, grantOf, lackingFor, pay, refusalWords } from "./books.ts";
import type { Draw } from "./draw.ts";
import { type DemoModel, modelNamed, priceThen } from "./models.ts";
import type { Call } from "./plan-day.ts";
import { rejection, type Rejection } from "./rejection.ts";

/** A row of the journal. Its words have numbers in the database alone. */
export type DemoCharge = {
  holdId: string;
  admittedMs: number;
  atMs: number;
  key: BookKey;
  granted: Amounts;
  paid: Amounts;
  model: string;
  priceVersion: number;
  usage: Usage;
  tookMs: number;
  firstByteMs: number | null;
  provider: string;
  status: number;
  kind: "completed" | "client_gone" | "upstream_failed";
  /** What the operator absorbs, since the provider failed after a part was delivered. */
  failed: Amounts;
};

export type AnsweredCall = { record: QueuedRecord; charge: DemoCharge | null; refusedBy: number | null };

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
const NOTHING: Amounts = { credits: null, tokens: null };
const readClient = createReadClient();

/** What the gateway makes of a call: its record, and the charge where one is due. The counters of the key are changed. */
export function answerCall(call: Call, key: BookKey | null, world: World): AnsweredCall {
  const { draw } = world;
  const idHex = `${call.atMs.toString(16).padStart(12, "0")}7${draw.hex(3)}a${draw.hex(15)}`;
  const rejected = rejectionOf(call, key, world);
  if (key === null || rejected !== null) {
    const told = rejected ?? rejection("invalid_credentials");
    return { record: rejectedRecord(call, { idHex, key, told, draw }), charge: null, refusedBy: told.counter ?? null };
  }
  if (call.habit.format === "messages" && call.streamed && draw.chance(0.03))
    return { record: countRecord(call, { idHex, key, draw }), charge: null, refusedBy: null };
  return generated(call, { idHex, key, world });
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

function rejectionOf(call: Call, key: BookKey | null, { rates, endMs }: World): Rejection | null {
  if (call.mistake !== null) return rejection(call.mistake, call);
  if (key === null) return null;
  if (call.burst) return rejection("rate_limit_exceeded", { ...call, rpm: rates.get(key.label) ?? 60 });
  const whole = { ...NO_USAGE, inputTokens: call.input, outputTokens: Math.max(call.output, 1_024) };
  const need = costOf(whole, call, endMs);
  const lacking = lackingFor(key, need);
  if (lacking === undefined) return null;
  const usedUp = lacking.unit === "tokens" && lacking.posted === 0n;
  const told = rejection(usedUp ? "limit_reached" : "insufficient_credit", call);
  return { ...told, counter: lacking.id, words: refusalWords(lacking, need) };
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
  kind: DemoCharge["kind"];
  priceVersion: number;
};

function generated(call: Call, { idHex, key, world }: { idHex: string; key: BookKey; world: World }): AnsweredCall {
  const made = produce(call, world);
  const { kind, usage, asked, steps, whole, priceVersion } = made;
  const price = inUnits(key, costOf(usage, call, world.endMs));
  // The input counts in full, whatever a cache will save.
  const bound = { ...NO_USAGE, inputTokens: call.input, outputTokens: Math.max(4_096, call.output * 2) };
  const granted = grantOf(key, { most: costOf(bound, call, world.endMs) });
  const paid = kind === "upstream_failed" ? inUnits(key, { credits: 0n, tokens: 0n }) : price;
  pay(key, paid);
  const charge: DemoCharge = {
    holdId: idHex,
    admittedMs: call.atMs + (steps.admitted ?? 0) / 1_000,
    atMs: call.atMs + (steps.settled ?? 0) / 1_000,
    key,
    granted,
    paid,
    model: call.model,
    priceVersion,
    usage,
    tookMs: Math.round(steps.closed / 1_000),
    firstByteMs: steps.first_byte === null ? null : Math.round(steps.first_byte / 1_000),
    provider: asked.last.provider,
    status: whole ? 200 : 502,
    kind,
    failed: asked.broken ? price : NOTHING,
  };
  return { record: generatedRecord(call, { idHex, key, draw: world.draw, made, charge }), charge, refusedBy: null };
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

function generatedRecord(call: Call, shown: Shown & { made: Made; charge: DemoCharge }): QueuedRecord {
  const { steps, providerUs, asked, usage, whole, kind, priceVersion } = shown.made;
  const streamed = call.streamed && whole;
  return recorded(call, {
    ...factsOf(call, shown),
    priceVersion,
    status: shown.charge.status,
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
    held: shown.charge.granted,
    charged: shown.charge.paid,
    refusal: asked.failed ? asked.words : null,
    bytesOut: 220 + Math.round(usage.outputTokens * (streamed ? 148 : 4.6)),
  });
}

/** Amounts in the units that the key is counted in. */
function inUnits({ counters }: BookKey, { credits, tokens }: Amounts): Amounts {
  const counts = (unit: string): boolean => counters.some((counter) => counter.unit === unit);
  return { credits: counts("credit") ? credits : null, tokens: counts("tokens") ? tokens : null };
}
