import { z } from "zod";
import type { Amounts } from "../../core/amount.ts";
import { written, type WrittenAs } from "../validate.ts";
import { amountIn } from "./amount-in.ts";

export const liveAmounts = z
  .object({
    credits: amountIn("credit").nullable().describe("Null: nothing counts in credits."),
    tokens: amountIn("tokens").nullable().describe("Null: nothing counts in tokens."),
  })
  .meta({ id: "LiveAmounts" });

export const liveAmountsView = (amounts: Amounts): WrittenAs<typeof liveAmounts> => written(liveAmounts, amounts);
