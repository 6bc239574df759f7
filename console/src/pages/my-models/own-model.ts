import type { AnswerOf } from "../../api/call.ts";
import { readCredits } from "../../format/money.ts";

type Listed = AnswerOf<"GET /me/models">["data"][number];

/** A model that the key can use, with its prices in nano-credits per million tokens. Null: it has none. */
export type OwnModel = {
  id: string;
  name: string | null;
  context: number | null;
  output: number | null;
  /** It makes embeddings, and generates nothing. */
  embeds: boolean;
  prices: Prices | null;
  speed: { perSecond: number | null; firstMs: number | null } | null;
};

export type Prices = { input: bigint; output: bigint; cacheRead: bigint };

/** The list has prices as numbers, which hold every price that a catalogue can have to its last digit. */
const NANO_DIGITS = 9;
const nanoOf = (price: unknown): bigint | null =>
  typeof price === "number" ? readCredits(price.toFixed(NANO_DIGITS)) : null;

export function readModel(listed: Listed): OwnModel {
  const {
    display_name: name,
    context_window: context,
    max_output_tokens: output,
    pricing,
    capabilities,
    speed,
  } = listed;
  const embeds = capabilities?.["embeddings"] === true;
  // Vectors are no tokens, and have no price.
  const [input, written] = [nanoOf(pricing?.["input"]), embeds ? 0n : nanoOf(pricing?.["output"])];
  return {
    id: listed.id,
    name: name ?? null,
    context: context ?? null,
    output: output ?? null,
    embeds,
    prices:
      input === null || written === null
        ? null
        : { input, output: written, cacheRead: nanoOf(pricing?.["cache_read"]) ?? input },
    speed: speed && { perSecond: speed.output_per_second, firstMs: speed.ttft_p50_ms },
  };
}

const MILLION = 1_000_000n;

/** What so many tokens cost, rounded once and half up, as charges are. Cached tokens are a share of the input. */
export function costOf(prices: Prices, tokens: { input: number; cached: number; output: number }): bigint {
  const cached = Math.min(tokens.cached, tokens.input);
  const millionths =
    BigInt(tokens.input - cached) * prices.input +
    BigInt(cached) * prices.cacheRead +
    BigInt(tokens.output) * prices.output;
  return (millionths + MILLION / 2n) / MILLION;
}
