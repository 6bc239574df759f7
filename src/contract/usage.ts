import { z } from "zod";
import { USAGE_GROUPS } from "../core/money/usage-group.ts";
import type { ReportToOperators } from "../operator/money/usage.ts";
import { amountIn } from "../wire/admin/amount-in.ts";
import { namedAccount, namedHolder } from "../wire/admin/holder.ts";
import { instant } from "../wire/instant.ts";
import { ofKey } from "../wire/admin/keys.ts";
import { renamed } from "../wire/codec.ts";
import type { WrittenAs } from "../wire/validate.ts";
import { ofAccount } from "./accounts.ts";
import type { Operations } from "./operation.ts";

const usageQuery = z.strictObject({
  days: z.coerce.number().int().min(1).max(366).default(7).describe("Number of days, including today (UTC)."),
  by: z
    .enum(USAGE_GROUPS)
    .default("model")
    .describe("Group by model, key, label, or the accounts next below, each with all that is below it."),
});

const spent = {
  credits: amountIn("credit").describe("Credits charged."),
  tokens: amountIn("tokens").describe("Tokens charged to limits in tokens."),
  requests: z.int(),
  cut_off: z.int().describe("How many of these requests ended early and were charged for the output delivered."),
  input_tokens: z.int(),
  output_tokens: z.int(),
};
const SPENT = { cutOff: "cut_off", inputTokens: "input_tokens", outputTokens: "output_tokens" } as const;

export const usageReport = renamed(
  z
    .object({
      ...namedHolder,
      by: z.enum(USAGE_GROUPS),
      days: z
        .array(renamed(z.object({ day: z.iso.date(), ...spent }), SPENT))
        .describe("One row per day, oldest first, including today."),
      groups: z
        .array(renamed(z.object({ id: z.string(), name: z.string(), ...spent }), SPENT))
        .describe("Per model, key, label or account, most expensive first."),
      more_groups: z
        .int()
        .describe(
          "How many groups are not listed; at most 1,000 are. Days include them. For the rest ask for an account below.",
        ),
    })
    .meta({ id: "UsageReport" }),
  { moreGroups: "more_groups" },
);

export type UsageReportJson = WrittenAs<typeof usageReport>;
export type UsageTotalJson = Omit<UsageReportJson["days"][number], "day">;

export const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

const ofMonth = ofAccount.extend({
  month: z.string().regex(MONTH, "Input should be a month such as 2026-11").describe("A month (UTC), such as 2026-11."),
});

const credits = amountIn("credit");
const tokens = amountIn("tokens");
const count = z.codec(z.int(), z.bigint(), { decode: BigInt, encode: Number });

const line = renamed(
  z.object({
    key_id: z.string(),
    key: z.string().describe("Label of the key, or its prefix."),
    model: z.string(),
    requests: count,
    credits,
    tokens,
    input_tokens: count,
    output_tokens: count,
  }),
  { keyId: "key_id", inputTokens: "input_tokens", outputTokens: "output_tokens" },
);

const funding = renamed(
  z.object({ at: instant, kind: z.string(), amount: credits, reference: z.string(), actor: z.string() }),
  { atMs: "at" },
);

const refund = renamed(
  z.object({
    at: instant,
    key_id: z.string(),
    request_id: z.string(),
    credits: credits.nullable(),
    tokens: tokens.nullable(),
    reference: z.string(),
    actor: z.string(),
  }),
  { atMs: "at", keyId: "key_id", requestId: "request_id" },
);

export const statement = z
  .object({
    account: namedAccount,
    month: z.string(),
    running: z.boolean().describe("The month is not over."),
    opening: credits.nullable().describe("What the purse had when the month began; null: the account has no purse."),
    funded: credits.describe("Paid into the purse."),
    charged: credits.describe("Charged by the requests listed."),
    refunded: credits.describe("Given back."),
    closing: credits.nullable().describe("Opening + funded - charged + refunded; null: the account has no purse."),
    fundings: z.array(funding),
    lines: z.array(line).describe("Per key and model, most expensive first."),
    refunds: z.array(refund),
    more: z
      .object({
        fundings: z.int().describe("Number of fundings not listed."),
        lines: z.int().describe("Number of lines not listed."),
        refunds: z.int().describe("Number of refunds not listed."),
      })
      .describe(
        "How many of each are not listed; at most 10,000 are. The sums include them. For the rest ask for an account below.",
      ),
  })
  .meta({ id: "Statement" });

export type StatementJson = WrittenAs<typeof statement>;

/** What operators read of usage, below `/admin/v1`. */
export const USAGE: Operations<ReportToOperators> = {
  report: {
    method: "GET",
    path: "/{holder}/usage",
    holders: {
      all: {
        id: "reportAllUsage",
        summary: "Report the usage of all keys by day and by model, key, label or account",
        refusals: ["invalid_request"],
      },
      key: { id: "reportUsage", summary: "Report the usage of a key by day and by model", params: ofKey },
      account: {
        id: "reportAccountUsage",
        summary: "Report the usage of all keys below an account by day and by model, key, label or account",
        description: "A key counts for the accounts that it was below when it was used, also after a move.",
        params: ofAccount,
      },
    },
    payload: usageQuery,
    answer: usageReport,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  statement: {
    id: "showStatement",
    method: "GET",
    path: "/accounts/{account}/statements/{month}",
    summary: "Show the statement of an account for a month",
    description: "With a purse: what it had, what was funded, charged and given back, and what it has.",
    params: ofMonth,
    answer: statement,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
};
