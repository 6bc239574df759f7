import { z } from "zod";
import { UNITS } from "../../core/money/amount.ts";
import { BUDGET_PERIODS } from "../../core/money/budget-period.ts";
import { storable } from "../storable.ts";
import { amount, amountsOf, readAmount } from "./amount.ts";
import { counterSchema } from "./counter.ts";

const MOST_PATTERNS = 100;
const patterns = z.array(storable(200).min(1)).min(1).max(MOST_PATTERNS).nullable().default(null);

const limitJson = z.strictObject({
  unit: z.enum(UNITS).default("credit"),
  amount: amount.describe("Amount per period, as an exact decimal."),
  period: z.enum(BUDGET_PERIODS).default("month").describe("How often it renews, in UTC; `none`: never."),
  models: patterns.describe(
    "Patterns of the models it counts, in which `*` stands for any characters; null: all models.",
  ),
});
type LimitOrder = Omit<z.output<typeof limitJson>, "amount"> & { amount: bigint };

export const limitSchema = z.codec(limitJson, z.custom<LimitOrder>(), {
  decode: ({ amount: text, ...which }, payload) => {
    const value = readAmount(which.unit, text, payload);
    if (value < 0n)
      payload.issues.push({ code: "custom", path: ["amount"], message: "Input should be 0 or more", input: text });
    return { ...which, amount: value };
  },
  encode: ({ amount: value, ...which }) => ({ ...which, amount: amountsOf(which.unit)(value) }),
});

/** Which limit is to be removed. */
export const whichLimitSchema = z.strictObject({
  unit: z.enum(UNITS).default("credit"),
  period: z.enum(BUDGET_PERIODS).default("month"),
  models: patterns,
});

export const limitSetSchema = z.object({
  result: z.enum(["set", "already"]).describe("`already`: the limit had this amount; nothing changed."),
  counter: counterSchema,
});
export const limitRemovedSchema = z.object({
  result: z.enum(["removed", "already"]).describe("`already`: there was no such limit; nothing changed."),
});
