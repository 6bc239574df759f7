import { BOOKS } from "../../contract/books.ts";
import { CLOSED_PURSES } from "../../contract/closed-purses.ts";
import { ofKey } from "../../wire/admin/keys.ts";
import { ofMonth, statementSchema, statementView } from "../../wire/admin/statement.ts";
import { usageQuery, usageReportSchema, usageReportView } from "../../wire/admin/usage.ts";
import { type AdminRoute, route } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";

const ofAccount = ofMonth.pick({ account: true });

const USAGE: readonly AdminRoute[] = [
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
];

const CLOSED = serveOperations({ tag: "ledger", operations: CLOSED_PURSES, of: ({ closedPurses }) => closedPurses });

/** The journals, usage, what is outstanding and what closed purses have, verifications. */
export const ledgerRoutes: readonly AdminRoute[] = serveOperations({
  tag: "ledger",
  operations: BOOKS,
  of: ({ books }) => books,
})
  .toSpliced(3, 0, ...CLOSED)
  .toSpliced(2, 0, ...USAGE);
