import { Fault } from "./fault.ts";
import { type NanoCredits, parseCredits } from "./money.ts";

/** One operation moves at most a billion credits, so that nine of them still fit the ledger's 64 bits. */
const MOST_NANO = 1_000_000_000_000_000_000n;

/** Reads an amount an operator wrote, exactly; `param` is where it was written. A minus is read, whether or not it makes sense. */
export function readCredits(text: string, param: string): NanoCredits {
  const magnitude = parseCredits(text.startsWith("-") ? text.slice(1) : text);
  if (magnitude === null || magnitude > MOST_NANO) {
    const problem =
      "Input should be a decimal such as 25 or 0.50, at most 1000000000, with at most nine decimal places";
    throw new Fault("invalid_request", `${param}: ${problem}`, { param });
  }
  return text.startsWith("-") ? -magnitude : magnitude;
}
