import { type Demand, demandOf } from "../../admission/demand.ts";
import { requestIdOf } from "../../core/ids.ts";
import { madeAtMs } from "../../core/made-at.ts";
import { mediaTokensOf } from "../../core/request/media-tokens.ts";
import { providerCallsOf } from "../../core/request/provider-tools.ts";
import type { Model } from "../../catalogue/model.ts";
import { type Amounts, lessOf, unitOf } from "../../core/money/amount.ts";
import type { Clock } from "../../core/clock.ts";
import { invariant } from "../../core/invariant.ts";
import type { Key } from "../../keys/key.ts";
import type { Ask, Claim, StoredAnswer } from "../../ledger/ledger.ts";
import type { LedgerCall } from "../../telemetry/request-line.ts";
import type { InputEstimate } from "../../core/request/input-estimate.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { Answered, AskLedger } from "../ask-ledger.ts";
import { type ChainFor, type RequestChain, requirePayer } from "../chain-for.ts";
import { countAtSteps } from "./check/count-at-steps.ts";
import { countNearTheEdge } from "./check/count-near-the-edge.ts";
import { Hold, type HoldParts } from "./hold.ts";
import { limitAdvice } from "../limit-advice.ts";
import type { Caller } from "../open-request.ts";
import type { Paperwork } from "../paperwork.ts";
import { verdictFault } from "../verdict-fault.ts";
import { requestDigest } from "./idempotent/request-digest.ts";
import { createStakes, type TakeBack } from "./stakes.ts";
import { createTellRefused } from "./tell-refused.ts";

export type Admission = {
  id: string;
  caller: Caller;
  model: Model;
  request: GenerationRequest;
  input: InputEstimate;
  claim: Claim | null;
  /** The model for a key that was read again. Throws when it may no longer use it, or not in this tier. */
  resolveFor: (key: Key) => Model;
  /** Hears how long the ledger took, and what it granted. */
  onLedger: (call: LedgerCall) => void;
};

export type Admitted = Held | { kind: "replay"; answer: StoredAnswer };

type Held = {
  kind: "held";
  hold: Hold;
  /** What was set aside. */
  granted: Amounts;
  /** The output limit the provider is told; null leaves the caller's own. */
  toldMaxTokens: number | null;
  /** The caller is told too when its answer may not grow to what the model gives. */
  clamped: boolean;
  /** For when it has ended, if it started on a count of its texts. */
  takeBack: TakeBack | null;
};

/** Decides whether a request may start, and sets aside what it may cost. */
export type Admit = (admission: Admission) => Promise<Admitted>;

type Parts = {
  askLedger: AskLedger;
  chainFor: ChainFor;
  paperwork: Pick<Paperwork, "countInput" | "countText" | "savedByCounting">;
  hold: HoldParts;
  clock: Clock;
  random: () => number;
  deadlineMs: number;
};

/** Past the longest generation and what is read and counted after it, two jobs at most, so that only what nobody ended is swept. */
export const SWEEP_MARGIN_MS = 300_000;

export const createAdmit = (parts: Parts): Admit => {
  const { clock, random } = parts;
  const tellRefused = createTellRefused({ refused: (refusal) => parts.hold.batcher.refused(refusal), clock });
  const stake = createStakes(parts.hold.writeOffCap);
  return async (admission) => {
    const { request } = admission;
    const startedAtMs = clock.elapsedMs();
    let granted: Amounts | null | undefined;
    let sized: Sized | null = null;
    try {
      sized = admission.model.price?.when === undefined ? null : await sizedAtSteps(parts, admission, stake);
      const input = sized?.input ?? admission.input;
      const first = await ask(parts, admission, { input, as: admission.caller, rate: "counts" });
      const asked = (sized === null ? await askCounted(parts, { admission, first, stake }) : null) ?? first;
      const { verdict, caller: now, plan, floor, takeBack } = asked;
      if (verdict.kind === "replay") {
        granted = null;
        return verdict;
      }
      if (verdict.kind !== "admitted" && verdict.kind !== "already") {
        const { demand } = plan;
        const { rpmLimit, chain } = now.key;
        const outputTokens = demand.unlimited ? null : (request.maxOutputTokens ?? 0) * request.choices;
        if (verdict.kind === "not_begun") {
          const about = { keyId: now.key.id, requestId: requestIdOf(admission.id), model: plan.model.id };
          parts.hold.onAlarm({ kind: "period_ahead", ...about, counter: verdict.counter });
        }
        tellRefused(verdict, { bucket: now.key.bucket, outputTokens });
        const advice = limitAdvice(request, demand.publishedOutputTokens);
        const { counters } = chain;
        throw verdictFault(verdict, { rpmLimit, demand, floor, advice, counters, nowMs: clock.nowMs(), random });
      }
      granted = verdict.granted;
      return { ...heldOf(parts, admission, plan, granted), takeBack: sized?.takeBack ?? takeBack };
    } finally {
      if (!granted) sized?.takeBack();
      const call = { name: "admit" as const, startedAtMs, endedAtMs: clock.elapsedMs() };
      admission.onLedger(granted === undefined ? call : { ...call, granted });
    }
  };
};

/** What the ledger said to a plan. */
type Asked = Answered & {
  plan: Plan;
  /** What it needs whatever its texts come to, where they were not counted for lack of that. */
  floor: Amounts | null;
  takeBack: TakeBack | null;
};
type Asking = { input: InputEstimate; as: Caller; rate: "counts" | "has counted" };

async function ask(
  { askLedger, chainFor, deadlineMs }: Parts,
  admission: Admission,
  { input, as, rate }: Asking,
): Promise<Asked> {
  const { caller, model, request } = admission;
  let plan: Plan | null = null;
  const answered = await askLedger(as, (key) => {
    const sold = key === caller.key ? model : admission.resolveFor(key);
    requirePayer(key, sold.id);
    const askIn = (chain: RequestChain | null): Ask | null => {
      if (chain === null) return null;
      plan = planOf(request, input, { id: admission.id, key, model: sold, chain });
      const asked = askOf(admission, plan, deadlineMs + SWEEP_MARGIN_MS);
      return rate === "counts" ? asked : { ...asked, rpmLimit: null };
    };
    const chain = chainFor(key, sold.id);
    return chain instanceof Promise ? chain.then(askIn) : askIn(chain);
  });
  invariant(plan, "what the ledger answers it was asked");
  return { ...answered, plan, floor: null, takeBack: null };
}

type Stake = ReturnType<typeof createStakes>;
type Sized = { input: InputEstimate; takeBack: TakeBack };

/** Its input as counted, where that decides which row of the price is reserved. Null: its bound is asked for. */
async function sizedAtSteps({ chainFor, paperwork }: Parts, admission: Admission, stake: Stake): Promise<Sized | null> {
  const { request, model, caller, input: bound } = admission;
  const { price } = model;
  const chain = await chainFor(caller.key, model.id);
  if (price === null || chain === null || !chain.units.includes("credit")) return null;
  const input = await countAtSteps(paperwork, { request, model, price, input: bound });
  if (input === null) return null;
  const leastWith = (counted: InputEstimate) =>
    planOf(request, counted, { id: admission.id, key: caller.key, model, chain }).demand.least;
  const takeBack = stake(caller.key.payer, lessOf(leastWith(bound), leastWith(input)));
  return takeBack === null ? null : { input, takeBack };
}

type Refused = { admission: Admission; first: Asked; stake: Stake };

/** Again with its input counted, where that may change the verdict. Else null: what was said of its bound stands. */
async function askCounted(parts: Parts, { admission, first, stake }: Refused): Promise<Asked | null> {
  const { verdict, plan, caller: as } = first;
  if (verdict.kind !== "insufficient" && verdict.kind !== "reserved") return null;
  const { request, input: bound } = admission;
  const leastWith = (input: InputEstimate) => planOf(request, input, plan).demand.least;
  const { available } = verdict;
  const edge = await countNearTheEdge(parts.paperwork, {
    request,
    model: plan.model,
    input: bound,
    available,
    leastWith,
  });
  if (edge === null) return null;
  if ("floor" in edge) return { ...first, floor: edge.floor };
  const { counted: input } = edge;
  const takeBack = stake(plan.key.payer, lessOf(plan.demand.least, leastWith(input)));
  if (takeBack === null) return null;
  let started = false;
  try {
    const rate = verdict.kind === "insufficient" ? "has counted" : "counts";
    const asked = await ask(parts, admission, { input, as, rate });
    started = asked.verdict.kind === "admitted" || asked.verdict.kind === "already";
    return { ...asked, takeBack: started ? takeBack : null };
  } finally {
    if (!started) takeBack();
  }
}

/** What is asked of the ledger, with the key as it was last read. */
type Plan = { id: string; key: Key; model: Model; chain: RequestChain; demand: Demand };

function planOf(request: GenerationRequest, input: InputEstimate, read: Omit<Plan, "demand">): Plan {
  const { choices, maxOutputTokens } = request;
  const { id, key, model, chain } = read;
  return {
    id,
    key,
    model,
    chain,
    demand: demandOf({
      units: chain.units,
      model,
      tier: request.tier,
      beganAtMs: madeAtMs(id),
      input,
      mediaTokens: mediaTokensOf(model),
      choices,
      maxOutputTokens,
      calls: providerCallsOf(request.providerTools, model),
    }),
  };
}

function askOf({ id, claim }: Admission, { key, model, chain, demand }: Plan, lifetimeMs: number): Ask {
  return {
    id,
    bucket: key.bucket,
    keyId: key.id,
    keyVersion: key.version,
    chain: chain.ref,
    rpmLimit: key.rpmLimit,
    least: demand.least,
    most: demand.most,
    unlimited: demand.unlimited,
    model: model.id,
    priceVersion: demand.priceVersion,
    lifetimeMs,
    claim,
  };
}

function heldOf(
  { paperwork, hold }: Parts,
  { id, caller, request }: Admission,
  plan: Plan,
  granted: Amounts,
): Omit<Held, "takeBack"> {
  const { key, model, chain, demand } = plan;
  const { choices, maxOutputTokens } = request;
  const { rates, publishedOutputTokens } = demand;
  const { tokenFactor, contextWindow } = model;
  // Nobody is to pay less because he keeps the threads busy that count.
  const countInput = (): Promise<number> =>
    paperwork.countInput(request).then(
      (tokens) => Math.min(demand.mostInputTokens, Math.ceil(tokens * tokenFactor)),
      () => demand.inputTokens,
    );
  const allowed = demand.unlimited ? demand.affordableOutputTokens(granted) : null;
  const terms = {
    rates,
    tier: request.tier,
    inputTokens: demand.inputTokens,
    countInput,
    tokenFactor,
    contextWindow,
    choices,
    mostCalls: providerCallsOf(request.providerTools, model)?.most ?? 0,
    mostOutputTokens: Math.min(allowed ?? maxOutputTokens ?? Infinity, publishedOutputTokens) * choices,
    granted,
  };
  const told = demand.unlimited ? allowed : cappedLimit(maxOutputTokens, publishedOutputTokens);
  return {
    kind: "held",
    granted,
    hold: new Hold(hold, {
      id,
      bucket: key.bucket,
      keyId: key.id,
      payer: key.payer,
      chain: chain.ref,
      unit: unitOf(key.mode),
      model: model.id,
      terms,
      digest: () => requestDigest(request.bytes, caller.secret),
    }),
    toldMaxTokens: told,
    clamped: told !== null && told < (maxOutputTokens ?? publishedOutputTokens),
  };
}

/** Who may ask for more than the model gives is told less: in messages always, elsewhere where no limit is published. [spec 8] */
const cappedLimit = (asked: number | null, published: number): number | null =>
  asked !== null && asked > published ? published : null;
