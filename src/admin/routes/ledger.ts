import {
  journalPageSchema,
  journalSchema,
  journalView,
  verificationSchema,
  verificationView,
  verifySchema,
} from "../../wire/admin/books.ts";
import { ofKey } from "../../wire/admin/keys.ts";
import { usageQuery, usageReportSchema, usageReportView } from "../../wire/admin/usage.ts";
import { type AdminRoute, route } from "../route.ts";

export const ledgerRoutes: readonly AdminRoute[] = [
  route({
    id: "showJournal",
    tag: "ledger",
    method: "GET",
    path: "/admin/v1/keys/{key}/journal",
    summary: "List top-ups, budgets and charges of a key, newest first",
    params: ofKey,
    query: journalPageSchema,
    answers: { 200: journalSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { books } }, { params, query }) => ({
      status: 200,
      body: journalView(await books.journal(params.key, query)),
    }),
  }),
  route({
    id: "reportUsage",
    tag: "usage",
    method: "GET",
    path: "/admin/v1/keys/{key}/usage",
    summary: "Report the usage of a key by day and by model",
    params: ofKey,
    query: usageQuery,
    answers: { 200: usageReportSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { usage } }, { params, query }) => ({
      status: 200,
      body: usageReportView(await usage(params.key, query.days)),
    }),
  }),
  route({
    id: "verifyLedger",
    tag: "ledger",
    method: "POST",
    path: "/admin/v1/ledger/verify",
    summary: "Recompute every balance from the journal and report differences",
    description: "Reads every charge, so only one verification runs at a time; a second returns 409.",
    body: verifySchema,
    answers: { 200: verificationSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { books } }, { body: { key } }) => ({
      status: 200,
      body: verificationView(await books.verify(key, () => undefined)),
    }),
  }),
];
