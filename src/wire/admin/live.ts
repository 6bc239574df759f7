import { z } from "zod";
import { amountIn } from "./amount-in.ts";

export const liveAmounts = z
  .object({
    credits: amountIn("credit").nullable().describe("Null: nothing counts in credits."),
    tokens: amountIn("tokens").nullable().describe("Null: nothing counts in tokens."),
  })
  .meta({ id: "LiveAmounts" });
