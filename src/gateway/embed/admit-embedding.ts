import { type Demand, demandOf } from "../../admission/demand.ts";
import type { EmbeddingModel } from "../../catalogue/model.ts";
import { type Amounts, unitOf } from "../../core/money/amount.ts";
import type { Clock } from "../../core/clock.ts";
import { requestIdOf } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import { madeAtMs } from "../../core/made-at.ts";
import { PLAIN_TIER } from "../../core/money/rate-rows.ts";
import type { Key } from "../../keys/key.ts";
import type { EmbeddingsRequest } from "../../wire/embeddings/embeddings-request.ts";
import type { AskLedger } from "../ask-ledger.ts";
import { type ChainFor, type RequestChain, requirePayer } from "../chain-for.ts";
import { type Admitted, SWEEP_MARGIN_MS } from "../generate/admit.ts";
import type { Terms } from "../generate/bill.ts";
import { Hold, type HoldParts } from "../generate/hold.ts";
import { requestDigest } from "../generate/idempotent/request-digest.ts";
import type { Paperwork } from "../paperwork.ts";
import { verdictFault } from "../verdict-fault.ts";
import type { Embedding } from "./embedding.ts";

type Parts = {
  askLedger: AskLedger;
  chainFor: ChainFor;
  paperwork: Pick<Paperwork, "countEmbedded">;
  hold: HoldParts;
  clock: Clock;
  random: () => number;
  deadlineMs: number;
};

/** `resolveFor`: the model for a key that was read again; throws when it may no longer use it. */
type Admission = { embedding: Embedding; model: EmbeddingModel; resolveFor: (key: Key) => EmbeddingModel };

/** Decides whether embeddings may be asked for, and sets aside what they may cost. */
export type AdmitEmbedding = (admission: Admission) => Promise<Admitted>;

export const createAdmitEmbedding =
  (parts: Parts): AdmitEmbedding =>
  async (admission) => {
    const { askLedger, clock, random } = parts;
    const { id, caller, onLedger } = admission.embedding;
    const startedAtMs = clock.elapsedMs();
    let granted: Amounts | null | undefined;
    let plan: Plan | null = null;
    try {
      const { verdict, caller: now } = await askLedger(caller, async (key) => {
        plan = await planOf(parts, admission, key);
        return plan && askOf(admission.embedding, plan, parts.deadlineMs);
      });
      const made = plan as Plan | null;
      invariant(made, "what the ledger answers it was asked");
      if (verdict.kind === "replay") {
        granted = null;
        return verdict;
      }
      if (verdict.kind !== "admitted" && verdict.kind !== "already") {
        if (verdict.kind === "not_begun") {
          const about = { keyId: now.key.id, requestId: requestIdOf(id), model: made.model.id };
          parts.hold.onAlarm({ kind: "period_ahead", ...about, counter: verdict.counter });
        }
        const { rpmLimit, chain } = now.key;
        const context = { rpmLimit, counters: chain.counters, nowMs: clock.nowMs(), random };
        throw verdictFault(verdict, { ...context, demand: made.demand, floor: null, advice: NO_ADVICE });
      }
      granted = verdict.granted;
      return heldOf(parts, admission.embedding, made, granted);
    } finally {
      const call = { name: "admit" as const, startedAtMs, endedAtMs: clock.elapsedMs() };
      onLedger(granted === undefined ? call : { ...call, granted });
    }
  };

/** No limit of output makes such a request cheaper. */
const NO_ADVICE = { fields: "", addedBytes: 0, smallest: 1 };

/** What is asked of the ledger, with the key as it was last read. */
type Plan = { key: Key; model: EmbeddingModel; chain: RequestChain; demand: Demand };

/** Null: the key has changed since it was read. */
async function planOf({ chainFor }: Parts, admission: Admission, key: Key): Promise<Plan | null> {
  const { embedding, resolveFor } = admission;
  const model = key === embedding.caller.key ? admission.model : resolveFor(key);
  requirePayer(key, model.id);
  const chain = await chainFor(key, model.id);
  if (chain === null) return null;
  const demand = demandOf({
    units: chain.units,
    // The window is that of each input, and has been kept to; nothing of the answer is output.
    model: { ...model, contextWindow: null, maxOutputTokens: 0, outputCeiling: null, outputFloor: 0 },
    tier: PLAIN_TIER,
    beganAtMs: madeAtMs(embedding.id),
    input: { likely: embedding.likely, most: mostTokensOf(embedding.request, model), mostPredicted: 0 },
    mediaTokens: NO_MEDIA,
    choices: 1,
    maxOutputTokens: 0,
    calls: null,
  });
  return { key, model, chain, demand };
}

const NO_MEDIA = { image: 0, smallImage: 0, document: 0 };
/** What tokenizers put before and after a text. */
const MARKS = 4;

/** The most tokens that a provider makes of the inputs: of each as many as it is long, and no more than the model takes. */
export function mostTokensOf(
  { input: { kind, sizes }, strangeBytes }: Pick<EmbeddingsRequest, "input" | "strangeBytes">,
  { contextWindow }: Pick<EmbeddingModel, "contextWindow">,
): number {
  const marks = kind === "texts" ? MARKS : 0;
  const window = contextWindow ?? Infinity;
  return sizes.reduce((sum, size) => sum + Math.min(size + marks, window), strangeBytes);
}

const askOf = (
  { id, idempotency }: Embedding,
  { key, model, chain, demand }: Plan,
  deadlineMs: number,
): Awaited<ReturnType<Parameters<AskLedger>[1]>> => ({
  id,
  bucket: key.bucket,
  keyId: key.id,
  keyVersion: key.version,
  chain: chain.ref,
  rpmLimit: key.rpmLimit,
  least: demand.least,
  most: demand.most,
  unlimited: false,
  model: model.id,
  priceVersion: demand.priceVersion,
  lifetimeMs: deadlineMs + SWEEP_MARGIN_MS,
  claim: idempotency?.claim ?? null,
});

function heldOf(
  { paperwork, hold }: Parts,
  { id, caller, request }: Embedding,
  { key, model, chain, demand }: Plan,
  granted: Amounts,
): Admitted {
  const { tokenFactor } = model;
  const { rates, inputTokens, mostInputTokens } = demand;
  // Nobody is to pay less because he keeps the threads busy that count.
  const countInput = (): Promise<number> =>
    request.input.kind === "tokens"
      ? Promise.resolve(inputTokens)
      : paperwork.countEmbedded(request).then(
          (tokens) => Math.min(mostInputTokens, Math.ceil(tokens * tokenFactor)),
          () => inputTokens,
        );
  const terms: Terms = {
    rates,
    tier: PLAIN_TIER,
    inputTokens,
    countInput,
    tokenFactor,
    // What a provider counts beyond what was set aside cannot be true, and is not charged.
    contextWindow: mostInputTokens,
    choices: 1,
    mostCalls: 0,
    mostOutputTokens: 0,
    granted,
  };
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
    toldMaxTokens: null,
    clamped: false,
    takeBack: null,
  };
}
