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

const amount = z.string().describe("An exact decimal in the unit of the key.");

export const UNITS = ["credit", "tokens"] as const;

export const accountSchema = z
  .object({
    unit: z.enum(UNITS),
    balance: amount,
    reserved: amount,
    available: amount,
    purchased: amount.describe("Credit: all that was ever paid in. Tokens: always 0."),
    used: amount.describe("Credit: all charges. Tokens: those of this period."),
    budget: amount.nullable(),
    period: z.enum(BUDGET_PERIODS).nullable(),
    period_ends_at: z.iso.datetime().nullable(),
    today: amount,
    last_request: amount,
    requests: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
  })
  .meta({ id: "Account" });

export const namedKey = z.object({ id: z.uuid(), prefix: z.string() });

export const fundedSchema = z
  .object({
    key: namedKey,
    result: z.enum(["funded", "already"]).describe("`already`: this reference was booked before, and nothing changed."),
    reference: z.string(),
    account: accountSchema,
  })
  .meta({ id: "Funded" });
