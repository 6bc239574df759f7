import { type Demand, demandOf } from "../../admission/demand.ts";
import type { Model } from "../../catalogue/model.ts";
import type { Key } from "../../keys/key.ts";
import type { Ask, Claim, StoredAnswer } from "../../ledger/ledger.ts";
import type { InputEstimate } from "../../tokens/estimate-input.ts";
import type { GenerationRequest } from "../../wire/generation-request.ts";
import type { AskLedger } from "../ask-ledger.ts";
import { Hold, type HoldParts } from "./hold.ts";
import { limitAdvice } from "../limit-advice.ts";
import type { Caller } from "../open-request.ts";
import type { Paperwork } from "../paperwork.ts";
import { verdictFault } from "../verdict-fault.ts";

export type Admission = {
  id: string;
  caller: Caller;
  model: Model;
  request: GenerationRequest;
  input: InputEstimate;
  claim: Claim | null;
  /** Throws when a key that was read again may no longer use the model. */
  requireEntitled: (key: Key) => void;
};

export type Admitted =
  | {
      kind: "held";
      hold: Hold;
      /** The output limit the provider is told; null leaves the caller's own. */
      toldMaxTokens: number | null;
      /** The caller is told too when its answer may not grow to what the model gives. */
      clamped: boolean;
    }
  | { kind: "replay"; answer: StoredAnswer };

/** Decides whether a request may start, and sets aside what it may cost. */
export type Admit = (admission: Admission) => Promise<Admitted>;

type Parts = {
  askLedger: AskLedger;
  paperwork: Pick<Paperwork, "countInput">;
  hold: HoldParts;
  random: () => number;
  deadlineMs: number;
};

/** Past the longest generation, so that only what nobody ended is swept. */
const SWEEP_MARGIN_MS = 60_000;

export const createAdmit = (parts: Parts): Admit => {
  const { askLedger, paperwork, hold, random, deadlineMs } = parts;
  return async (admission) => {
    const { id, caller, model, request, input, claim, requireEntitled } = admission;
    const { choices, maxOutputTokens } = request;
    const demand = demandOf({ mode: caller.key.mode, model, input, choices, maxOutputTokens });
    const { rate, priceVersion, publishedOutputTokens } = demand;

    const { verdict, caller: now } = await askLedger(caller, (key) => {
      if (key !== caller.key) requireEntitled(key);
      return askOf({ id, key, model, demand, claim, lifetimeMs: deadlineMs + SWEEP_MARGIN_MS });
    });
    if (verdict.kind === "replay") return verdict;
    if (verdict.kind !== "admitted" && verdict.kind !== "already") {
      const { mode, rpmLimit } = now.key;
      const advice = limitAdvice(request, publishedOutputTokens);
      throw verdictFault(verdict, { mode, rpmLimit, demand, advice, random });
    }

    const { tokenFactor, contextWindow } = model;
    // Nobody is to pay less because he keeps the threads busy that count.
    const countInput = (): Promise<number> =>
      paperwork.countInput(request).then(
        (tokens) => Math.min(demand.mostInputTokens, Math.ceil(tokens * tokenFactor)),
        () => demand.inputTokens,
      );
    const allowed = demand.unlimited ? demand.affordableOutputTokens(verdict.amount) : null;
    const terms = {
      rate,
      inputTokens: demand.inputTokens,
      countInput,
      tokenFactor,
      contextWindow,
      choices,
      mostOutputTokens: Math.min(allowed ?? maxOutputTokens ?? Infinity, publishedOutputTokens) * choices,
      granted: verdict.amount,
    };
    const told = demand.unlimited ? allowed : cappedLimit(maxOutputTokens, publishedOutputTokens);
    return {
      kind: "held",
      hold: new Hold(hold, {
        id,
        keyId: caller.key.id,
        bucket: caller.key.bucket,
        model: model.id,
        priceVersion,
        terms,
      }),
      toldMaxTokens: told,
      clamped: told !== null && told < (maxOutputTokens ?? publishedOutputTokens),
    };
  };
};

type AskFacts = { id: string; key: Key; model: Model; demand: Demand; claim: Claim | null; lifetimeMs: number };

function askOf({ id, key, model, demand, claim, lifetimeMs }: AskFacts): Ask {
  return {
    id,
    keyId: key.id,
    bucket: key.bucket,
    keyVersion: key.version,
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

/** Who may ask for more than the model gives is told less: in messages always, elsewhere where no limit is published. [spec 8] */
const cappedLimit = (asked: number | null, published: number): number | null =>
  asked !== null && asked > published ? published : null;
