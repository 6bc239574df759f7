import {
  endpointListSchema,
  noticeListSchema,
  type noticePageSchema,
  noticeRetriedSchema,
  noticeTestedSchema,
  watchedListSchema,
} from "../wire/admin/notices.ts";
import type { ReadAs } from "../wire/validate.ts";
import { type AskFor, queryOf } from "./ask-gateway.ts";

type Order = {
  percent?: readonly number[] | null | undefined;
  left?: readonly string[] | null | undefined;
  counter?: number | undefined;
};

/** What operators do with notices, through the admin listener. */
export const remoteNotices = ({ ask, askPatiently }: { ask: AskFor; askPatiently: AskFor }) => ({
  list: ({ limit, after, state, cause, account, key }: ReadAs<typeof noticePageSchema>) =>
    ask(noticeListSchema, "GET", `/notices?${queryOf({ limit, after, state, cause, account, key })}`),
  listEndpoints: async () => (await ask(endpointListSchema, "GET", "/notices/endpoints")).endpoints,
  test: async (endpoint: string | null) =>
    (await askPatiently(noticeTestedSchema, "POST", "/notices/test", { endpoint })).tested,
  retry: (notice: string | null) => ask(noticeRetriedSchema, "POST", "/notices/retry", { notice }),
  thresholds: async (name: string) =>
    (await ask(watchedListSchema, "GET", `/notices/thresholds?${queryOf({ name })}`)).counters,
  setThresholds: async (name: string, order: Order) =>
    (await ask(watchedListSchema, "POST", "/notices/thresholds", { name, ...order })).counters,
});
