import { z } from "zod";
import { ACCOUNT_CHANGES, type AccountChange } from "../core/people/account-change.ts";
import { unitOf } from "../core/money/amount.ts";
import { KEY_MODES } from "../core/people/key-mode.ts";
import type { ManageAccounts } from "../operator/accounts.ts";
import { amountIn } from "../wire/admin/amount-in.ts";
import { amount, amountsOf, readAmount } from "../wire/admin/amount.ts";
import { counterSchema } from "../wire/admin/counter.ts";
import { instant } from "../wire/instant.ts";
import { accountName } from "../wire/admin/keys.ts";
import { limitRemovedSchema, limitSchema, limitSetSchema, whichLimitSchema } from "../wire/admin/limit.ts";
import { pageSchema, searchQuery } from "../wire/admin/page.ts";
import { regions } from "../wire/admin/regions.ts";
import { tiers } from "../wire/admin/tiers.ts";
import { renamed, within } from "../wire/codec.ts";
import { storable } from "../wire/storable.ts";
import type { WrittenAs } from "../wire/validate.ts";
import { topUp } from "./funds.ts";
import type { Operations } from "./operation.ts";

const STATUSES = ["active", "suspended", "disabled", "closed"] as const;

/** A slash stands between the names of a path, and what looks like an id is one. */
const name = storable(100)
  .min(1)
  .regex(
    /^(?![0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$)[^\s/](?:[^/]*[^\s/])?$/,
    "Input should be a name without a slash and without spaces around it",
  );
const kind = z
  .string()
  .regex(/^[a-z][a-z_]{0,31}$/, "Input should be a word in lower case, such as organisation, team, person or project");

/** `account` in a path. */
export const ofAccount = z.object({
  account: z.string().max(2_000).describe("Id of the account, or the names from the root down: `Acme/Search`."),
});

const newAccount = z.strictObject({
  name: name.describe("Name of the account, different from its siblings'."),
  parent: accountName
    .nullable()
    .default(null)
    .describe("The account above it: its id, or the names from the root down; null: it is the root of a tree."),
  kind: kind.default("account").describe("What it is: organisation, team, person, project, customer."),
});

const accountChange = z
  .strictObject({
    name: name.exactOptional().describe("A new name."),
    parent: accountName.exactOptional().describe("The account to put it under, with all that is below it."),
  })
  .refine((changes) => Object.keys(changes).length > 0, "Give at least one field to change");

export const account = renamed(
  z
    .object({
      id: z.uuid(),
      parent_id: z.uuid().nullable().describe("Id of the account above it; null: it is the root of a tree."),
      path: z.string().describe("The names from the root down, with slashes between them."),
      name: z.string(),
      kind: z.string(),
      status: z.enum(STATUSES).describe("What an operator set for this account."),
      state: z
        .enum(STATUSES)
        .describe("The worst status of the account and those above it, which is what keys are answered."),
      created_at: instant,
      tiers: z
        .array(z.string())
        .nullable()
        .describe("Service tiers its keys and those below may ask for beside the usual one; null: all that are sold."),
      regions: z
        .array(z.string())
        .nullable()
        .describe("Regions that requests of its keys and those below may run in; null: anywhere."),
      keys: z
        .int()
        .describe("Number of keys that belong to the account itself, without revoked ones. Counted up to 1,000."),
      counters: z.array(counterSchema).describe("Its purse and its limits."),
    })
    .meta({ id: "Account" }),
  { parentId: "parent_id", title: "path", createdAtMs: "created_at" },
);

export type AccountJson = WrittenAs<typeof account>;

const accountKeyJson = z
  .object({
    id: z.uuid(),
    account_id: z.uuid().describe("Id of the account it belongs to."),
    prefix: z.string().nullable(),
    label: z.string().nullable(),
    mode: z.enum(KEY_MODES),
    status: z.string(),
    spent: amountIn("credit").describe("Credits that its requests have cost."),
    today: amount.describe("Charged today (UTC), in the unit of its mode."),
    counters: z.array(counterSchema).describe("Its own purse and limits."),
  })
  .meta({ id: "AccountKey" });
type AccountKeyRow = z.output<typeof accountKeyJson>;

const accountKey = z.codec(
  accountKeyJson,
  z.custom<Omit<AccountKeyRow, "account_id" | "today"> & { accountId: string; today: bigint }>(),
  {
    decode: ({ account_id: accountId, today, ...key }, payload) => ({
      ...key,
      accountId,
      today: readAmount(unitOf(key.mode), today, payload),
    }),
    encode: ({ accountId, today, ...key }) => ({
      ...key,
      account_id: accountId,
      today: amountsOf(unitOf(key.mode))(today),
    }),
  },
);

export const accountPage = pageSchema(account);

export const accountTree = z
  .object({
    account,
    below: z.array(account).describe("The accounts below it, each followed by its own; at most 1,000."),
    keys: z.array(accountKey).describe("The keys of all these accounts; at most 1,000."),
    more: z.boolean().describe("True if there are more accounts or keys than are shown."),
  })
  .meta({ id: "AccountTree" });

export type AccountTreeJson = WrittenAs<typeof accountTree>;

export const accountFunded = z
  .object({
    account,
    result: z.enum(["funded", "already"]).describe("`already`: this reference was already booked; nothing changed."),
    reference: z.string(),
    counter: counterSchema.describe("The purse after the operation."),
  })
  .meta({ id: "FundedAccount" });

export type AccountFundedJson = WrittenAs<typeof accountFunded>;

const oneAccount = within("account", account);
export const accountStatus = z.object({ account, changed: z.boolean().describe("False: it was already so.") });

const SUMMARIES: Record<AccountChange, string> = {
  suspend: "Suspend an account and all below it; clients get 401",
  resume: "Resume a suspended account",
  disable: "Disable an account and all below it; clients get 403 `key_disabled`",
  enable: "Enable a disabled account",
};

const named = (accountNamed: string) => ({ kind: "account", name: accountNamed }) as const;
const OF_ONE = { params: ofAccount, refusals: ["invalid_request", "not_found", "conflict"] } as const;

/** What operators do with accounts, below `/admin/v1`. */
export const ACCOUNTS: Operations<ManageAccounts> = {
  create: {
    id: "createAccount",
    method: "POST",
    path: "/accounts",
    summary: "Create an account",
    description:
      "Accounts form trees, at most four deep: organisation, team, person, project. Siblings have different names.",
    payload: newAccount,
    answer: oneAccount,
    status: 201,
    refusals: ["invalid_request", "not_found", "conflict"],
    audit: {
      action: "account.create",
      of: ({ parent }) => ({ kind: "account", name: null, under: parent }),
      asked: ({ name: wanted, parent, kind: word }) => ({ name: wanted, parent, kind: word }),
      made: ({ id }) => id,
    },
  },
  list: {
    id: "listAccounts",
    method: "GET",
    path: "/accounts",
    summary: "List accounts, each followed by those below it",
    payload: searchQuery(100, "Only accounts that have this text in their name."),
    answer: accountPage,
    refusals: ["invalid_request"],
    audit: "read",
  },
  show: {
    id: "showAccount",
    method: "GET",
    path: "/accounts/{account}",
    summary: "Show an account with all accounts and keys below it",
    params: ofAccount,
    answer: accountTree,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  update: {
    ...OF_ONE,
    id: "updateAccount",
    method: "PATCH",
    path: "/accounts/{account}",
    summary: "Rename an account, or put it under another",
    description: "Both at once are one change. What was charged stays with the accounts it was charged to.",
    payload: accountChange,
    answer: oneAccount,
    audit: { action: "account.update", of: named, asked: (_name, change) => change },
  },
  topUp: {
    ...OF_ONE,
    id: "topUpAccount",
    method: "POST",
    path: "/accounts/{account}/topups",
    summary: "Add credit to the purse of an account",
    description:
      "The first top-up opens the purse. On the path from a key to the root there is one purse at most. Returns 201 when it is booked. A repeat with the same `reference` returns 200 and changes nothing.",
    payload: topUp,
    answer: accountFunded,
    status: { of: ({ result }) => (result === "funded" ? 201 : 200) },
    audit: { action: "account.top_up", of: named, asked: (_name, order) => ({ unit: "credit", ...order }) },
  },
  setLimit: {
    ...OF_ONE,
    id: "setAccountLimit",
    method: "POST",
    path: "/accounts/{account}/limits",
    summary: "Limit what an account and all below it may spend per period",
    description:
      "An account has one limit per unit, period and list of models. Setting it again changes its amount at once.",
    payload: limitSchema,
    answer: limitSetSchema,
    audit: { action: "account.set_limit", of: named, asked: (_name, order) => order },
  },
  removeLimit: {
    ...OF_ONE,
    id: "removeAccountLimit",
    method: "POST",
    path: "/accounts/{account}/limits/remove",
    summary: "Remove a limit of an account",
    payload: whichLimitSchema,
    answer: limitRemovedSchema,
    audit: { action: "account.remove_limit", of: named, asked: (_name, which) => which },
  },
  setTiers: {
    ...OF_ONE,
    id: "setAccountTiers",
    method: "POST",
    path: "/accounts/{account}/tiers",
    summary: "Limit the service tiers that the keys of an account, and all below it, may ask for",
    description:
      "A key may ask for a tier that its own list and those of all accounts above it have. Tiers that a provider chooses by itself are not affected.",
    payload: within("tiers", tiers, z.strictObject),
    answer: accountStatus,
    audit: { action: "account.set_tiers", of: named, asked: (_name, allowed) => ({ tiers: allowed }) },
  },
  setRegions: {
    ...OF_ONE,
    id: "setAccountRegions",
    method: "POST",
    path: "/accounts/{account}/regions",
    summary: "Limit the regions that requests of the keys of an account, and all below it, may run in",
    description:
      "A request runs on routes whose region is in the list of its key and in those of all accounts above it. Routes without a region are left out where there is a list.",
    payload: within("regions", regions, z.strictObject),
    answer: accountStatus,
    audit: { action: "account.set_regions", of: named, asked: (_name, allowed) => ({ regions: allowed }) },
  },
  changeStatus: {
    ...OF_ONE,
    method: "POST",
    path: "/accounts/{account}/{change}",
    variants: Object.fromEntries(
      ACCOUNT_CHANGES.map((change) => [change, { id: `${change}Account`, summary: SUMMARIES[change] }]),
    ),
    answer: accountStatus,
    audit: { action: "account.status", of: named, asked: (_name, change) => ({ change }) },
  },
  closePurse: {
    ...OF_ONE,
    id: "closeAccountPurse",
    method: "POST",
    path: "/accounts/{account}/purse/close",
    summary: "Close the empty purse of an account",
    answer: accountStatus,
    audit: { action: "account.close_purse", of: named },
  },
  close: {
    ...OF_ONE,
    id: "closeAccount",
    method: "POST",
    path: "/accounts/{account}/close",
    summary: "Close an account and all below it permanently",
    description: "Needs empty purses and no requests in progress.",
    answer: accountStatus,
    audit: { action: "account.close", of: named },
  },
};
