import { z } from "zod";
import { namedAccount } from "./holder.ts";
import { formatAmount } from "../../core/amount.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amountIn } from "./amount-in.ts";
import { dateOf, instant } from "./instant.ts";

export const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** `account` and `month` in a path. */
export const ofMonth = z.object({
  account: z.string().max(2_000).describe("Id of the account, or the names from the root down: `Acme/Search`."),
  month: z.string().regex(MONTH, "Input should be a month such as 2026-11").describe("A month (UTC), such as 2026-11."),
});

const credits = amountIn("credit");
const tokens = amountIn("tokens");

const lineSchema = z
  .object({
    key_id: z.string(),
    key: z.string().describe("Label of the key, or its prefix."),
    model: z.string(),
    requests: z.int(),
    credits,
    tokens,
    input_tokens: z.int(),
    output_tokens: z.int(),
  })
  .transform((line) => ({
    keyId: line.key_id,
    key: line.key,
    model: line.model,
    requests: BigInt(line.requests),
    credits: line.credits,
    tokens: line.tokens,
    inputTokens: BigInt(line.input_tokens),
    outputTokens: BigInt(line.output_tokens),
  }));

const fundingSchema = z
  .object({ at: instant, kind: z.string(), amount: credits, reference: z.string(), actor: z.string() })
  .transform(({ at: atMs, ...funding }) => ({ atMs, ...funding }));

const refundSchema = z
  .object({
    at: instant,
    key_id: z.string(),
    request_id: z.string(),
    credits: credits.nullable(),
    tokens: tokens.nullable(),
    reference: z.string(),
    actor: z.string(),
  })
  .transform(({ at: atMs, key_id: keyId, request_id: requestId, ...refund }) => ({
    atMs,
    keyId,
    requestId,
    ...refund,
  }));

export const statementSchema = z
  .object({
    account: namedAccount,
    month: z.string(),
    running: z.boolean().describe("The month is not over."),
    opening: credits.nullable().describe("What the purse had when the month began; null: the account has no purse."),
    funded: credits.describe("Paid into the purse."),
    charged: credits.describe("Charged by the requests listed."),
    refunded: credits.describe("Given back."),
    closing: credits.nullable().describe("Opening + funded - charged + refunded; null: the account has no purse."),
    fundings: z.array(fundingSchema),
    lines: z.array(lineSchema).describe("Per key and model, most expensive first."),
    refunds: z.array(refundSchema),
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

export type StatementJson = WrittenAs<typeof statementSchema>;

const write = (value: bigint): string => formatAmount("credit", value);
const orNull = (value: bigint | null): string | null => (value === null ? null : write(value));

export const statementView = (statement: ReadAs<typeof statementSchema>): StatementJson => ({
  account: statement.account,
  month: statement.month,
  running: statement.running,
  opening: orNull(statement.opening),
  funded: write(statement.funded),
  charged: write(statement.charged),
  refunded: write(statement.refunded),
  closing: orNull(statement.closing),
  fundings: statement.fundings.map(({ atMs, kind, amount, reference, actor }) => ({
    at: dateOf(atMs),
    kind,
    amount: write(amount),
    reference,
    actor,
  })),
  lines: statement.lines.map((line) => ({
    key_id: line.keyId,
    key: line.key,
    model: line.model,
    requests: Number(line.requests),
    credits: write(line.credits),
    tokens: String(line.tokens),
    input_tokens: Number(line.inputTokens),
    output_tokens: Number(line.outputTokens),
  })),
  refunds: statement.refunds.map((refund) => ({
    at: dateOf(refund.atMs),
    key_id: refund.keyId,
    request_id: refund.requestId,
    credits: orNull(refund.credits),
    tokens: refund.tokens === null ? null : String(refund.tokens),
    reference: refund.reference,
    actor: refund.actor,
  })),
  more: statement.more,
});
