import { z } from "zod";
import { BUDGET_PERIODS } from "../../core/budget-period.ts";
import { TOP_UP_KINDS } from "../../core/top-up-kind.ts";
import { storable } from "../storable.ts";

/** A decimal as text, since a JSON number would pass through a double. */
export const decimal = z.string().min(1).max(40);
export const tokens = z.int().min(0);
const reference = storable(200).min(1);

export const topUpSchema = z.strictObject({
  amount: decimal,
  kind: z.enum(TOP_UP_KINDS).default("purchase"),
  reference,
});

export const budgetSchema = z.strictObject({
  budget: tokens,
  period: z.enum(BUDGET_PERIODS).nullable().default(null),
  reference,
});
