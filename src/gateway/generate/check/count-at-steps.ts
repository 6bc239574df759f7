import type { Model } from "../../../catalogue/model.ts";
import { Fault } from "../../../core/fault.ts";
import { creditRate } from "../../../core/money/pay-rate.ts";
import type { Tariff } from "../../../core/money/price.ts";
import { largestSold } from "../../../core/money/rate-rows.ts";
import type { InputEstimate } from "../../../core/request/input-estimate.ts";
import { mediaTokensOf, mostInputTokens } from "../../../core/request/media-tokens.ts";
import { vocabularyOf } from "../../../core/request/vocabulary.ts";
import type { GenerationRequest } from "../../../wire/generation-request.ts";
import type { Paperwork } from "../../paperwork.ts";
import { MOST_COUNTED_BYTES } from "./count-near-the-edge.ts";

/** An estimate may be short of the text by a quarter. */
const NEAR = 0.75;

type Sized = { request: GenerationRequest; model: Model; price: Tariff; input: InputEstimate };

/**
 * The input with its texts counted, where its bound and its estimate lie on two sides of a step of the price and the count does not: a
 * prompt of 100,000 tokens is not held at the price of 400,000. Null: its bound stands. Refuses what is larger than what is sold.
 */
export async function countAtSteps(
  paperwork: Pick<Paperwork, "countText" | "savedByCounting">,
  { request, model, price, input }: Sized,
): Promise<InputEstimate | null> {
  const bound = mostInputTokens(input, mediaTokensOf(model), model.contextWindow);
  const likely = Math.min(bound, Math.ceil(input.likely * model.tokenFactor));
  const sold = largestSold(price, request.tier);
  if (sold !== null && bound > sold && likely > sold * NEAR) {
    const tokens = Math.ceil((await paperwork.countText(request)) * model.tokenFactor);
    if (tokens > sold) throw notSold(model.id, tokens, sold);
  }
  const step = creditRate(price, request.tier).stepBeyond(likely);
  if (step === null || bound <= step || request.bytes.length > MOST_COUNTED_BYTES) return null;
  const saved = await paperwork.savedByCounting(request, vocabularyOf(model)).catch(() => 0);
  return bound - saved <= step ? { ...input, most: input.most - saved } : null;
}

const notSold = (model: string, tokens: number, sold: number): Fault =>
  new Fault(
    "context_length_exceeded",
    `Input is about ${tokens.toLocaleString("en-US")} tokens; ${model} has no price for more than ${sold.toLocaleString("en-US")}. Shorten the input.`,
  );
