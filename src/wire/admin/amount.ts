import { z } from "zod";
import { formatAmount, parseAmount, type Unit } from "../../core/amount.ts";

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
