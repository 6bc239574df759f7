import { z } from "zod";

const count = z.int().min(0);

/** What GET /v1/usage answers: every field, and no other. [spec 2.12] */
export const usageSummarySchema = z.strictObject({
  object: z.literal("usage.summary"),
  key: z.strictObject({
    prefix: z.string(),
    label: z.string().nullable(),
    status: z.string(),
    mode: z.enum(["credit", "token_budget"]),
    provider_scope: z.string(),
    rpm_limit: z.int().min(1).nullable().optional(),
  }),
  credits: z.strictObject({
    total_purchased: z.number(),
    balance: z.number(),
    reserved: z.number(),
    used: z.number(),
    remaining: z.number(),
    remaining_usd: z.number(),
    last_request_cost: z.number(),
    today_spend: z.number(),
    lifetime_spend: z.number(),
  }),
  tokens: z.strictObject({
    budget: count.nullable(),
    used: count,
    reserved: count,
    remaining: count.nullable(),
    input: count,
    output: count,
    total: count,
  }),
  requests: z.strictObject({ total: count }),
  explanation: z.string(),
});

export type UsageSummaryBody = z.output<typeof usageSummarySchema>;
