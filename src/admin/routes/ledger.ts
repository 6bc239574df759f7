import {
  journalPageSchema,
  journalSchema,
  journalView,
  verificationSchema,
  verificationsSchema,
  verificationsView,
  verificationView,
  verifySchema,
} from "../../wire/admin/books.ts";
import { ofKey } from "../../wire/admin/keys.ts";
import {
  movedPurseSchema,
  movedPurseView,
  movePurseSchema,
  ofPurse,
  outstandingSchema,
  outstandingView,
} from "../../wire/admin/outstanding.ts";
import { ofMonth, statementSchema, statementView } from "../../wire/admin/statement.ts";
import { usageQuery, usageReportSchema, usageReportView } from "../../wire/admin/usage.ts";
import { type AdminRoute, route } from "../route.ts";

const ofAccount = ofMonth.pick({ account: true });

export const ledgerRoutes: readonly AdminRoute[] = [
  route({
    id: "showJournal",
    tag: "ledger",
    method: "GET",
    path: "/admin/v1/keys/{key}/journal",
    summary: "List top-ups, limits, charges and refunds of a key, newest first",
    params: ofKey,
    query: journalPageSchema,
    answers: { 200: journalSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { books } }, { params, query }) => ({
      status: 200,
      body: journalView(await books.journal({ kind: "key", name: params.key }, query)),
    }),
  }),
  route({
    id: "showAccountJournal",
    tag: "ledger",
    method: "GET",
    path: "/admin/v1/accounts/{account}/journal",
    summary: "List payments of an account and charges of all keys below it, newest first",
    params: ofAccount,
    query: journalPageSchema,
    answers: { 200: journalSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { books } }, { params, query }) => ({
      status: 200,
      body: journalView(await books.journal({ kind: "account", name: params.account }, query)),
    }),
  }),
  route({
    id: "reportAllUsage",
    tag: "usage",
    method: "GET",
    path: "/admin/v1/usage",
    summary: "Report the usage of all keys by day and by model, key, label or account",
    query: usageQuery,
    answers: { 200: usageReportSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { usage } }, { query, by }) => ({
      status: 200,
      body: usageReportView(await usage.report({ of: null, ...query }, by)),
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
      body: usageReportView(await usage.report({ of: { kind: "key", name: params.key }, ...query })),
    }),
  }),
  route({
    id: "reportAccountUsage",
    tag: "usage",
    method: "GET",
    path: "/admin/v1/accounts/{account}/usage",
    summary: "Report the usage of all keys below an account by day and by model, key, label or account",
    description: "A key counts for the accounts that it was below when it was used, also after a move.",
    params: ofAccount,
    query: usageQuery,
    answers: { 200: usageReportSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { usage } }, { params, query }) => ({
      status: 200,
      body: usageReportView(await usage.report({ of: { kind: "account", name: params.account }, ...query })),
    }),
  }),
  route({
    id: "showStatement",
    tag: "usage",
    method: "GET",
    path: "/admin/v1/accounts/{account}/statements/{month}",
    summary: "Show the statement of an account for a month",
    description: "With a purse: what it had, what was funded, charged and given back, and what it has.",
    params: ofMonth,
    answers: { 200: statementSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { usage } }, { params }) => ({
      status: 200,
      body: statementView(await usage.statement(params.account, params.month)),
    }),
  }),
  route({
    id: "showOutstanding",
    tag: "ledger",
    method: "GET",
    path: "/admin/v1/ledger/outstanding",
    summary: "Show how much prepaid credit is not spent yet, in all purses together",
    answers: { 200: outstandingSchema },
    handle: async ({ operator: { books } }, { by }) => ({
      status: 200,
      body: outstandingView(await books.showOutstanding(by)),
    }),
  }),
  route({
    id: "moveClosedPurse",
    tag: "ledger",
    method: "POST",
    path: "/admin/v1/ledger/closed-purses/{purse}/move",
    summary: "Move what a closed purse has to an open one",
    description:
      "A closed purse has something only if a charge was given back to it while no open purse paid for its key. Everything it has is moved.",
    params: ofPurse,
    body: movePurseSchema,
    answers: { 200: movedPurseSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { closedPurses } }, { params, body, by }) => ({
      status: 200,
      body: movedPurseView(await closedPurses.move(params.purse, body, by)),
    }),
  }),
  route({
    id: "verifyLedger",
    tag: "ledger",
    method: "POST",
    path: "/admin/v1/ledger/verify",
    summary: "Recompute every purse and limit from the journal and report differences",
    description: "Reads every charge, so only one verification runs at a time; a second returns 409.",
    body: verifySchema,
    answers: { 200: verificationSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { books } }, { body, by }) => ({
      status: 200,
      body: verificationView(await books.verify(body, () => undefined, by)),
    }),
  }),
  route({
    id: "listVerifications",
    tag: "ledger",
    method: "GET",
    path: "/admin/v1/ledger/verifications",
    summary: "List when the ledger was verified, by whom, and how many figures differed",
    answers: { 200: verificationsSchema },
    handle: async ({ operator: { books } }) => ({
      status: 200,
      body: verificationsView(await books.listVerifications()),
    }),
  }),
];
