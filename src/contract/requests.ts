import { z } from "zod";
import { CALL_FORMATS } from "../core/request/dialect.ts";
import { REQUEST_OUTCOMES } from "../core/request/request-record.ts";
import type { ReadRequests } from "../operator/requests.ts";
import { instant } from "../wire/instant.ts";
import { accountName } from "../wire/admin/keys.ts";
import { liveAmounts } from "../wire/admin/live.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { renamed, sparse } from "../wire/codec.ts";
import { csv } from "../wire/csv.ts";
import type { ReadAs, WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";
import { ofRequest } from "./quarantine.ts";
import { requestMoney } from "./request-money.ts";

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
const FILTERS = { fromMs: "from", toMs: "to" } as const;

const requestQuery = sparse(z.strictObject({ ...pageQuery(50).in.shape, ...filters }), FILTERS);
export const requestExport = sparse(z.strictObject(filters), FILTERS);
export type RequestFilters = ReadAs<typeof requestExport>;

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
  format: z.enum(CALL_FORMATS).nullable().describe("Null: neither a generation nor embeddings."),
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
const LISTED = {
  requestId: "request_id",
  atMs: "at",
  keyId: "key_id",
  keyPrefix: "key_prefix",
  accountId: "account_id",
  accountPath: "account_path",
  dialect: "format",
  modelAsked: "model_asked",
  tookMs: "took_ms",
  firstByteMs: "first_byte_ms",
  inputTokens: "input_tokens",
  cachedTokens: "cached_tokens",
  outputTokens: "output_tokens",
} as const;

export const requestRow = renamed(z.object(listed).meta({ id: "RequestRow" }), LISTED);
export const requestPage = pageSchema(requestRow);
export type RequestRowJson = WrittenAs<typeof requestRow>;

/** Milliseconds with three digits are microseconds. */
const ms = z.codec(z.number(), z.number(), {
  decode: (value) => Math.round(value * 1_000),
  encode: (us) => us / 1_000,
});

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

const attempt = renamed(
  z
    .object({
      provider: z.string(),
      route_id: z.string(),
      region: z.string().nullable().describe("Where the route ran, in the operator's word; null: not told."),
      began_ms: ms,
      ended_ms: ms.describe("When it failed, or its response began."),
      status: z.int().nullable().describe("Null: no response."),
      failure: z.string().nullable().describe("Null: it succeeded."),
    })
    .meta({ id: "RequestAttempt" }),
  { routeId: "route_id", beganUs: "began_ms", endedUs: "ended_ms" },
);

export const requestDetail = renamed(
  z
    .object({
      ...listed,
      outcome: z.string().nullable().describe("How the generation ended; null: none began."),
      steps: steps.describe("When it got to each step, in milliseconds since it arrived; null: it did not."),
      provider_ms: ms.describe("Time spent waiting for providers."),
      region: z
        .string()
        .nullable()
        .describe("Where the route that was asked last ran, in the operator's word; null: not told."),
      attempts: z.array(attempt).nullable().describe("Null: no provider was asked."),
      reasoning_tokens: z.int(),
      reserved: liveAmounts.nullable().describe("Null: nothing was reserved."),
      price_version: z.int().nullable(),
      client: z.string().nullable().describe("The `User-Agent`, up to 120 characters; null: it sent none."),
      bytes_out: z.int().describe("Bytes sent to the client."),
      trace_id: z
        .string()
        .nullable()
        .describe(
          "The id of its trace: of its spans if it was sampled, else of the client's `traceparent`; null: there is neither.",
        ),
      dropped_fields: z
        .array(z.string())
        .meta({ examples: [["logit_bias"]] })
        .describe("Fields of the request that the provider was not sent."),
      money: requestMoney.nullable().describe("Null: nothing was reserved."),
    })
    .meta({ id: "RequestDetail" }),
  {
    ...LISTED,
    providerUs: "provider_ms",
    reasoningTokens: "reasoning_tokens",
    held: "reserved",
    priceVersion: "price_version",
    bytesOut: "bytes_out",
    traceId: "trace_id",
    dropped: "dropped_fields",
  },
);
export type RequestDetailJson = WrittenAs<typeof requestDetail>;

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

export const requestsCsvText = z.string().meta({
  description:
    "One row per request, newest first, after a row of column names. A cell that a spreadsheet would take for a formula begins with `'`.",
  examples: [requestsHead()],
});

/** How operators read what became of requests, below `/admin/v1`. */
export const REQUESTS: Operations<ReadRequests> = {
  list: {
    id: "listRequests",
    method: "GET",
    path: "/requests",
    summary: "List finished requests, newest first, by key, account, model, provider, code, status, agent and time",
    description:
      "A page may have fewer rows than `limit`, even none, and a `next`: the search for rare requests goes on there.",
    payload: requestQuery,
    answer: requestPage,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  show: {
    id: "showRequest",
    method: "GET",
    path: "/requests/{request}",
    summary: "Show one request: steps, attempts, and how its charge was computed",
    params: ofRequest,
    answer: requestDetail,
    refusals: ["not_found"],
    audit: "read",
  },
};
