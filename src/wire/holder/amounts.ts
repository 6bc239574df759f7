import { z } from "zod";
import { type Amounts, formatAmount, parseAmount, type Unit } from "../../core/money/amount.ts";

/** An exact decimal in a unit. */
export const amountIn = (unit: Unit) =>
  z.codec(z.string(), z.bigint(), {
    decode: (text) => parseAmount(unit, text) ?? 0n,
    encode: (value) => formatAmount(unit, value),
  });

/** Exact decimals; null where nothing counts in that unit. */
export const holderAmountsSchema = z.object({ credits: z.string().nullable(), tokens: z.string().nullable() });

export type HolderAmounts = z.output<typeof holderAmountsSchema>;

export const holderAmounts = ({ credits, tokens }: Amounts): HolderAmounts => ({
  credits: credits === null ? null : formatAmount("credit", credits),
  tokens: tokens === null ? null : formatAmount("tokens", tokens),
});

/** Digits after the point of a millionth of the smallest unit. */
const DIGITS = { credit: 15, tokens: 6 } as const satisfies Record<Unit, number>;

/** Millionths of the smallest unit as a decimal in the unit, exactly. */
export function exactAmount(unit: Unit, millionths: bigint): string {
  const scale = 10n ** BigInt(DIGITS[unit]);
  const fraction = (millionths % scale).toString().padStart(DIGITS[unit], "0").replace(/0+$/, "");
  return `${millionths / scale}${fraction === "" ? "" : `.${fraction}`}`;
}
