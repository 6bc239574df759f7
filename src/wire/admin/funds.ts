import { z } from "zod";
import { UNITS } from "../../core/amount.ts";
import { BUDGET_PERIODS } from "../../core/budget-period.ts";
import { formatCredits } from "../../core/money.ts";
import { TOP_UP_KINDS } from "../../core/top-up-kind.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn, amountsOf, credits, reference, tokens } from "./amount.ts";
import { counterSchema, counterView } from "./counter.ts";
import { dateOf, instant } from "./instant.ts";

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

export const keyFundsSchema = z
  .object({
    unit: z.enum(UNITS),
    balance: amount,
    reserved: amount,
    available: amount,
    purchased: amount.describe("Of a purse: total ever funded. Of a limit: always 0."),
    used: amount.describe("Of a purse: all charges. Of a limit: those of this period."),
    budget: amount.nullable(),
    period: z.enum(BUDGET_PERIODS).nullable(),
    period_ends_at: instant.nullable(),
    today: amount,
    last_request: amount,
    requests: z.int(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    spent: credits.describe("Credits that requests of this key have cost, also where an account pays."),
    counters: z
      .array(counterSchema)
      .describe(
        "All purses and limits that a request of this key must satisfy: its own first, then from its account up to the root.",
      ),
  })
  .meta({ id: "KeyFunds" })
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
      spent: row.spent,
      counters: row.counters,
    };
  });

export type KeyFundsJson = WrittenAs<typeof keyFundsSchema>;

export function keyFundsView(funds: ReadAs<typeof keyFundsSchema>): KeyFundsJson {
  const write = amountsOf(funds.unit);
  return {
    unit: funds.unit,
    balance: write(funds.balance),
    reserved: write(funds.reserved),
    available: write(funds.available),
    purchased: write(funds.purchased),
    used: write(funds.used),
    budget: funds.budget === null ? null : write(funds.budget),
    period: funds.period,
    period_ends_at: dateOf(funds.periodEndsAtMs),
    today: write(funds.today),
    last_request: write(funds.lastRequest),
    requests: funds.requests,
    input_tokens: funds.inputTokens,
    output_tokens: funds.outputTokens,
    spent: formatCredits(funds.spent),
    counters: funds.counters.map(counterView),
  };
}

/** A key that an answer is about. */
export const namedKey = z.object({ id: z.uuid(), prefix: z.string() }).meta({ id: "NamedKey" });

export const fundedSchema = z
  .object({
    key: namedKey,
    result: z.enum(["funded", "already"]).describe("`already`: this reference was already booked; nothing changed."),
    reference: z.string(),
    funds: keyFundsSchema,
  })
  .meta({ id: "Funded" });

export type FundedJson = WrittenAs<typeof fundedSchema>;

export const fundedView = ({ funds, ...funded }: ReadAs<typeof fundedSchema>): FundedJson => ({
  ...funded,
  funds: keyFundsView(funds),
});
