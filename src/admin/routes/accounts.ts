import { ACCOUNT_CHANGES, type AccountChange } from "../../core/account-change.ts";
import {
  accountAnswerSchema,
  accountChangeSchema,
  accountFundedSchema,
  accountFundedView,
  accountListSchema,
  accountPageSchema,
  accountStatusSchema,
  accountTreeSchema,
  accountTreeView,
  accountView,
  limitRemovedSchema,
  limitSchema,
  limitSetSchema,
  newAccountSchema,
  ofAccount,
  whichLimitSchema,
} from "../../wire/admin/accounts.ts";
import { counterView } from "../../wire/admin/counter.ts";
import { topUpSchema } from "../../wire/admin/funds.ts";
import { pageView } from "../../wire/admin/page.ts";
import { type AdminRoute, route } from "../route.ts";

const STATUS_SUMMARIES: Record<AccountChange, string> = {
  suspend: "Suspend an account and all below it; clients get 401",
  resume: "Resume a suspended account",
  disable: "Disable an account and all below it; clients get 403 `key_disabled`",
  enable: "Enable a disabled account",
};

export const accountRoutes: readonly AdminRoute[] = [
  route({
    id: "createAccount",
    tag: "accounts",
    method: "POST",
    path: "/admin/v1/accounts",
    summary: "Create an account",
    description:
      "Accounts form trees, at most four deep: organisation, team, person, project. Siblings have different names.",
    body: newAccountSchema,
    answers: { 201: accountAnswerSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { accounts } }, { body, by }) => ({
      status: 201,
      body: { account: accountView(await accounts.create(body, by)) },
    }),
  }),
  route({
    id: "listAccounts",
    tag: "accounts",
    method: "GET",
    path: "/admin/v1/accounts",
    summary: "List accounts, each followed by those below it",
    query: accountPageSchema,
    answers: { 200: accountListSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { accounts } }, { query, by }) => ({
      status: 200,
      body: pageView(await accounts.list(query, by), accountView),
    }),
  }),
  route({
    id: "showAccount",
    tag: "accounts",
    method: "GET",
    path: "/admin/v1/accounts/{account}",
    summary: "Show an account with all accounts and keys below it",
    params: ofAccount,
    answers: { 200: accountTreeSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { accounts } }, { params }) => ({
      status: 200,
      body: accountTreeView(await accounts.show(params.account)),
    }),
  }),
  route({
    id: "updateAccount",
    tag: "accounts",
    method: "PATCH",
    path: "/admin/v1/accounts/{account}",
    summary: "Rename an account, or put it under another",
    description: "Both at once are one change. What was charged stays with the accounts it was charged to.",
    params: ofAccount,
    body: accountChangeSchema,
    answers: { 200: accountAnswerSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { accounts } }, { params, body, by }) => ({
      status: 200,
      body: { account: accountView(await accounts.update(params.account, body, by)) },
    }),
  }),
  route({
    id: "topUpAccount",
    tag: "accounts",
    method: "POST",
    path: "/admin/v1/accounts/{account}/topups",
    summary: "Add credit to the purse of an account",
    description:
      "The first top-up opens the purse. On the path from a key to the root there is one purse at most. Returns 201 when it is booked. A repeat with the same `reference` returns 200 and changes nothing.",
    params: ofAccount,
    body: topUpSchema,
    answers: { 201: accountFundedSchema, 200: accountFundedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { accounts } }, { params, body, by }) => {
      const funded = await accounts.topUp(params.account, body, by);
      return { status: funded.result === "funded" ? 201 : 200, body: accountFundedView(funded) };
    },
  }),
  route({
    id: "setAccountLimit",
    tag: "accounts",
    method: "POST",
    path: "/admin/v1/accounts/{account}/limits",
    summary: "Limit what an account and all below it may spend per period",
    description:
      "An account has one limit per unit, period and list of models. Setting it again changes its amount at once.",
    params: ofAccount,
    body: limitSchema,
    answers: { 200: limitSetSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { accounts } }, { params, body, by }) => {
      const { result, counter } = await accounts.setLimit(params.account, body, by);
      return { status: 200, body: { result, counter: counterView(counter) } };
    },
  }),
  route({
    id: "removeAccountLimit",
    tag: "accounts",
    method: "POST",
    path: "/admin/v1/accounts/{account}/limits/remove",
    summary: "Remove a limit of an account",
    params: ofAccount,
    body: whichLimitSchema,
    answers: { 200: limitRemovedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { accounts } }, { params, body, by }) => ({
      status: 200,
      body: await accounts.removeLimit(params.account, body, by),
    }),
  }),
  ...ACCOUNT_CHANGES.map((change) => statusRoute(change, STATUS_SUMMARIES[change])),
  route({
    id: "closeAccountPurse",
    tag: "accounts",
    method: "POST",
    path: "/admin/v1/accounts/{account}/purse/close",
    summary: "Close the empty purse of an account",
    params: ofAccount,
    answers: { 200: accountStatusSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { accounts } }, { params, by }) => {
      const { account, changed } = await accounts.closePurse(params.account, by);
      return { status: 200, body: { account: accountView(account), changed } };
    },
  }),
  route({
    id: "closeAccount",
    tag: "accounts",
    method: "POST",
    path: "/admin/v1/accounts/{account}/close",
    summary: "Close an account and all below it permanently",
    description: "Needs empty purses and no requests in progress.",
    params: ofAccount,
    answers: { 200: accountStatusSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { accounts } }, { params, by }) => {
      const { account, changed } = await accounts.close(params.account, by);
      return { status: 200, body: { account: accountView(account), changed } };
    },
  }),
];

function statusRoute(change: AccountChange, summary: string): AdminRoute {
  return route({
    id: `${change}Account`,
    tag: "accounts",
    method: "POST",
    path: `/admin/v1/accounts/{account}/${change}`,
    summary,
    params: ofAccount,
    answers: { 200: accountStatusSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { accounts } }, { params, by }) => {
      const { account, changed } = await accounts.changeStatus(params.account, change, by);
      return { status: 200, body: { account: accountView(account), changed } };
    },
  });
}
