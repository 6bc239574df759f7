import { z } from "zod";
import { UNITS } from "../../core/amount.ts";
import { BUDGET_PERIODS } from "../../core/budget-period.ts";
import { COUNTER_KINDS } from "../../core/counter.ts";
import { DELIVERY_STATES, NOTICE_CAUSES } from "../../core/notice-words.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn, amountsOf } from "./amount.ts";
import { dateOf, instant } from "./instant.ts";
import { accountName } from "./keys.ts";
import { pageQuery, pageSchema } from "./page.ts";

export const noticePageSchema = z
  .strictObject({
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
  })
  .transform(({ limit, after, state, cause, account, key }) => ({
    limit,
    after: after ?? null,
    state: state ?? null,
    cause: cause ?? null,
    account: account ?? null,
    key: key ?? null,
  }));

const endpointSchema = z
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
  .meta({ id: "NoticeEndpoint" })
  .transform(({ seen_at: seenAtMs, ...rest }) => ({ ...rest, seenAtMs }));

export const endpointListSchema = z.object({ endpoints: z.array(endpointSchema).describe("The log first.") });
export type EndpointJson = WrittenAs<typeof endpointSchema>;
export const endpointView = ({
  endpoint,
  url,
  seenAtMs,
  waiting,
  dead,
}: ReadAs<typeof endpointSchema>): EndpointJson => ({
  endpoint,
  url,
  seen_at: dateOf(seenAtMs),
  waiting,
  dead,
});

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

const deliverySchema = z
  .object({
    endpoint: z.string().describe("`log`, or the name of a webhook."),
    state: z.enum(DELIVERY_STATES).describe("`dead`: it was not accepted within a day."),
    attempts: z.int().describe("How often it was sent."),
    next_at: instant.nullable().describe("When it is sent next; null: not again."),
    last_at: instant.nullable().describe("When it was sent last; null: not yet."),
    status: z.int().nullable().describe("Status of the last response; null: none."),
    problem: z.string().nullable().describe("Why the last attempt failed, in a word; null: it did not."),
  })
  .meta({ id: "NoticeDelivery" })
  .transform(({ next_at: nextAtMs, last_at: lastAtMs, ...rest }) => ({ ...rest, nextAtMs, lastAtMs }));

const noticeSchema = z
  .object({
    id: z.string().describe("Id of the notice; receivers get it as `webhook-id`."),
    no: z.string().describe("Notices are numbered in their order."),
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
    deliveries: z.array(deliverySchema).describe("What became of it at each endpoint."),
  })
  .meta({ id: "Notice" })
  .transform((row, context) => {
    const read = amountsIn(row.unit, context);
    return {
      ...ownerOf(row),
      id: row.id,
      no: BigInt(row.no),
      atMs: row.at,
      message: row.message,
      threshold: row.kind === "limit" ? BigInt(row.threshold) : read(row.threshold),
      cause: row.cause,
      amount: read(row.amount),
      used: read(row.used),
      reserved: read(row.reserved),
      available: read(row.available),
      renewsAtMs: row.renews_at,
      deliveries: row.deliveries,
    };
  });

export const noticeListSchema = pageSchema(noticeSchema);
export type NoticeJson = WrittenAs<typeof noticeSchema>;

export function noticeView(notice: ReadAs<typeof noticeSchema>): NoticeJson {
  const write = amountsOf(notice.unit);
  return {
    id: notice.id,
    no: String(notice.no),
    at: dateOf(notice.atMs),
    message: notice.message,
    ...ownerView(notice),
    threshold: notice.kind === "limit" ? String(notice.threshold) : write(notice.threshold),
    cause: notice.cause,
    amount: write(notice.amount),
    used: write(notice.used),
    reserved: write(notice.reserved),
    available: write(notice.available),
    renews_at: dateOf(notice.renewsAtMs),
    deliveries: notice.deliveries.map(({ nextAtMs, lastAtMs, ...rest }) => ({
      ...rest,
      next_at: dateOf(nextAtMs),
      last_at: dateOf(lastAtMs),
    })),
  };
}

export const noticeTestSchema = z.strictObject({
  endpoint: z.string().nullable().default(null).describe("Name of the webhook; null: all of them."),
});

const testedSchema = z
  .object({
    endpoint: z.string().describe("Name of the webhook."),
    url: z.string().describe("Where it is, without its path."),
    delivered: z.boolean().describe("True if it responded with 2xx."),
    status: z.int().nullable().describe("Status of the response; null: none."),
    problem: z.string().nullable().describe("Why it failed, in a word; null: it did not."),
    took_ms: z.int().describe("How long it took, in milliseconds."),
    said: z.string().describe("Beginning of the response."),
  })
  .meta({ id: "TestedWebhook" })
  .transform(({ took_ms: tookMs, ...rest }) => ({ ...rest, tookMs }));

export const noticeTestedSchema = z.object({ tested: z.array(testedSchema).describe("One entry for each webhook.") });
export type TestedJson = WrittenAs<typeof testedSchema>;
export const testedView = ({ tookMs, ...rest }: ReadAs<typeof testedSchema>): TestedJson => ({
  ...rest,
  took_ms: tookMs,
});

export const noticeRetrySchema = z.strictObject({
  notice: z.string().nullable().describe("Id of the notice; null: all dead letters."),
});
export const noticeRetriedSchema = z.object({ retried: z.int().describe("How many are sent again.") });

export const thresholdNameSchema = z.strictObject({
  name: z.string().describe("An account by its id or path, or a key by its id or prefix."),
});

export const thresholdOrderSchema = z.strictObject({
  name: z.string().describe("An account by its id or path, or a key by its id or prefix."),
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

const watchedSchema = z
  .object({
    ...owner,
    amount: amount.describe("Of a limit: the amount per period. Of a purse: 0."),
    thresholds: z.array(z.string()).describe("Percentages of a limit, or amounts left of a purse."),
    usual: z.boolean().describe("True if these are the default."),
  })
  .meta({ id: "WatchedCounter" })
  .transform((row, context) => ({
    ...ownerOf(row),
    amount: amountsIn(row.unit, context)(row.amount),
    thresholds: row.thresholds,
    usual: row.usual,
  }));

export const watchedListSchema = z.object({
  counters: z.array(watchedSchema).describe("Limits and purses of its own."),
});
export type WatchedJson = WrittenAs<typeof watchedSchema>;
export const watchedView = (one: ReadAs<typeof watchedSchema>): WatchedJson => ({
  ...ownerView(one),
  amount: amountsOf(one.unit)(one.amount),
  thresholds: [...one.thresholds],
  usual: one.usual,
});

type OwnerJson = z.output<z.ZodObject<typeof owner>>;

const ownerOf = ({ account_id, account_path, key, counter, kind, unit, period, models }: OwnerJson) => ({
  accountId: account_id,
  accountPath: account_path,
  key,
  counter,
  kind,
  unit,
  period,
  models,
});

type Owner = ReturnType<typeof ownerOf>;
type Loose = Omit<Owner, "accountPath" | "models"> & {
  accountPath: readonly string[];
  models: readonly string[] | null;
};

const ownerView = ({ accountId, accountPath, key, counter, kind, unit, period, models }: Loose): OwnerJson => ({
  account_id: accountId,
  account_path: [...accountPath],
  key,
  counter,
  kind,
  unit,
  period,
  models: models === null ? null : [...models],
});
