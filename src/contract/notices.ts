import { z } from "zod";
import { UNITS } from "../core/money/amount.ts";
import { BUDGET_PERIODS } from "../core/money/budget-period.ts";
import { COUNTER_KINDS } from "../core/money/counter.ts";
import { DELIVERY_STATES, NOTICE_CAUSES } from "../core/notice-words.ts";
import type { ManageNotices } from "../operator/notices.ts";
import { amount, amountsOf, readAmount } from "../wire/admin/amount.ts";
import { instant } from "../wire/instant.ts";
import { accountName } from "../wire/admin/keys.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { renamed, sparse, within } from "../wire/codec.ts";
import type { WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";

const noticeQuery = sparse(
  z.strictObject({
    ...pageQuery(50).in.shape,
    state: z
      .enum(DELIVERY_STATES)
      .exactOptional()
      .describe("Only notices of which a delivery is in this state. `dead`: a webhook did not accept it within a day."),
    cause: z.enum(NOTICE_CAUSES).exactOptional().describe("Only notices with this cause."),
    account: accountName
      .exactOptional()
      .describe("Only notices of this account and of all below it: its id, or the names from the root down."),
    key: z.string().min(1).max(100).exactOptional().describe("Only notices of this key, by id or prefix."),
  }),
);

const endpoint = renamed(
  z
    .object({
      endpoint: z.string().describe("`log`, or the name of a webhook."),
      url: z
        .string()
        .nullable()
        .describe("Where it is, without its path; null: the log, or a webhook that this process does not have."),
      seen_at: instant.describe("When a process last had it in its settings."),
      waiting: z
        .int()
        .describe("Notices that are still to be sent there.")
        .meta({ examples: [0] }),
      dead: z
        .int()
        .describe("Notices that it did not accept within a day.")
        .meta({ examples: [0] }),
    })
    .meta({ id: "NoticeEndpoint" }),
  { seenAtMs: "seen_at" },
);

export const endpointList = within("endpoints", z.array(endpoint).describe("The log first."));
export type EndpointJson = WrittenAs<typeof endpoint>;

const noticeKey = z
  .object({ id: z.string(), prefix: z.string().nullable(), label: z.string().nullable() })
  .meta({ id: "NoticeKey" })
  .nullable()
  .describe("The key it is about; null: an account.");

const owner = {
  account_id: z.string().nullable().describe("The account it belongs to; null: a key without an account."),
  account_path: z.array(z.string()).describe("Names of the accounts from the root down."),
  key: noticeKey,
  counter: z.int().describe("Id of the limit or purse."),
  kind: z.enum(COUNTER_KINDS),
  unit: z.enum(UNITS),
  period: z.enum(BUDGET_PERIODS),
  models: z.array(z.string()).nullable().describe("Patterns of the models it counts; null: all models."),
};

const OWNER = { accountId: "account_id", accountPath: "account_path" } as const;

const delivery = renamed(
  z
    .object({
      endpoint: z.string().describe("`log`, or the name of a webhook."),
      state: z.enum(DELIVERY_STATES).describe("`dead`: it was not accepted within a day."),
      attempts: z.int().describe("How often it was sent."),
      next_at: instant.nullable().describe("When it is sent next; null: not again."),
      last_at: instant.nullable().describe("When it was sent last; null: not yet."),
      status: z.int().nullable().describe("Status of the last response; null: none."),
      problem: z.string().nullable().describe("Why the last attempt failed, in a word; null: it did not."),
    })
    .meta({ id: "NoticeDelivery" }),
  { nextAtMs: "next_at", lastAtMs: "last_at" },
);

const noticeJson = renamed(
  z
    .object({
      id: z.string().describe("Id of the notice; receivers get it as `webhook-id`."),
      no: z.codec(z.string().describe("Notices are numbered in their order."), z.bigint(), {
        decode: BigInt,
        encode: String,
      }),
      at: instant,
      message: z.string().describe("What happened, in words."),
      ...owner,
      threshold: z.string().describe("Percent of the limit, or the amount left of the purse."),
      cause: z
        .enum(NOTICE_CAUSES)
        .describe(
          "`used`: charges reached it. `left`: a purse went down to it. `refused`: a request was rejected because of it. `too_large`: a request asked for more than was left, and a smaller one may fit.",
        ),
      amount: amount.describe("Of a limit: the amount per period. Of a purse: all that was funded."),
      used: amount.describe("What was charged, less refunds."),
      reserved: amount,
      available: amount,
      renews_at: instant.nullable().describe("When it renews; null: never."),
      deliveries: z.array(delivery).describe("What became of it at each endpoint."),
    })
    .meta({ id: "Notice" }),
  { ...OWNER, atMs: "at", renewsAtMs: "renews_at" },
);
type NoticeRow = z.output<typeof noticeJson>;
type NoticeAmount = "threshold" | "amount" | "used" | "reserved" | "available";

const notice = z.codec(noticeJson, z.custom<Omit<NoticeRow, NoticeAmount> & Record<NoticeAmount, bigint>>(), {
  decode: (row, payload) => {
    const read = (text: string): bigint => readAmount(row.unit, text, payload);
    return {
      ...row,
      threshold: row.kind === "limit" ? BigInt(row.threshold) : read(row.threshold),
      amount: read(row.amount),
      used: read(row.used),
      reserved: read(row.reserved),
      available: read(row.available),
    };
  },
  encode: (value) => {
    const write = amountsOf(value.unit);
    return {
      ...value,
      threshold: value.kind === "limit" ? String(value.threshold) : write(value.threshold),
      amount: write(value.amount),
      used: write(value.used),
      reserved: write(value.reserved),
      available: write(value.available),
    };
  },
});

export const noticePage = pageSchema(notice);
export type NoticeJson = WrittenAs<typeof notice>;

const tested = renamed(
  z
    .object({
      endpoint: z.string().describe("Name of the webhook."),
      url: z.string().describe("Where it is, without its path."),
      delivered: z.boolean().describe("True if it responded with 2xx."),
      status: z.int().nullable().describe("Status of the response; null: none."),
      problem: z.string().nullable().describe("Why it failed, in a word; null: it did not."),
      took_ms: z.int().describe("How long it took, in milliseconds."),
      said: z.string().describe("Beginning of the response."),
    })
    .meta({ id: "TestedWebhook" }),
  { tookMs: "took_ms" },
);

export const testedList = within("tested", z.array(tested).describe("One entry for each webhook."));
export type TestedJson = WrittenAs<typeof tested>;

const thresholdName = z.strictObject({
  name: z.string().describe("An account by its id or path, or a key by its id or prefix."),
});

const thresholdOrder = thresholdName.extend({
  percent: z
    .array(z.int().min(1).max(100))
    .max(20)
    .nullable()
    .exactOptional()
    .describe("Percentages of its limits; null: the default, 80 and 100. An empty list: none."),
  left: z
    .array(z.string().max(40))
    .max(20)
    .nullable()
    .exactOptional()
    .describe("Amounts left of its purse; null: the default, 0. An empty list: none."),
  counter: z.int().exactOptional().describe("Id of one limit or purse. Without it, all of them change."),
});

const watchedJson = renamed(
  z
    .object({
      ...owner,
      amount: amount.describe("Of a limit: the amount per period. Of a purse: 0."),
      thresholds: z.array(z.string()).describe("Percentages of a limit, or amounts left of a purse."),
      usual: z.boolean().describe("True if these are the default."),
    })
    .meta({ id: "WatchedCounter" }),
  OWNER,
);
type WatchedRow = z.output<typeof watchedJson>;

const watched = z.codec(watchedJson, z.custom<Omit<WatchedRow, "amount"> & { amount: bigint }>(), {
  decode: (row, payload) => ({ ...row, amount: readAmount(row.unit, row.amount, payload) }),
  encode: (value) => ({ ...value, amount: amountsOf(value.unit)(value.amount) }),
});

export const watchedList = within("counters", z.array(watched).describe("Limits and purses of its own."));
export type WatchedJson = WrittenAs<typeof watched>;

/** What operators do with notices, below `/admin/v1`. */
export const NOTICES: Operations<ManageNotices> = {
  list: {
    id: "listNotices",
    method: "GET",
    path: "/notices",
    summary: "List notices of thresholds, newest first, with what became of each at its webhooks",
    payload: noticeQuery,
    answer: noticePage,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  listEndpoints: {
    id: "listEndpoints",
    method: "GET",
    path: "/notices/endpoints",
    summary: "List where notices are sent, and how many have not arrived there",
    answer: endpointList,
    audit: "read",
  },
  test: {
    id: "testNotices",
    method: "POST",
    path: "/notices/test",
    summary: "Send a sample to every webhook, or to one, and say what came back",
    isLong: true,
    payload: within(
      "endpoint",
      z.string().nullable().default(null).describe("Name of the webhook; null: all of them."),
      z.strictObject,
    ),
    answer: testedList,
    refusals: ["invalid_request", "not_found", "conflict"],
    audit: "read",
  },
  retry: {
    id: "retryNotices",
    method: "POST",
    path: "/notices/retry",
    summary: "Send notices again that a webhook did not accept within a day",
    payload: within(
      "notice",
      z.string().nullable().describe("Id of the notice; null: all dead letters."),
      z.strictObject,
    ),
    answer: z.object({ retried: z.int().describe("How many are sent again.") }),
    refusals: ["invalid_request", "not_found"],
    audit: {
      action: "notice.retry",
      of: (id) => ({ kind: "notice", name: id }),
      after: (retried) => retried,
    },
  },
  thresholds: {
    id: "showThresholds",
    method: "GET",
    path: "/notices/thresholds",
    summary: "Show the thresholds of an account's or a key's limits and purse",
    payload: thresholdName,
    answer: watchedList,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  setThresholds: {
    id: "setThresholds",
    method: "POST",
    path: "/notices/thresholds",
    summary: "Set the thresholds of an account's or a key's limits and purse",
    payload: thresholdOrder,
    answer: watchedList,
    refusals: ["invalid_request", "not_found", "conflict"],
    audit: {
      action: "threshold.set",
      of: ({ name }) => ({ kind: "holder", name }),
      asked: ({ name: _name, ...order }) => order,
    },
  },
};
