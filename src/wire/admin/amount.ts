import { z } from "zod";
import { formatAmount, parseAmount, type Unit } from "../../core/amount.ts";
import { CREDITS_EXPECTED, creditsOf } from "../../core/read-credits.ts";
import { storable } from "../storable.ts";

/** An amount of whichever unit the key has. */
export const amount = z.string().describe("Exact decimal in the unit of the key.");

/** Reads the amounts of an answer. */
export const amountsIn =
  (unit: Unit, context: z.core.$RefinementCtx) =>
  (text: string): bigint => {
    const read = parseAmount(unit, text);
    if (read !== null) return read;
    context.addIssue({ code: "custom", message: `${JSON.stringify(text)} is not an amount of ${unit}` });
    return 0n;
  };

export const amountsOf =
  (unit: Unit) =>
  (value: bigint): string =>
    formatAmount(unit, value);

/** Credits, as a decimal in text, since a JSON number would pass through a double. */
export const credits = z
  .string()
  .min(1)
  .max(40)
  .refine((text) => creditsOf(text) !== null, CREDITS_EXPECTED)
  .transform((text) => creditsOf(text) ?? 0n);
export const tokens = z
  .int()
  .min(0)
  .transform((count) => BigInt(count));
export const reference = storable(200)
  .min(1)
  .describe("Unique name of the operation; a repeat with the same reference changes nothing.");
