import type { KeyMode } from "./key-mode.ts";
import { formatCredits, parseCredits } from "./money.ts";

export const UNITS = ["credit", "tokens"] as const;

/** What the account of a key is kept in. */
export type Unit = (typeof UNITS)[number];

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
