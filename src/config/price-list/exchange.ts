import { type Decimal, product, roundedQuotient } from "../../core/money/decimal.ts";

/** What turns a provider's dollars into our credits: `markup` times the price, at `creditUsd` dollars for a credit. */
export type UsdConversion = { markup: Decimal; creditUsd: Decimal };

const NANO_EXPONENT = 9;
const MILLION_EXPONENT = 6;

/** Nano-credits per million tokens for a price per token, and per call for a price per call. Rounded here, once. */
export const nanoPerMillion = (usdPerToken: Decimal, exchange: UsdConversion): bigint =>
  nanoOf({ ...usdPerToken, exponent: usdPerToken.exponent + MILLION_EXPONENT }, exchange);

export const nanoOf = (usd: Decimal, { markup, creditUsd }: UsdConversion): bigint => {
  const { digits, exponent } = product(usd, markup);
  return roundedQuotient({ digits, exponent: exponent + NANO_EXPONENT }, creditUsd);
};
