import { z } from "zod";
import { UNITS } from "../../core/amount.ts";
import { BUDGET_PERIODS } from "../../core/budget-period.ts";
import { formatCredits } from "../../core/money.ts";
import { CREDITS_EXPECTED, creditsOf } from "../../core/read-credits.ts";
import { TOP_UP_KINDS } from "../../core/top-up-kind.ts";
import { storable } from "../storable.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn, amountsOf } from "./amount.ts";
import { dateOf, instant } from "./instant.ts";

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
const reference = storable(200)
  .min(1)
  .describe("Unique name of the operation; a repeat with the same reference changes nothing.");

export const topUpSchema = z.strictObject({
  amount: credits,
  kind: z.enum(TOP_UP_KINDS).default("purchase"),
  reference,
});

export const topUpView = ({
  amount: nano,
  kind,
  reference: name,
}: ReadAs<typeof topUpSchema>): WrittenAs<typeof topUpSchema> => ({
  amount: formatCredits(nano),
  kind,
  reference: name,
});

export const budgetSchema = z.strictObject({
  budget: tokens,
  period: z
    .enum(BUDGET_PERIODS)
    .nullable()
    .default(null)
    .describe("How often the budget renews; null: the key keeps its period."),
  reference,
});

export const budgetView = ({
  budget,
  period,
  reference: name,
}: ReadAs<typeof budgetSchema>): WrittenAs<typeof budgetSchema> => ({
  budget: Number(budget),
  period,
  reference: name,
});

export const accountSchema = z
  .object({
    unit: z.enum(UNITS),
    balance: amount,
    reserved: amount,
    available: amount,
    purchased: amount.describe("Credit keys: total credit ever funded. Token keys: always 0."),
    used: amount.describe("Credit keys: all charges. Token keys: tokens used in this period."),
    budget: amount.nullable(),
    period: z.enum(BUDGET_PERIODS).nullable(),
    period_ends_at: instant.nullable(),
    today: amount,
    last_request: amount,
    requests: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
  })
  .meta({ id: "Account" })
  .transform((row, context) => {
    const read = amountsIn(row.unit, context);
    return {
      unit: row.unit,
      balance: read(row.balance),
      reserved: read(row.reserved),
      available: read(row.available),
      purchased: read(row.purchased),
      used: read(row.used),
      budget: row.budget === null ? null : read(row.budget),
      period: row.period,
      periodEndsAtMs: row.period_ends_at,
      today: read(row.today),
      lastRequest: read(row.last_request),
      requests: row.requests,
      inputTokens: row.input_tokens,
      outputTokens: row.output_tokens,
    };
  });

export type AccountJson = WrittenAs<typeof accountSchema>;

export function accountView(account: ReadAs<typeof accountSchema>): AccountJson {
  const write = amountsOf(account.unit);
  return {
    unit: account.unit,
    balance: write(account.balance),
    reserved: write(account.reserved),
    available: write(account.available),
    purchased: write(account.purchased),
    used: write(account.used),
    budget: account.budget === null ? null : write(account.budget),
    period: account.period,
    period_ends_at: dateOf(account.periodEndsAtMs),
    today: write(account.today),
    last_request: write(account.lastRequest),
    requests: account.requests,
    input_tokens: account.inputTokens,
    output_tokens: account.outputTokens,
  };
}

/** A key that an answer is about. */
export const namedKey = z.object({ id: z.uuid(), prefix: z.string() }).meta({ id: "NamedKey" });

export const fundedSchema = z
  .object({
    key: namedKey,
    result: z.enum(["funded", "already"]).describe("`already`: this reference was already booked; nothing changed."),
    reference: z.string(),
    account: accountSchema,
  })
  .meta({ id: "Funded" });

export type FundedJson = WrittenAs<typeof fundedSchema>;

export const fundedView = ({ account, ...funded }: ReadAs<typeof fundedSchema>): FundedJson => ({
  ...funded,
  account: accountView(account),
});
