import { z } from "zod";
import { CALL_FORMATS } from "../core/request/dialect.ts";
import type { LiveNews, LiveRequest, ManageLive } from "../operator/live.ts";
import { instant } from "../wire/instant.ts";
import { accountName } from "../wire/admin/keys.ts";
import { liveAmounts } from "../wire/admin/live.ts";
import { renamed, sparse } from "../wire/codec.ts";
import { written, type WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";
import { ofRequest } from "./quarantine.ts";

const MOST_SHOWN = 1_000;

const filters = {
  key: z.string().max(100).exactOptional().describe("Only requests of this key: its id or prefix."),
  account: accountName.exactOptional().describe("Only requests of this account and those below: its id or names."),
  model: z.string().max(200).exactOptional().describe("Only requests for this model."),
};

const limit = (least: 0 | 1) => z.coerce.number().int().min(least).max(MOST_SHOWN).default(100);

const liveQuery = sparse(
  z.strictObject({ limit: limit(1).describe(`Maximum requests shown, up to ${MOST_SHOWN}.`), ...filters }),
);

export const liveEventsQuery = sparse(
  z.strictObject({
    limit: limit(0).describe(`Maximum requests in a \`live\` event, up to ${MOST_SHOWN}; 0: no \`live\` events.`),
    ...filters,
    errors: z
      .codec(z.enum(["true", "false"]).default("false"), z.boolean(), {
        decode: (text) => text === "true",
        encode: (only) => (only ? "true" : "false"),
      })
      .describe("`true`: of requests that ended, only those that were rejected or failed."),
  }),
);

const NAMES = {
  requestId: "request_id",
  keyId: "key_id",
  keyPrefix: "key_prefix",
  accountId: "account_id",
  accountPath: "account_path",
  dialect: "format",
  firstByteMs: "first_byte_ms",
} as const;

const liveRequestJson = renamed(
  z
    .object({
      request_id: z.string(),
      key_id: z.string(),
      key_prefix: z.string(),
      key_label: z.string().nullable(),
      account_id: z.string().nullable().describe("The account of its key; null: a key without an account."),
      account_path: z.array(z.string()).describe("Names of the accounts from the root down."),
      format: z.enum(CALL_FORMATS),
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
    .meta({ id: "LiveRequest" }),
  { ...NAMES, keyLabel: "key_label", ageMs: "age_ms", outputTokens: "output_tokens" },
);

const liveRequest = z.codec(liveRequestJson, z.custom<LiveRequest>(), {
  decode: ({ outputTokens, cost, ...row }) => ({
    ...row,
    soFar: outputTokens === null || cost === null ? null : { outputTokens, cost },
  }),
  encode: ({ soFar, ...request }) => ({
    ...request,
    accountPath: [...request.accountPath],
    outputTokens: soFar?.outputTokens ?? null,
    cost: soFar?.cost ?? null,
  }),
});

export const liveList = z.object({
  data: z.array(liveRequest).describe("The oldest first."),
  more: z.int().describe("Requests in flight beside these."),
  processes: z.int().describe("Gateway processes that have a lease."),
  silent: z.int().describe("Of these, processes that did not report within 3 seconds. Their requests are not listed."),
});
export type LiveListJson = WrittenAs<typeof liveList>;

export const cancelledRequest = renamed(
  z.object({ request_id: z.string(), result: z.enum(["cancelled"]) }).meta({ id: "CancelledRequest" }),
  { requestId: "request_id" },
);
export type CancelledJson = WrittenAs<typeof cancelledRequest>;

export const liveEnd = renamed(
  z.object({
    request_id: z.string(),
    at: instant.describe("When it ended."),
    key_id: z.string().nullable().describe("Null: the request had no valid key."),
    key_prefix: z.string().nullable(),
    account_id: z.string().nullable(),
    account_path: z.array(z.string()),
    format: z.enum(CALL_FORMATS),
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
  }),
  { ...NAMES, atMs: "at", inputTokens: "input_tokens", outputTokens: "output_tokens", tookMs: "took_ms" },
);
export type LiveEndJson = WrittenAs<typeof liveEnd>;

/** The data of a `finished` event. */
export const liveEnds = z.object({ data: z.array(liveEnd), missed: z.int() });

/** News as server-sent events: what is in flight, if it is asked for, and what ended, if anything did. */
export function liveEventsText({ list, ended, missed }: LiveNews, { limit: most }: { limit: number }): string {
  const live = most === 0 ? "" : `event: live\ndata: ${JSON.stringify(written(liveList, list))}\n\n`;
  if (ended.length === 0 && missed === 0) return live || ": nothing new\n\n";
  return `${live}event: finished\ndata: ${JSON.stringify(written(liveEnds, { data: ended, missed }))}\n\n`;
}

/** The events as they are sent. */
export const liveEvents = z.string().meta({
  examples: ['event: live\ndata: {"data":[],"more":0,"processes":2,"silent":0}\n\n'],
});

/** What operators do with requests in flight, below `/admin/v1`. Watching them is a stream, which is written by hand. */
export const LIVE: Operations<Omit<ManageLive, "watch">> = {
  list: {
    id: "listLive",
    method: "GET",
    path: "/live",
    summary: "List the requests in flight of all processes, the oldest first",
    payload: liveQuery,
    answer: liveList,
    refusals: ["invalid_request"],
    audit: "read",
  },
  cancel: {
    id: "cancelLive",
    method: "POST",
    path: "/live/{request}/cancel",
    summary: "Cancel a request in flight: its client is told so and pays for the output delivered",
    params: ofRequest,
    answer: cancelledRequest,
    refusals: ["not_found", "conflict"],
    audit: {
      action: "request.cancel",
      of: (requestId) => ({ kind: "request", name: requestId }),
      after: (cancelled) => cancelled,
    },
  },
};
