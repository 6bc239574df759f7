import { z } from "zod";
import { parseAmount, type Unit } from "../../core/amount.ts";

/** An amount in this unit, whatever key or account it is of. */
export const amountIn = (unit: Unit) =>
  z
    .string()
    .describe(unit === "credit" ? "Exact decimal, in credits." : "Number of tokens.")
    .transform((text, context) => {
      const read = parseAmount(unit, text);
      if (read !== null) return read;
      context.addIssue({ code: "custom", message: `${JSON.stringify(text)} is not an amount of ${unit}` });
      return 0n;
    });
