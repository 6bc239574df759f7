import { z } from "zod";
import type { Unit } from "../../core/money/amount.ts";
import { amountsOf, readAmount } from "./amount.ts";

/** An amount in this unit, whatever key or account it is of. */
export const amountIn = (unit: Unit) =>
  z.codec(z.string().describe(unit === "credit" ? "Exact decimal, in credits." : "Number of tokens."), z.bigint(), {
    decode: (text, payload) => readAmount(unit, text, payload),
    encode: amountsOf(unit),
  });
