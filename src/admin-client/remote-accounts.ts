import type { PageRequest } from "../core/page.ts";
import type { accountChangeSchema, limitSchema, newAccountSchema, whichLimitSchema } from "../wire/admin/accounts.ts";
import {
  accountAnswerSchema,
  accountFundedSchema,
  accountListSchema,
  accountStatusSchema,
  accountTreeSchema,
  limitRemovedSchema,
  limitSetSchema,
  limitView,
} from "../wire/admin/accounts.ts";
import { type topUpSchema, topUpView } from "../wire/admin/funds.ts";
import type { ReadAs } from "../wire/validate.ts";
import { type AskFor, queryOf } from "./ask-gateway.ts";

const ofAccount = (account: string, rest = ""): string => `/accounts/${encodeURIComponent(account)}${rest}`;

type Limit = ReadAs<typeof limitSchema>;
type WhichLimit = ReadAs<typeof whichLimitSchema>;

/** Accounts, through the admin listener of a running gateway. */
export const remoteAccounts = (ask: AskFor) => ({
  create: async (order: ReadAs<typeof newAccountSchema>) =>
    (await ask(accountAnswerSchema, "POST", "/accounts", order)).account,
  list: ({ limit, after }: PageRequest) => ask(accountListSchema, "GET", `/accounts?${queryOf({ limit, after })}`),
  show: (account: string) => ask(accountTreeSchema, "GET", ofAccount(account)),
  update: async (account: string, change: ReadAs<typeof accountChangeSchema>) =>
    (await ask(accountAnswerSchema, "PATCH", ofAccount(account), change)).account,
  changeStatus: (account: string, change: string) => ask(accountStatusSchema, "POST", ofAccount(account, `/${change}`)),
  close: (account: string) => ask(accountStatusSchema, "POST", ofAccount(account, "/close")),
  topUp: (account: string, order: ReadAs<typeof topUpSchema>) =>
    ask(accountFundedSchema, "POST", ofAccount(account, "/topups"), topUpView(order)),
  closePurse: (account: string) => ask(accountStatusSchema, "POST", ofAccount(account, "/purse/close")),
  setLimit: (account: string, limit: Limit) =>
    ask(limitSetSchema, "POST", ofAccount(account, "/limits"), limitView(limit)),
  removeLimit: (account: string, which: WhichLimit) =>
    ask(limitRemovedSchema, "POST", ofAccount(account, "/limits/remove"), which),
});
