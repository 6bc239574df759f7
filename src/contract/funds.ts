import { z } from "zod";
import { UNITS } from "../core/money/amount.ts";
import { BUDGET_PERIODS } from "../core/money/budget-period.ts";
import { TOP_UP_KINDS } from "../core/money/top-up-kind.ts";
import type { FundedKey, ManageFunds } from "../operator/money/funds.ts";
import { amountIn } from "../wire/admin/amount-in.ts";
import { amount, credits, measured, reference, tokens } from "../wire/admin/amount.ts";
import { counterSchema } from "../wire/admin/counter.ts";
import { instant } from "../wire/instant.ts";
import { namedKey, ofKey } from "../wire/admin/keys.ts";
import { renamed } from "../wire/codec.ts";
import type { WrittenAs } from "../wire/validate.ts";
import { keyNamed } from "./keys.ts";
import type { Operations } from "./operation.ts";

export const topUp = z.strictObject({
  amount: credits,
  kind: z.enum(TOP_UP_KINDS).default("purchase"),
  reference,
});

const budgetOrder = z.strictObject({
  budget: tokens,
  period: z
    .enum(BUDGET_PERIODS)
    .nullable()
    .default(null)
    .describe("How often the budget renews; null: the key keeps its period."),
  reference,
});

export const keyFunds = measured(
  renamed(
    z
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
        spent: amountIn("credit").describe("Credits that requests of this key have cost, also where an account pays."),
        counters: z
          .array(counterSchema)
          .describe(
            "All purses and limits that a request of this key must satisfy: its own first, then from its account up to the root.",
          ),
      })
      .meta({ id: "KeyFunds" }),
    {
      periodEndsAtMs: "period_ends_at",
      lastRequest: "last_request",
      inputTokens: "input_tokens",
      outputTokens: "output_tokens",
    },
  ),
  ["balance", "reserved", "available", "purchased", "used", "budget", "today", "lastRequest"],
);
export type KeyFundsJson = WrittenAs<typeof keyFunds>;

export const fundedKey = z
  .object({
    key: namedKey,
    result: z.enum(["funded", "already"]).describe("`already`: this reference was already booked; nothing changed."),
    reference: z.string(),
    funds: keyFunds,
  })
  .meta({ id: "Funded" });
export type FundedKeyJson = WrittenAs<typeof fundedKey>;

/** An operation that is booked once for each reference. */
const BOOKING = {
  method: "POST",
  description:
    "Returns 201 when the operation is booked. A repeat with the same `reference` returns 200 and changes nothing.",
  params: ofKey,
  answer: fundedKey,
  status: { of: ({ result }: FundedKey) => (result === "funded" ? 201 : 200) },
  refusals: ["invalid_request", "not_found", "conflict"],
} as const;

/** What operators do with the money of keys, below `/admin/v1`. */
export const FUNDS: Operations<ManageFunds> = {
  show: {
    id: "showFunds",
    method: "GET",
    path: "/keys/{key}/funds",
    summary: "Show the balance of a key and every purse and limit above it",
    params: ofKey,
    answer: keyFunds,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  topUp: {
    ...BOOKING,
    id: "topUpKey",
    path: "/keys/{key}/topups",
    summary: "Add credit to a key",
    payload: topUp,
    audit: { action: "key.top_up", of: keyNamed, asked: (_name, order) => ({ unit: "credit", ...order }) },
  },
  setBudget: {
    ...BOOKING,
    id: "setBudget",
    path: "/keys/{key}/budget",
    summary: "Set the token budget of a key",
    payload: budgetOrder,
    audit: { action: "key.set_budget", of: keyNamed, asked: (_name, order) => order },
  },
};
