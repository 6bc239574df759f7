import type { KeyMode } from "../people/key-mode.ts";
import { formatCredits, parseCredits } from "./money.ts";

export const UNITS = ["credit", "tokens"] as const;

/** What the account of a key is kept in. */
export type Unit = (typeof UNITS)[number];

/** One amount in each unit: nano-credits and tokens. Null where nothing counts in that unit. */
export type Amounts = { credits: bigint | null; tokens: bigint | null };

/** The one of these that is in this unit. */
export const amountIn = (unit: Unit, { credits, tokens }: Amounts): bigint | null =>
  unit === "credit" ? credits : tokens;

/** What one unit says, for each that counts. */
export const inEach = ({ credits, tokens }: Amounts, change: (amount: bigint) => bigint): Amounts => ({
  credits: credits === null ? null : change(credits),
  tokens: tokens === null ? null : change(tokens),
});

/** Nothing, in the units of these. */
export const noneOf = (amounts: Amounts): Amounts => inEach(amounts, () => 0n);

export const isSomething = ({ credits, tokens }: Amounts): boolean => (credits ?? 0n) !== 0n || (tokens ?? 0n) !== 0n;

/** What is left of the first without the second, unit by unit. */
export const lessOf = (whole: Amounts, part: Amounts): Amounts => ({
  credits: whole.credits === null ? null : whole.credits - (part.credits ?? 0n),
  tokens: whole.tokens === null ? null : whole.tokens - (part.tokens ?? 0n),
});

/** The same, and never less than nothing. */
export const beyondOf = (whole: Amounts, part: Amounts): Amounts => {
  const { credits, tokens } = lessOf(whole, part);
  return { credits: credits && atLeastNone(credits), tokens: tokens && atLeastNone(tokens) };
};

/** Whether a part is no more than the whole, unit by unit. What is not counted is nothing. */
export const isWithin = (part: Amounts, whole: Amounts): boolean =>
  (part.credits ?? 0n) <= (whole.credits ?? 0n) && (part.tokens ?? 0n) <= (whole.tokens ?? 0n);

export const isNegative = ({ credits, tokens }: Amounts): boolean => (credits ?? 0n) < 0n || (tokens ?? 0n) < 0n;

/** Whether both count in the same units. */
export const countAlike = (one: Amounts, other: Amounts): boolean =>
  (one.credits === null) === (other.credits === null) && (one.tokens === null) === (other.tokens === null);

const atLeastNone = (amount: bigint): bigint => (amount < 0n ? 0n : amount);

/** What a key of this mode pays in. */
export const unitOf = (mode: KeyMode): Unit => (mode === "credit" ? "credit" : "tokens");

/** An amount as a decimal in its unit, exactly: nano-credits as credits, tokens as they are. */
export const formatAmount = (unit: Unit, amount: bigint): string =>
  unit === "credit" ? formatCredits(amount) : String(amount);

/** Reads what `formatAmount` wrote; null when it is nothing of the kind. */
export function parseAmount(unit: Unit, text: string): bigint | null {
  if (unit === "tokens") return /^-?\d{1,30}$/.test(text) ? BigInt(text) : null;
  const isNegative = text.startsWith("-");
  const magnitude = parseCredits(isNegative ? text.slice(1) : text);
  return magnitude === null || !isNegative ? magnitude : -magnitude;
}
