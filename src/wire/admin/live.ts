import { z } from "zod";
import type { Amounts } from "../../core/amount.ts";
import { formatAmount } from "../../core/amount.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amountIn } from "./amount-in.ts";
import { dateOf, instant } from "./instant.ts";
import { accountName } from "./keys.ts";

const MOST_SHOWN = 1_000;

const filters = {
  key: z.string().max(100).exactOptional().describe("Only requests of this key: its id or prefix."),
  account: accountName.exactOptional().describe("Only requests of this account and those below: its id or names."),
  model: z.string().max(200).exactOptional().describe("Only requests for this model."),
};

const shown = (least: 0 | 1) => z.coerce.number().int().min(least).max(MOST_SHOWN).default(100);

export const liveQuerySchema = z.strictObject({
  limit: shown(1).describe(`Maximum requests shown, up to ${MOST_SHOWN}.`),
  ...filters,
});

export const liveEventsQuerySchema = z
  .strictObject({
    limit: shown(0).describe(`Maximum requests in a \`live\` event, up to ${MOST_SHOWN}; 0: no \`live\` events.`),
    ...filters,
    errors: z
      .enum(["true", "false"])
      .default("false")
      .describe("`true`: of requests that ended, only those that were rejected or failed."),
  })
  .transform(({ errors, ...rest }) => ({ ...rest, errors: errors === "true" }));

export const liveAmounts = z
  .object({
    credits: amountIn("credit").nullable().describe("Null: nothing counts in credits."),
    tokens: amountIn("tokens").nullable().describe("Null: nothing counts in tokens."),
  })
  .meta({ id: "LiveAmounts" });

export const liveAmountsView = ({ credits, tokens }: Amounts): WrittenAs<typeof liveAmounts> => ({
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
    reserved: liveAmounts.describe("The hold: what is reserved for the request."),
    output_tokens: z
      .int()
      .nullable()
      .describe("Output tokens so far, estimated; null: the request is not streamed, or has not begun."),
    cost: liveAmounts.nullable().describe("What the request would be charged if it ended now, estimated."),
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
export type LiveListJson = WrittenAs<typeof liveListSchema>;

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
  reserved: liveAmountsView(request.reserved),
  output_tokens: request.soFar?.outputTokens ?? null,
  cost: request.soFar && liveAmountsView(request.soFar.cost),
});

export const cancelledSchema = z
  .object({ request_id: z.string(), result: z.enum(["cancelled"]) })
  .meta({ id: "CancelledRequest" })
  .transform(({ request_id: requestId, result }) => ({ requestId, result }));

export type CancelledJson = WrittenAs<typeof cancelledSchema>;

export const cancelledView = ({
  requestId,
  result,
}: ReadAs<typeof cancelledSchema>): WrittenAs<typeof cancelledSchema> => ({
  request_id: requestId,
  result,
});

const liveEndSchema = z
  .object({
    request_id: z.string(),
    at: instant.describe("When it ended."),
    key_id: z.string().nullable().describe("Null: the request had no valid key."),
    key_prefix: z.string().nullable(),
    account_id: z.string().nullable(),
    account_path: z.array(z.string()),
    format: z.enum(["chat", "responses", "messages"]),
    streamed: z.boolean(),
    model: z.string().nullable(),
    provider: z.string().nullable(),
    status: z.int(),
    code: z.string().nullable(),
    outcome: z.string().nullable(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    charged: liveAmounts.nullable(),
    took_ms: z.int(),
    first_byte_ms: z.int().nullable(),
    refusal: z.string().nullable().describe("The message that the client got; null: it was not rejected."),
  })
  .transform((row) => ({
    requestId: row.request_id,
    atMs: row.at,
    keyId: row.key_id,
    keyPrefix: row.key_prefix,
    accountId: row.account_id,
    accountPath: row.account_path,
    dialect: row.format,
    streamed: row.streamed,
    model: row.model,
    provider: row.provider,
    status: row.status,
    code: row.code,
    outcome: row.outcome,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    charged: row.charged,
    tookMs: row.took_ms,
    firstByteMs: row.first_byte_ms,
    refusal: row.refusal,
  }));

/** The data of a `finished` event. */
export const liveEndsSchema = z.object({ data: z.array(liveEndSchema), missed: z.int() });

type LiveEndsRead = ReadAs<typeof liveEndsSchema>;
export type LiveEndJson = WrittenAs<typeof liveEndSchema>;

export const liveEndView = (end: LiveEndsRead["data"][number]): LiveEndJson => ({
  request_id: end.requestId,
  at: dateOf(end.atMs),
  key_id: end.keyId,
  key_prefix: end.keyPrefix,
  account_id: end.accountId,
  account_path: [...end.accountPath],
  format: end.dialect,
  streamed: end.streamed,
  model: end.model,
  provider: end.provider,
  status: end.status,
  code: end.code,
  outcome: end.outcome,
  input_tokens: end.inputTokens,
  output_tokens: end.outputTokens,
  charged: end.charged && liveAmountsView(end.charged),
  took_ms: end.tookMs,
  first_byte_ms: end.firstByteMs,
  refusal: end.refusal,
});

/** News as server-sent events: what is in flight, if it is asked for, and what ended, if anything did. */
export function liveEventsText(
  { list, ended, missed }: { list: LiveListRead } & { ended: readonly LiveEndsRead["data"][number][]; missed: number },
  { limit }: { limit: number },
): string {
  const live = limit === 0 ? "" : `event: live\ndata: ${JSON.stringify(liveListView(list))}\n\n`;
  if (ended.length === 0 && missed === 0) return live || ": nothing new\n\n";
  return `${live}event: finished\ndata: ${JSON.stringify({ data: ended.map(liveEndView), missed })}\n\n`;
}

/** The events as they are sent. */
export const liveEventsSchema = z.string().meta({
  examples: ['event: live\ndata: {"data":[],"more":0,"processes":2,"silent":0}\n\n'],
});
