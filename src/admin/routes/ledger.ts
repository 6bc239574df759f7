import { ofKey } from "../../wire/admin/keys.ts";
import {
  journalPageSchema,
  journalSchema,
  usageReportSchema,
  usageSchema,
  verificationSchema,
  verifySchema,
} from "../../wire/admin/ledger.ts";
import { type AdminRoute, route } from "../route.ts";

export const ledgerRoutes: readonly AdminRoute[] = [
  route({
    id: "showJournal",
    tag: "books",
    method: "GET",
    path: "/admin/v1/keys/{key}/journal",
    summary: "List what was paid in and charged, newest first",
    params: ofKey,
    query: journalPageSchema,
    answers: { 200: journalSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ control }, { params, query: { limit, before } }) => ({
      status: 200,
      body: await control.showJournal(params.key, { limit, before: before ?? null }),
    }),
  }),
  route({
    id: "reportUsage",
    tag: "usage",
    method: "GET",
    path: "/admin/v1/keys/{key}/usage",
    summary: "Report what a key used, by day and by model",
    params: ofKey,
    query: usageSchema,
    answers: { 200: usageReportSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ control }, { params, query }) => ({
      status: 200,
      body: await control.reportUsage(params.key, query.days),
    }),
  }),
  route({
    id: "verifyLedger",
    tag: "books",
    method: "POST",
    path: "/admin/v1/ledger/verify",
    summary: "Recompute every balance from the journal and report differences",
    description: "It reads every charge there is, so one at a time is enough: a second is refused with 409.",
    body: verifySchema,
    answers: { 200: verificationSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ control }, { body: { key } }) => ({
      status: 200,
      body: await control.verifyLedger(key, () => undefined),
    }),
  }),
];
