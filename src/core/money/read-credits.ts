import { fieldFault } from "../fault.ts";
import { type NanoCredits, parseCredits } from "./money.ts";

/** One operation moves at most a billion credits, so that nine of them still fit the ledger's 64 bits. */
const MOST_NANO = 1_000_000_000_000_000_000n;

export const CREDITS_EXPECTED =
  "Input should be a decimal such as 25 or 0.50, at most 1,000,000,000, with at most nine decimal places";

/** An amount that an operator wrote, exactly; null when it is none. A minus is read, whether or not it makes sense. */
export function creditsOf(text: string): NanoCredits | null {
  const magnitude = parseCredits(text.startsWith("-") ? text.slice(1) : text);
  if (magnitude === null || magnitude > MOST_NANO) return null;
  return text.startsWith("-") ? -magnitude : magnitude;
}

/** The same where it must be one; `param` is where it was written. */
export function readCredits(text: string, param: string): NanoCredits {
  const amount = creditsOf(text);
  if (amount === null) throw fieldFault(param, CREDITS_EXPECTED);
  return amount;
}
