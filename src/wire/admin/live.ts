import { z } from "zod";
import type { Amounts } from "../../core/amount.ts";
import { formatAmount } from "../../core/amount.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amountIn } from "./amount-in.ts";

const MOST_SHOWN = 1_000;

export const liveQuerySchema = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MOST_SHOWN)
    .default(100)
    .describe(`Maximum requests shown, up to ${MOST_SHOWN}.`),
});

const amounts = z
  .object({
    credits: amountIn("credit").nullable().describe("Null: nothing counts in credits."),
    tokens: amountIn("tokens").nullable().describe("Null: nothing counts in tokens."),
  })
  .meta({ id: "LiveAmounts" });

const amountsView = ({ credits, tokens }: Amounts): WrittenAs<typeof amounts> => ({
  credits: credits === null ? null : formatAmount("credit", credits),
  tokens: tokens === null ? null : formatAmount("tokens", tokens),
});

const liveRequestSchema = z
  .object({
    request_id: z.string(),
    key_id: z.string(),
    key_prefix: z.string(),
    key_label: z.string().nullable(),
    account_id: z.string().nullable().describe("The account of its key; null: a key without an account."),
    account_path: z.array(z.string()).describe("Names of the accounts from the root down."),
    format: z.enum(["chat", "responses", "messages"]),
    streamed: z.boolean(),
    model: z.string(),
    provider: z.string().nullable().describe("The provider asked last; null: none yet."),
    agent: z.string().nullable().describe("The client's `User-Agent`, up to 120 characters; null: it sent none."),
    age_ms: z.int().describe("Time since the request arrived."),
    first_byte_ms: z.int().nullable().describe("Time to the first byte of the response; null: not yet."),
    reserved: amounts.describe("The hold: what is reserved for the request."),
    output_tokens: z
      .int()
      .nullable()
      .describe("Output tokens so far, estimated; null: the request is not streamed, or has not begun."),
    cost: amounts.nullable().describe("What the request would be charged if it ended now, estimated."),
  })
  .meta({ id: "LiveRequest" })
  .transform((row) => ({
    requestId: row.request_id,
    keyId: row.key_id,
    keyPrefix: row.key_prefix,
    keyLabel: row.key_label,
    accountId: row.account_id,
    accountPath: row.account_path,
    dialect: row.format,
    streamed: row.streamed,
    model: row.model,
    provider: row.provider,
    agent: row.agent,
    ageMs: row.age_ms,
    firstByteMs: row.first_byte_ms,
    reserved: row.reserved,
    soFar: row.output_tokens === null || row.cost === null ? null : { outputTokens: row.output_tokens, cost: row.cost },
  }));

export const liveListSchema = z.object({
  data: z.array(liveRequestSchema).describe("The oldest first."),
  more: z.int().describe("Requests in flight beside these."),
  processes: z.int().describe("Gateway processes that have a lease."),
  silent: z.int().describe("Of these, processes that did not report within 3 seconds. Their requests are not listed."),
});

type LiveListRead = ReadAs<typeof liveListSchema>;

export const liveListView = ({ data, ...view }: LiveListRead): WrittenAs<typeof liveListSchema> => ({
  data: data.map(liveRequestView),
  ...view,
});

const liveRequestView = (request: LiveListRead["data"][number]): WrittenAs<typeof liveRequestSchema> => ({
  request_id: request.requestId,
  key_id: request.keyId,
  key_prefix: request.keyPrefix,
  key_label: request.keyLabel,
  account_id: request.accountId,
  account_path: [...request.accountPath],
  format: request.dialect,
  streamed: request.streamed,
  model: request.model,
  provider: request.provider,
  agent: request.agent,
  age_ms: request.ageMs,
  first_byte_ms: request.firstByteMs,
  reserved: amountsView(request.reserved),
  output_tokens: request.soFar?.outputTokens ?? null,
  cost: request.soFar && amountsView(request.soFar.cost),
});

export const cancelledSchema = z
  .object({ request_id: z.string(), result: z.enum(["cancelled"]) })
  .meta({ id: "CancelledRequest" })
  .transform(({ request_id: requestId, result }) => ({ requestId, result }));

export const cancelledView = ({
  requestId,
  result,
}: ReadAs<typeof cancelledSchema>): WrittenAs<typeof cancelledSchema> => ({
  request_id: requestId,
  result,
});
