import {
  noticeListSchema,
  noticePageSchema,
  noticeRetriedSchema,
  noticeRetrySchema,
  noticeTestedSchema,
  noticeTestSchema,
  noticeView,
  testedView,
  thresholdNameSchema,
  thresholdOrderSchema,
  watchedListSchema,
  watchedView,
} from "../../wire/admin/notices.ts";
import { pageView } from "../../wire/admin/page.ts";
import { type AdminRoute, route } from "../route.ts";

export const noticeRoutes: readonly AdminRoute[] = [
  route({
    id: "listNotices",
    tag: "notices",
    method: "GET",
    path: "/admin/v1/notices",
    summary: "List notices of thresholds, newest first, with what became of each at its webhooks",
    query: noticePageSchema,
    answers: { 200: noticeListSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { notices } }, { query, by }) => ({
      status: 200,
      body: pageView(await notices.list(query, by), noticeView),
    }),
  }),
  route({
    id: "testNotices",
    tag: "notices",
    method: "POST",
    path: "/admin/v1/notices/test",
    summary: "Send a sample to every webhook, or to one, and say what came back",
    body: noticeTestSchema,
    answers: { 200: noticeTestedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { notices } }, { body }) => ({
      status: 200,
      body: { tested: (await notices.test(body.endpoint)).map(testedView) },
    }),
  }),
  route({
    id: "retryNotices",
    tag: "notices",
    method: "POST",
    path: "/admin/v1/notices/retry",
    summary: "Send notices again that a webhook did not accept within a day",
    body: noticeRetrySchema,
    answers: { 200: noticeRetriedSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { notices } }, { body, by }) => ({
      status: 200,
      body: await notices.retry(body.notice, by),
    }),
  }),
  route({
    id: "showThresholds",
    tag: "notices",
    method: "GET",
    path: "/admin/v1/notices/thresholds",
    summary: "Show the thresholds of an account's or a key's limits and purse",
    query: thresholdNameSchema,
    answers: { 200: watchedListSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { notices } }, { query }) => ({
      status: 200,
      body: { counters: (await notices.thresholds(query.name)).map(watchedView) },
    }),
  }),
  route({
    id: "setThresholds",
    tag: "notices",
    method: "POST",
    path: "/admin/v1/notices/thresholds",
    summary: "Set the thresholds of an account's or a key's limits and purse",
    body: thresholdOrderSchema,
    answers: { 200: watchedListSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { notices } }, { body: { name, ...order }, by }) => ({
      status: 200,
      body: { counters: (await notices.setThresholds(name, order, by)).map(watchedView) },
    }),
  }),
];
