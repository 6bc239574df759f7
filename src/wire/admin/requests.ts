import { z } from "zod";
import { REQUEST_STEPS } from "../../core/request-facts.ts";
import { REQUEST_OUTCOMES } from "../../core/request-record.ts";
import { csv } from "../csv.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { dateOf, instant } from "./instant.ts";
import { accountName } from "./keys.ts";
import { liveAmounts, liveAmountsView } from "./live.ts";
import { pageQuery, pageSchema } from "./page.ts";
import { type LooseMoney, moneySchema, moneyView } from "./request-money.ts";

const name = (most: number) => z.string().min(1).max(most).exactOptional();

const filters = {
  key: name(100).describe("Only requests of this key: its id or prefix."),
  account: accountName.exactOptional().describe("Only requests of this account and those below: its id or names."),
  model: name(200).describe("Only requests for this model."),
  provider: name(200).describe("Only requests whose last attempt was at this provider."),
  code: name(100).describe("Only requests that ended with this code: `ok`, `client_gone` or an error code."),
  status: z.coerce.number().int().min(100).max(599).exactOptional().describe("Only requests with this HTTP status."),
  agent: name(100).describe("Only requests of this agent, such as `Claude Code`."),
  outcome: z
    .enum(REQUEST_OUTCOMES)
    .exactOptional()
    .describe("`error`: only requests that were rejected or failed. `client_gone`: whose client disconnected."),
  from: instant.exactOptional().describe("Requests at this time or later."),
  to: instant.exactOptional().describe("Requests before this time."),
};

type Filters = z.output<z.ZodObject<typeof filters>>;

const filterOf = (given: Filters) => ({
  key: given.key ?? null,
  account: given.account ?? null,
  model: given.model ?? null,
  provider: given.provider ?? null,
  code: given.code ?? null,
  status: given.status ?? null,
  agent: given.agent ?? null,
  outcome: given.outcome ?? null,
  fromMs: given.from ?? null,
  toMs: given.to ?? null,
});
export type RequestFilters = ReturnType<typeof filterOf>;

export const requestPageSchema = z
  .strictObject({ ...pageQuery(50).in.shape, ...filters })
  .transform(({ limit, after, ...rest }) => ({ ...filterOf(rest), limit, after: after ?? null }));

export const requestExportSchema = z.strictObject(filters).transform(filterOf);

const EXAMPLE_ID = "req_019a84d2c6b87c1e9d3f0a5b7e2c4d60";

const listed = {
  request_id: z.string().meta({ examples: [EXAMPLE_ID] }),
  at: instant.describe("When the request arrived."),
  times: z
    .int()
    .describe("How many requests the record stands for. Many rejections of one kind within a moment share a record."),
  key_id: z.string().nullable().describe("Null: the request had no valid key."),
  key_prefix: z.string().nullable(),
  account_id: z.string().nullable().describe("The account of its key at that time; null: a key without an account."),
  account_path: z.array(z.string()).describe("Names of the accounts from the root down."),
  route: z.string().meta({ examples: ["chat_completions"] }),
  format: z.enum(["chat", "responses", "messages"]).nullable().describe("Null: not a generation."),
  model: z.string().nullable().describe("Null: none was found."),
  model_asked: z.string().nullable().describe("As the client named it; null: that is `model`, or it was not read."),
  provider: z.string().nullable().describe("The provider asked last; null: none."),
  status: z.int().meta({ examples: [200] }),
  code: z
    .string()
    .meta({ examples: ["ok"] })
    .describe("`ok`, an error code, or how the generation ended, such as `client_gone`."),
  streamed: z.boolean(),
  replay: z.boolean().describe("The response to an earlier request with the same idempotency key."),
  took_ms: z.int().describe("From the arrival of the request to the end of its response."),
  first_byte_ms: z.int().nullable().describe("Time to the first byte of the response; null: there was none."),
  input_tokens: z.int(),
  cached_tokens: z.int().describe("Of the input tokens, those read from a cache."),
  output_tokens: z.int(),
  charged: liveAmounts.nullable().describe("Null: nothing was reserved."),
  agent: z.string().nullable().describe("The agent by its `User-Agent`; null: none that is known."),
  refusal: z.string().nullable().describe("The message that the client got; null: it was not rejected."),
};

const listedObject = z.object(listed);
type ListedRaw = z.output<typeof listedObject>;

const listedOf = (row: ListedRaw) => ({
  requestId: row.request_id,
  atMs: row.at,
  times: row.times,
  keyId: row.key_id,
  keyPrefix: row.key_prefix,
  accountId: row.account_id,
  accountPath: row.account_path,
  route: row.route,
  dialect: row.format,
  model: row.model,
  modelAsked: row.model_asked,
  provider: row.provider,
  status: row.status,
  code: row.code,
  streamed: row.streamed,
  replay: row.replay,
  tookMs: row.took_ms,
  firstByteMs: row.first_byte_ms,
  inputTokens: row.input_tokens,
  cachedTokens: row.cached_tokens,
  outputTokens: row.output_tokens,
  charged: row.charged,
  agent: row.agent,
  refusal: row.refusal,
});

const rowSchema = listedObject.meta({ id: "RequestRow" }).transform(listedOf);
export const requestListSchema = pageSchema(rowSchema);
type Listed = Omit<ReadAs<typeof rowSchema>, "accountPath"> & { accountPath: readonly string[] };
export type RequestRowJson = WrittenAs<typeof rowSchema>;

export const requestRowView = (row: Listed): RequestRowJson => ({
  request_id: row.requestId,
  at: dateOf(row.atMs),
  times: row.times,
  key_id: row.keyId,
  key_prefix: row.keyPrefix,
  account_id: row.accountId,
  account_path: [...row.accountPath],
  route: row.route,
  format: row.dialect,
  model: row.model,
  model_asked: row.modelAsked,
  provider: row.provider,
  status: row.status,
  code: row.code,
  streamed: row.streamed,
  replay: row.replay,
  took_ms: row.tookMs,
  first_byte_ms: row.firstByteMs,
  input_tokens: row.inputTokens,
  cached_tokens: row.cachedTokens,
  output_tokens: row.outputTokens,
  charged: row.charged && liveAmountsView(row.charged),
  agent: row.agent,
  refusal: row.refusal,
});

/** Milliseconds with three digits are microseconds. */
const ms = z.number().transform((value) => Math.round(value * 1_000));
const msOf = (us: number): number => us / 1_000;

const steps = z
  .object({
    authenticated: ms.nullable().describe("The key was identified."),
    read: ms.nullable().describe("The body was read."),
    checked: ms.nullable().describe("The request was valid for its model."),
    admitted: ms.nullable().describe("Its cost was reserved."),
    dispatched: ms.nullable().describe("The first provider was asked."),
    first_byte: ms.nullable().describe("The first byte of the response was there."),
    last_byte: ms.nullable().describe("The last one was."),
    settled: ms.nullable().describe("The charge was committed."),
    closed: ms.describe("The response was sent, or the connection closed."),
  })
  .meta({ id: "RequestSteps" });

type Steps = z.output<typeof steps>;

const stepsView = (times: Steps): WrittenAs<typeof steps> =>
  Object.fromEntries(
    REQUEST_STEPS.map((step) => {
      const us = times[step];
      return [step, us === null ? null : msOf(us)];
    }),
  ) as WrittenAs<typeof steps>;

const attempt = z
  .object({
    provider: z.string(),
    route_id: z.string(),
    began_ms: ms,
    ended_ms: ms.describe("When it failed, or its response began."),
    status: z.int().nullable().describe("Null: no response."),
    failure: z.string().nullable().describe("Null: it succeeded."),
  })
  .meta({ id: "RequestAttempt" })
  .transform(({ route_id, began_ms, ended_ms, ...rest }) => ({
    ...rest,
    routeId: route_id,
    beganUs: began_ms,
    endedUs: ended_ms,
  }));

export const requestDetailSchema = z
  .object({
    ...listed,
    outcome: z.string().nullable().describe("How the generation ended; null: none began."),
    steps: steps.describe("When it got to each step, in milliseconds since it arrived; null: it did not."),
    provider_ms: ms.describe("Time spent waiting for providers."),
    attempts: z.array(attempt).nullable().describe("Null: no provider was asked."),
    reasoning_tokens: z.int(),
    reserved: liveAmounts.nullable().describe("Null: nothing was reserved."),
    price_version: z.int().nullable(),
    client: z.string().nullable().describe("The `User-Agent`, up to 120 characters; null: it sent none."),
    bytes_out: z.int().describe("Bytes sent to the client."),
    dropped_fields: z
      .array(z.string())
      .meta({ examples: [["logit_bias"]] })
      .describe("Fields of the request that the provider was not sent."),
    money: moneySchema.nullable().describe("Null: nothing was reserved."),
  })
  .meta({ id: "RequestDetail" })
  .transform(({ provider_ms, reasoning_tokens, reserved, price_version, bytes_out, dropped_fields, ...row }) => ({
    ...listedOf(row),
    outcome: row.outcome,
    steps: row.steps,
    attempts: row.attempts,
    client: row.client,
    money: row.money,
    providerUs: provider_ms,
    reasoningTokens: reasoning_tokens,
    held: reserved,
    priceVersion: price_version,
    bytesOut: bytes_out,
    dropped: dropped_fields,
  }));

type Read = ReadAs<typeof requestDetailSchema>;
/** What a view does not change may be fixed. */
type Detail = Omit<Read, "accountPath" | "attempts" | "dropped" | "money"> & {
  accountPath: readonly string[];
  attempts: readonly NonNullable<Read["attempts"]>[number][] | null;
  dropped: readonly string[];
  money: LooseMoney | null;
};
export type RequestDetailJson = WrittenAs<typeof requestDetailSchema>;

export const requestDetailView = (detail: Detail): RequestDetailJson => ({
  ...requestRowView(detail),
  outcome: detail.outcome,
  steps: stepsView(detail.steps),
  provider_ms: msOf(detail.providerUs),
  attempts:
    detail.attempts?.map(({ routeId, beganUs, endedUs, ...rest }) => ({
      ...rest,
      route_id: routeId,
      began_ms: msOf(beganUs),
      ended_ms: msOf(endedUs),
    })) ?? null,
  reasoning_tokens: detail.reasoningTokens,
  reserved: detail.held && liveAmountsView(detail.held),
  price_version: detail.priceVersion,
  client: detail.client,
  bytes_out: detail.bytesOut,
  dropped_fields: [...detail.dropped],
  money: detail.money && moneyView(detail.money),
});

const COLUMNS = Object.keys(listed).filter((column) => column !== "charged");

/** What an export begins with. */
export const requestsHead = (): string => csv([[...COLUMNS, "credits", "tokens"]]);

/** One request of an export. */
export function requestLine({ charged, ...row }: RequestRowJson): string {
  const cells: Readonly<Record<string, unknown>> = { ...row, account_path: row.account_path.join("/") };
  const cell = (value: unknown): string | number | null =>
    typeof value === "boolean" ? `${value}` : (value as string | number | null);
  return csv([[...COLUMNS.map((column) => cell(cells[column])), charged?.credits ?? null, charged?.tokens ?? null]]);
}

export const requestsCsvSchema = z.string().meta({
  description:
    "One row per request, newest first, after a row of column names. A cell that a spreadsheet would take for a formula begins with `'`.",
  examples: [requestsHead()],
});
