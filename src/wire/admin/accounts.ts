import { z } from "zod";
import { formatCredits } from "../../core/money.ts";
import { KEY_MODES } from "../../core/key-mode.ts";
import { UNITS, unitOf } from "../../core/amount.ts";
import { BUDGET_PERIODS } from "../../core/budget-period.ts";
import { storable } from "../storable.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn, amountsOf, credits } from "./amount.ts";
import { counterSchema, counterView } from "./counter.ts";
import { dateOf, instant } from "./instant.ts";
import { accountName } from "./keys.ts";
import { pageQuery, pageSchema } from "./page.ts";

const MOST_PATTERNS = 100;
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

export const newAccountSchema = z.strictObject({
  name: name.describe("Name of the account, different from its siblings'."),
  parent: accountName
    .nullable()
    .default(null)
    .describe("The account above it: its id, or the names from the root down; null: it is the root of a tree."),
  kind: kind.default("account").describe("What it is: organisation, team, person, project, customer."),
});

export const accountChangeSchema = z
  .strictObject({
    name: name.exactOptional().describe("A new name."),
    parent: accountName.exactOptional().describe("The account to put it under, with all that is below it."),
  })
  .refine((changes) => Object.keys(changes).length > 0, "Give at least one field to change");

export const accountPageSchema = pageQuery(100);

export const limitSchema = z
  .strictObject({
    unit: z.enum(UNITS).default("credit"),
    amount: amount.describe("Amount per period, as an exact decimal."),
    period: z.enum(BUDGET_PERIODS).default("month").describe("How often it renews, in UTC; `none`: never."),
    models: z
      .array(storable(200).min(1))
      .min(1)
      .max(MOST_PATTERNS)
      .nullable()
      .default(null)
      .describe("Patterns of the models it counts, in which `*` stands for any characters; null: all models."),
  })
  .transform(({ amount: text, ...which }, context) => {
    const read = amountsIn(which.unit, context)(text);
    if (read < 0n) context.addIssue({ code: "custom", path: ["amount"], message: "Input should be 0 or more" });
    return { ...which, amount: read };
  });

export const limitView = ({ amount: value, ...which }: ReadAs<typeof limitSchema>): WrittenAs<typeof limitSchema> => ({
  ...which,
  amount: amountsOf(which.unit)(value),
});

/** Which limit is to be removed. */
export const whichLimitSchema = z.strictObject({
  unit: z.enum(UNITS).default("credit"),
  period: z.enum(BUDGET_PERIODS).default("month"),
  models: z.array(storable(200).min(1)).min(1).max(MOST_PATTERNS).nullable().default(null),
});

export const limitSetSchema = z.object({
  result: z.enum(["set", "already"]).describe("`already`: the limit had this amount; nothing changed."),
  counter: counterSchema,
});
export const limitRemovedSchema = z.object({
  result: z.enum(["removed", "already"]).describe("`already`: there was no such limit; nothing changed."),
});

const accountSchema = z
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
    keys: z
      .int()
      .describe("Number of keys that belong to the account itself, without revoked ones. Counted up to 1,000."),
    counters: z.array(counterSchema).describe("Its purse and its limits."),
  })
  .meta({ id: "Account" })
  .transform(({ parent_id, path, created_at, ...account }) => ({
    ...account,
    parentId: parent_id,
    title: path,
    createdAtMs: created_at,
  }));

export type AccountJson = WrittenAs<typeof accountSchema>;

export const accountView = (account: ReadAs<typeof accountSchema>): AccountJson => ({
  id: account.id,
  parent_id: account.parentId,
  path: account.title,
  name: account.name,
  kind: account.kind,
  status: account.status,
  state: account.state,
  created_at: dateOf(account.createdAtMs),
  keys: account.keys,
  counters: account.counters.map(counterView),
});

const accountKeySchema = z
  .object({
    id: z.uuid(),
    account_id: z.uuid().describe("Id of the account it belongs to."),
    prefix: z.string().nullable(),
    label: z.string().nullable(),
    mode: z.enum(KEY_MODES),
    status: z.string(),
    spent: credits.describe("Credits that its requests have cost."),
    today: amount.describe("Charged today (UTC), in the unit of its mode."),
    counters: z.array(counterSchema).describe("Its own purse and limits."),
  })
  .meta({ id: "AccountKey" })
  .transform(({ account_id, today, ...key }, context) => ({
    ...key,
    accountId: account_id,
    today: amountsIn(unitOf(key.mode), context)(today),
  }));

const accountKeyView = (key: ReadAs<typeof accountKeySchema>): WrittenAs<typeof accountKeySchema> => ({
  id: key.id,
  account_id: key.accountId,
  prefix: key.prefix,
  label: key.label,
  mode: key.mode,
  status: key.status,
  spent: formatCredits(key.spent),
  today: amountsOf(unitOf(key.mode))(key.today),
  counters: key.counters.map(counterView),
});

export const accountAnswerSchema = z.object({ account: accountSchema });
export const accountListSchema = pageSchema(accountSchema);
export const accountStatusSchema = z.object({
  account: accountSchema,
  changed: z.boolean().describe("False: it was already so."),
});

export const accountTreeSchema = z
  .object({
    account: accountSchema,
    below: z.array(accountSchema).describe("The accounts below it, each followed by its own; at most 1,000."),
    keys: z.array(accountKeySchema).describe("The keys of all these accounts; at most 1,000."),
    more: z.boolean().describe("True if there are more accounts or keys than are shown."),
  })
  .meta({ id: "AccountTree" });

export type AccountTreeJson = WrittenAs<typeof accountTreeSchema>;

export const accountTreeView = ({ account, below, keys, more }: ReadAs<typeof accountTreeSchema>): AccountTreeJson => ({
  account: accountView(account),
  below: below.map(accountView),
  keys: keys.map(accountKeyView),
  more,
});

export const accountFundedSchema = z
  .object({
    account: accountSchema,
    result: z.enum(["funded", "already"]).describe("`already`: this reference was already booked; nothing changed."),
    reference: z.string(),
    counter: counterSchema.describe("The purse after the operation."),
  })
  .meta({ id: "FundedAccount" });

export type AccountFundedJson = WrittenAs<typeof accountFundedSchema>;

export const accountFundedView = ({
  account,
  counter,
  ...funded
}: ReadAs<typeof accountFundedSchema>): AccountFundedJson => ({
  ...funded,
  account: accountView(account),
  counter: counterView(counter),
});
