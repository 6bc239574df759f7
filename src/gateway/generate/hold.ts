import type { Payer } from "../../core/money/payer.ts";
import { setTimeout as wait } from "node:timers/promises";
import { type Amounts, amountIn, type Unit, isSomething } from "../../core/money/amount.ts";
import type { Clock } from "../../core/clock.ts";
import type { ChainRef } from "../../core/money/counter.ts";
import type { Fault } from "../../core/fault.ts";
import type { Route } from "../../core/catalogue/route.ts";
import { billedMore, rateIn, rateUntold, servedOtherwise } from "../../core/money/pay-rate.ts";
import { ANY_REGION, PLAIN_TIER } from "../../core/money/rate-rows.ts";
import { requestIdOf } from "../../core/ids.ts";
import type { MoneyAlarm } from "../../core/money/money-alarm.ts";
import { type AnswerOutcome, bookedAs, type Usage } from "../../core/money/usage.ts";
import type { Batcher } from "../../ledger/turn/batcher.ts";
import type { Checkpoint, RecordDetails, ServedFacts, Settled, Settlement, StoredAnswer } from "../../ledger/ledger.ts";
import type { AnswerStage } from "../../translate/answer-stage.ts";
import { type Bill, billAtOnce, billOf, costSoFar, type CostSoFar, type Ending, type Terms } from "./bill.ts";

export type HoldParts = {
  clock: Pick<Clock, "elapsedMs">;
  batcher: Pick<Batcher, "settle" | "settleLate" | "void" | "suspend" | "refused">;
  checkpoints: { add: (checkpoint: Checkpoint) => void; forget: (id: string) => void };
  /** Counts the tokens of a text for a bill, when it is the turn of this payer. */
  countTokens: (text: string, payer: Payer) => Promise<number>;
  /** The unbilled part of a stream that is worth a checkpoint, in each unit. */
  checkpointWorth: { credit: bigint; tokens: bigint };
  /** What the house bears of one payer in an hour before what they use is suspended, in each unit; and how many times that of an account. */
  writeOffCap: { credit: bigint; tokens: bigint };
  accountCaps: bigint;
  /** What a credit is worth, in nano-dollars. */
  creditNanoUsd: bigint;
  unconfirmed: (cause: unknown) => Fault;
  onAlarm: (alarm: MoneyAlarm) => void;
};

export type Held = {
  id: string;
  bucket: number;
  keyId: string;
  payer: Payer;
  chain: ChainRef;
  /** What the key's mode counts in. */
  unit: Unit;
  model: string;
  terms: Terms;
  /** What the request is known by in the journal; null where that would cost too much. */
  digest: () => string | null;
};

/** The end of a request, with what its usage record says of it. */
export type HoldEnding = Ending & {
  /** Something of the answer has reached the caller, so that it may not run again under the same Idempotency-Key. */
  contentDelivered: boolean;
  details: Omit<RecordDetails, "estimated">;
  /** The answer as it is kept for a retry, with the usage that was booked; null when it is not kept. */
  answer: ((usage: Usage) => StoredAnswer | null) | null;
};

/** Who was asked for what, and with whose credential. */
type AskedRoute = Pick<Route, "provider" | "upstreamModel" | "credentialRef" | "region">;

/** How long a refusal waits for its money to be back, so that a caller who tries again at once finds it there. */
const RELEASE_WAIT_MS = 250;

/** Money set aside for one request. Whoever holds it gives it back on leaving its scope, unless it is settled. */
export class Hold {
  readonly #parts: HoldParts;
  readonly #held: Held;
  #settled = false;
  #charged: Amounts = { credits: null, tokens: null };
  #seq = 0;
  #checkpointed: Amounts = { credits: 0n, tokens: 0n };
  #usageSeen = false;
  #nextSize = 1;
  #contentSeen = false;
  #lost: Amounts | null = null;
  #route: AskedRoute | null = null;
  /** As agreed, and where the route runs that is asked. */
  #terms: Terms;
  #settling: { startedAtMs: number; endedAtMs: number } | null = null;

  constructor(parts: HoldParts, held: Held) {
    this.#parts = parts;
    this.#held = held;
    this.#terms = held.terms;
  }

  /** What the ledger charged, in the unit of the key's mode; 0 before that, and when it cannot be confirmed. Of a client that is gone, what it is told to charge. */
  get charged(): bigint {
    return this.#ofMode(this.#charged);
  }

  /** The same in each unit that counts. */
  get chargedIn(): Amounts {
    return this.#charged;
  }

  /** What a provider did for it in vain; null when that is nothing. */
  get lost(): Amounts | null {
    return this.#lost;
  }

  /** What was set aside, in every unit that counts. */
  get reserved(): Amounts {
    return this.#held.terms.granted;
  }

  /** What a stream would cost if it ended now, as a checkpoint would say it. */
  soFar(stage: AnswerStage, hiddenTokens: number): CostSoFar {
    return costSoFar(stage, this.#terms, hiddenTokens);
  }

  /** How long the settlement took; null when there was none. Of a client that is gone, nobody waits for the ledger. */
  get settling(): { startedAtMs: number; endedAtMs: number } | null {
    return this.#settling;
  }

  /**
   * Books what the request cost, and answers the usage that was booked. Resolves when that is durable: nobody is told an answer is complete before. When it cannot be
   * confirmed to a caller who waits, that caller is told of an error, and an error costs nothing: the request is voided.
   */
  async settle(ending: HoldEnding): Promise<Usage> {
    const { clock, checkpoints, batcher, countTokens } = this.#parts;
    const { id, payer } = this.#held;
    const terms = this.#terms;
    const startedAtMs = clock.elapsedMs();
    try {
      const bill = billAtOnce(ending, terms) ?? (await billOf(ending, terms, (text) => countTokens(text, payer)));
      // Not before: counting takes its time, and a process that dies meanwhile leaves what the checkpoint says.
      checkpoints.forget(id);
      // Not before: a bill that cannot be made leaves the hold to its scope.
      this.#settled = true;
      if (isSomething(bill.lost)) this.#lost = bill.lost;
      const settlement = this.#settlement(ending, bill);
      if (ending.outcome === "client_gone") {
        this.#charged = bill.charge;
        this.#settleLate(settlement, bill);
        return bill.usage;
      }
      let settled: Settled;
      try {
        settled = await batcher.settle(settlement);
      } catch (error) {
        throw this.#unconfirmed(ending, error);
      }
      // Swept by somebody who took this process for dead, and charged at its last checkpoint; that is refunded too.
      if (settled.kind === "fenced") throw this.#unconfirmed(ending, new Error("the hold had been swept"));
      this.#charged = settled.charged;
      this.#watch(ending.outcome, bill, settled);
      return bill.usage;
    } finally {
      this.#settling = { startedAtMs, endedAtMs: clock.elapsedMs() };
    }
  }

  #unconfirmed(ending: HoldEnding, cause: unknown): Fault {
    void this.#void(ending);
    return this.#parts.unconfirmed(cause);
  }

  /** A provider is about to be asked; null: it was not, after all. `isToldTier`: whether it hears which tier is asked for. */
  asks(route: AskedRoute | null, { isToldTier = true } = {}): void {
    this.#route = route;
    const terms = isToldTier ? this.#held.terms : untold(this.#held.terms);
    this.#terms = termsAt(terms, route);
  }

  /** As it is charged, and beside that what the answer named instead. */
  #served(usage: Usage): ServedFacts | null {
    if (this.#route === null) return null;
    const { provider, upstreamModel, credentialRef: credential } = this.#route;
    const { rates, tier: asked } = this.#terms;
    const { tier, region } = rates.credits?.servedAs(usage) ?? { tier: asked, region: ANY_REGION };
    const said = servedOtherwise(usage, { tier, region }, upstreamModel) ?? "";
    return { provider, upstreamModel, credential, tier, region, said };
  }

  /** Called as a stream grows. Writes down what it has come to when that is worth it; cheap when it is not. [L4] */
  progress(stage: AnswerStage, hiddenTokens: number): void {
    const usageSaid = !this.#usageSeen && stage.usage() !== null;
    const size = stage.delivered.length + hiddenTokens * HIDDEN_TOKEN_BYTES;
    if (size < this.#nextSize && !usageSaid) return;
    const { id, bucket, keyId } = this.#held;
    const terms = this.#terms;
    this.#usageSeen ||= usageSaid;
    this.#contentSeen ||= stage.delivered.length > 0 || usageSaid;
    const { cost, usage } = costSoFar(stage, terms, hiddenTokens);
    if (this.#seq === 0 || usageSaid || this.#isWorth(cost)) {
      this.#seq++;
      this.#checkpointed = cost;
      this.#parts.checkpoints.add({
        id,
        bucket,
        keyId,
        seq: this.#seq,
        credits: cost.credits ?? 0n,
        usage,
        served: this.#served(usage),
        contentDelivered: this.#contentSeen,
      });
    }
    this.#nextSize = size + LOOK_AGAIN_BYTES;
  }

  /** Whether what has come since the last checkpoint is worth another one, in any unit. */
  #isWorth({ credits, tokens }: Amounts): boolean {
    const { credit, tokens: worthTokens } = this.#parts.checkpointWorth;
    const last = this.#checkpointed;
    return (
      (credits !== null && credits - (last.credits ?? 0n) >= credit) ||
      (tokens !== null && tokens - (last.tokens ?? 0n) >= worthTokens)
    );
  }

  #ofMode(amounts: Amounts): bigint {
    return amountIn(this.#held.unit, amounts) ?? 0n;
  }

  /** Whether its end is decided: it is settled, is being settled, or was given back. */
  isSettled(): boolean {
    return this.#settled;
  }

  /** Gives it back whole, unless its end is decided. */
  async release(): Promise<void> {
    if (this.#settled) return;
    this.#settled = true;
    this.#parts.checkpoints.forget(this.#held.id);
    await Promise.race([
      this.#void({ contentDelivered: this.#contentSeen }),
      wait(RELEASE_WAIT_MS, undefined, { ref: false }),
    ]);
  }

  #settlement(ending: HoldEnding, { charge, usage, estimated, absorbed, waived }: Bill): Settlement {
    const { id, bucket, keyId, chain, unit, digest } = this.#held;
    const { outcome, contentDelivered, details, answer } = ending;
    const record = outcome === "client_gone" ? null : { ...details, estimated };
    return {
      id,
      bucket,
      keyId,
      chain,
      outcome: bookedAs(ending),
      price: charge,
      usage,
      served: this.#served(usage),
      digest: digest(),
      contentDelivered,
      record,
      answer: answer && answer(usage),
      absorbed,
      waived,
      capPerHour: this.#parts.writeOffCap[unit],
      accountCapPerHour: this.#parts.writeOffCap[unit] * this.#parts.accountCaps,
    };
  }

  /** Nobody waits for it any more, so it is tried for as long as it takes. */
  #settleLate(settlement: Settlement, bill: Bill): void {
    const settled = this.#parts.batcher.settleLate(settlement).then((answer) => {
      if (answer.kind !== "fenced") this.#watch("client_gone", bill, answer);
    });
    settled.catch(() => this.#alarm("release_lost"));
  }

  async #void({ contentDelivered }: Pick<HoldEnding, "contentDelivered">): Promise<void> {
    const { id, bucket, keyId } = this.#held;
    await this.#parts.batcher.void({ id, bucket, keyId, contentDelivered }).catch(() => this.#alarm("release_lost"));
  }

  #watch(outcome: AnswerOutcome, bill: Bill, settled: Exclude<Settled, { kind: "fenced" }>): void {
    const isCut = outcome === "completed" && isSomething(bill.absorbed);
    if (isCut || isBelow(settled.charged, bill.charge)) this.#alarm("overrun");
    if (settled.kind === "settled" && settled.overCap) void this.#suspend();
    if (bill.estimated && outcome === "completed" && !isCut) this.#alarm("usage_estimated");
    const { credits } = this.#terms.rates;
    if (credits === null) return;
    const part = credits.unpricedIn(bill.usage);
    if (part !== null) this.#alarm("unpriced_usage", { part });
    const otherwise = servedOtherwise(bill.usage, credits.servedAs(bill.usage), this.#route?.upstreamModel);
    if (otherwise !== null) this.#alarm("served_otherwise", { part: otherwise });
    if (outcome !== "completed" || bill.estimated || bill.charge.credits === null) return;
    const billed = billedMore(bill.usage, bill.charge.credits, this.#parts.creditNanoUsd);
    if (billed !== null) this.#alarm("billed_more", { part: billed });
  }

  /** Nobody waits for it. Tried for as long as it takes; and while the key goes on, its next request asks for it again. */
  async #suspend(): Promise<void> {
    const { keyId, bucket } = this.#held;
    const suspended = await this.#parts.batcher.suspend({ keyId, bucket }).catch(() => false);
    if (suspended) this.#alarm("key_suspended");
  }

  #alarm(kind: MoneyAlarm["kind"], more: Pick<MoneyAlarm, "part"> = {}): void {
    const { keyId, id, model } = this.#held;
    this.#parts.onAlarm({ kind, keyId, requestId: requestIdOf(id), model, ...more });
  }
}

/** Its price where the route runs, if it has one there. */
function termsAt(terms: Terms, route: AskedRoute | null): Terms {
  const { credits } = terms.rates;
  const there = credits && rateIn(credits, route?.region);
  return there === credits ? terms : { ...terms, rates: { ...terms.rates, credits: there } };
}

/** What is not asked for is not paid for, however an answer ends. */
function untold(terms: Terms): Terms {
  const { credits } = terms.rates;
  if (terms.tier === PLAIN_TIER || credits === null) return terms;
  return { ...terms, tier: PLAIN_TIER, rates: { ...terms.rates, credits: rateUntold(credits) } };
}

const isBelow = (one: Amounts, other: Amounts): boolean =>
  (one.credits ?? 0n) < (other.credits ?? 0n) || (one.tokens ?? 0n) < (other.tokens ?? 0n);

/** Between two looks at what a stream has come to. */
const LOOK_AGAIN_BYTES = 1_024;
/** A token that nobody sees counts for as much as one of common prose. */
const HIDDEN_TOKEN_BYTES = 4;
