import { z } from "zod";
import { UNITS } from "../../core/amount.ts";
import { BUDGET_PERIODS } from "../../core/budget-period.ts";
import { KEY_MODES } from "../../core/key-mode.ts";
import { formatCredits } from "../../core/money.ts";
import { moment } from "../moment.ts";
import { storable } from "../storable.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn, amountsOf, credits, tokens } from "./amount.ts";
import { dateOf, instant } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

const MOST_KEY_MODELS = 1_000;
const label = storable(200).nullable();
const rpmLimit = z.int().min(1).max(1_000_000).nullable();
const providerScope = storable(100).min(1);
/** An empty list is a key that may use no model. */
const models = z.array(storable(200).min(1)).max(MOST_KEY_MODELS);
const someModels = models.min(1);
const expiresAt = moment.transform((text) => Date.parse(text)).nullable();
const LONGEST_OVERLAP_MS = 366 * 86_400_000;

const existingSecret = z
  .string()
  .max(256)
  .nullable()
  .default(null)
  .describe("A secret of another product that the key keeps. Needs `keys.accept_foreign`. Only its digest is stored.");
const existingDigest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, "Input should be a SHA-256 in 64 lower-case hexadecimal digits")
  .nullable()
  .default(null)
  .describe("SHA-256 of such a secret in hexadecimal, as LiteLLM stores it. Its strength can't be checked.");

/** `key` in a path. */
export const ofKey = z.object({ key: z.string().describe("Id or prefix of the key.") });

/** How an account is named: by its id, or by the names from the root down. */
export const accountName = storable(900).min(1);

/** Where a key is moved. */
export const keyPlaceSchema = z.strictObject({
  account: accountName.describe("The account: its id, or the names from the root down, such as `Acme/Search`."),
});

/** What an operator may ask of a new key. */
export const keyRequestSchema = z
  .strictObject({
    mode: z.enum(KEY_MODES),
    account: accountName
      .nullable()
      .default(null)
      .describe(
        "The account the key belongs to: its id, or the names from the root down, such as `Acme/Search`; null: none.",
      ),
    label: label.default(null),
    provider_scope: providerScope.default("all"),
    models: models.nullable().default(null),
    rpm_limit: rpmLimit.default(null),
    expires_at: expiresAt.default(null),
    credit: credits.nullable().default(null),
    budget: tokens.nullable().default(null),
    period: z.enum(BUDGET_PERIODS).nullable().default(null),
    existing_secret: existingSecret,
    existing_digest: existingDigest,
  })
  .refine(({ existing_secret, existing_digest }) => existing_secret === null || existing_digest === null, {
    path: ["existing_digest"],
    error: "Give either existing_secret or existing_digest",
  })
  .transform(({ provider_scope, rpm_limit, expires_at, existing_secret, existing_digest, ...order }) => ({
    ...order,
    providerScope: provider_scope,
    rpmLimit: rpm_limit,
    expiresAtMs: expires_at,
    existing: existingOf(existing_secret, existing_digest),
  }));

function existingOf(secret: string | null, digest: string | null): { secret: string } | { digest: string } | null {
  if (digest !== null) return { digest };
  return secret === null ? null : { secret };
}

type KeyRequest = ReadAs<typeof keyRequestSchema>;

/** Whether or not it says whose the key is to be. */
export type KeyRequestOrder = Omit<KeyRequest, "account"> & Partial<Pick<KeyRequest, "account">>;

export const keyRequestView = (order: KeyRequestOrder): WrittenAs<typeof keyRequestSchema> => ({
  mode: order.mode,
  account: order.account ?? null,
  label: order.label,
  provider_scope: order.providerScope,
  models: order.models,
  rpm_limit: order.rpmLimit,
  expires_at: dateOf(order.expiresAtMs),
  credit: order.credit === null ? null : formatCredits(order.credit),
  budget: order.budget === null ? null : Number(order.budget),
  period: order.period,
  existing_secret: order.existing !== null && "secret" in order.existing ? order.existing.secret : null,
  existing_digest: order.existing !== null && "digest" in order.existing ? order.existing.digest : null,
});

export const keyChangeSchema = z
  .strictObject({
    label: label.exactOptional(),
    rpm_limit: rpmLimit.exactOptional(),
    expires_at: expiresAt.exactOptional(),
    provider_scope: providerScope.exactOptional(),
    models: models.nullable().exactOptional(),
    add_models: someModels.exactOptional(),
    remove_models: someModels.exactOptional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, "Give at least one field to change")
  .refine(
    ({ models: all, add_models, remove_models }) => all === undefined || (add_models ?? remove_models) === undefined,
    {
      path: ["models"],
      error: "Give either models, or add_models and remove_models",
    },
  )
  .transform(({ label, rpm_limit, expires_at, provider_scope, models: all, add_models, remove_models }) => ({
    ...(label === undefined ? {} : { label }),
    ...(rpm_limit === undefined ? {} : { rpmLimit: rpm_limit }),
    ...(expires_at === undefined ? {} : { expiresAtMs: expires_at }),
    ...(provider_scope === undefined ? {} : { providerScope: provider_scope }),
    ...(all === undefined ? {} : { models: all }),
    ...(add_models === undefined ? {} : { addModels: add_models }),
    ...(remove_models === undefined ? {} : { removeModels: remove_models }),
  }));

export const keyChangeView = ({
  label,
  rpmLimit,
  expiresAtMs,
  providerScope: scope,
  models: all,
  addModels,
  removeModels,
}: ReadAs<typeof keyChangeSchema>): WrittenAs<typeof keyChangeSchema> => ({
  ...(label === undefined ? {} : { label }),
  ...(rpmLimit === undefined ? {} : { rpm_limit: rpmLimit }),
  ...(expiresAtMs === undefined ? {} : { expires_at: dateOf(expiresAtMs) }),
  ...(scope === undefined ? {} : { provider_scope: scope }),
  ...(all === undefined ? {} : { models: all }),
  ...(addModels === undefined ? {} : { add_models: addModels }),
  ...(removeModels === undefined ? {} : { remove_models: removeModels }),
});

export const rotationSchema = z
  .strictObject({ overlap_ms: z.int().min(0).max(LONGEST_OVERLAP_MS).default(86_400_000) })
  .transform(({ overlap_ms: overlapMs }) => ({ overlapMs }));

export const keyPageSchema = pageQuery(100);

const KEY_FIELDS = {
  id: z.uuid(),
  prefix: z
    .string()
    .describe("First 12 characters of the newest secret; `ext_` and 8 digits of its SHA-256 if it was kept."),
  account_id: z.uuid().nullable().describe("Id of the account it belongs to; null: none."),
  person_id: z
    .uuid()
    .nullable()
    .describe("Id of the person whose client session it is; null: it is a key. The list has keys alone."),
  mode: z.enum(KEY_MODES),
  status: z.enum(["active", "suspended", "disabled", "revoked", "expired"]),
  label: z.string().nullable(),
  provider_scope: z.string().describe("`all`, or the only provider whose models the key may use."),
  models: z.array(z.string()).nullable().describe("Models the key may use; null: all models in its scope."),
  rpm_limit: z.int().nullable().describe("Requests per minute; null: unlimited."),
  expires_at: instant.nullable(),
  created_at: instant,
};
const keyFields = z.object(KEY_FIELDS);

const readKey = ({
  account_id,
  person_id,
  provider_scope,
  rpm_limit,
  expires_at,
  created_at,
  ...key
}: z.output<typeof keyFields>) => ({
  ...key,
  accountId: account_id,
  personId: person_id,
  providerScope: provider_scope,
  rpmLimit: rpm_limit,
  expiresAtMs: expires_at,
  createdAtMs: created_at,
});

const keySchema = z.object(KEY_FIELDS).meta({ id: "Key" }).transform(readKey);

/** A key in a list. */
const listedKeySchema = z
  .object({
    ...KEY_FIELDS,
    account: z.string().nullable().describe("Its account, by the names from the root down; null: none."),
    unit: z.enum(UNITS).describe("What its mode counts in."),
    available: amount.nullable().describe("What is left for new requests, in its unit; null: nothing counts it yet."),
    charged: amount
      .nullable()
      .describe("Charged to the purse or limit that `available` is of, its own or one above it; null: there is none."),
    reserved: amount.nullable().describe("Reserved there by requests in progress; null: there is none."),
    spent: credits.describe("Credits that its requests have cost."),
    tokens: z.int().describe("Input and output tokens of its requests."),
  })
  .meta({ id: "ListedKey" })
  .transform(({ account, unit, available, charged, reserved, spent, tokens: count, ...key }, context) => {
    const orNull = (text: string | null): bigint | null => (text === null ? null : amountsIn(unit, context)(text));
    return {
      ...readKey(key),
      money: {
        account,
        unit,
        available: orNull(available),
        charged: orNull(charged),
        reserved: orNull(reserved),
        spent,
        tokens: BigInt(count),
      },
    };
  });

export type KeyJson = WrittenAs<typeof keySchema>;

export const keyView = (key: ReadAs<typeof keySchema>): KeyJson => ({
  id: key.id,
  prefix: key.prefix,
  account_id: key.accountId,
  person_id: key.personId,
  mode: key.mode,
  status: key.status,
  label: key.label,
  provider_scope: key.providerScope,
  models: key.models,
  rpm_limit: key.rpmLimit,
  expires_at: dateOf(key.expiresAtMs),
  created_at: dateOf(key.createdAtMs),
});

export type ListedKeyJson = WrittenAs<typeof listedKeySchema>;

export const listedKeyView = ({ money, ...key }: ReadAs<typeof listedKeySchema>): ListedKeyJson => {
  const orNull = (value: bigint | null): string | null => (value === null ? null : amountsOf(money.unit)(value));
  return {
    ...keyView(key),
    account: money.account,
    unit: money.unit,
    available: orNull(money.available),
    charged: orNull(money.charged),
    reserved: orNull(money.reserved),
    spent: formatCredits(money.spent),
    tokens: Number(money.tokens),
  };
};

export const keyListSchema = pageSchema(listedKeySchema);

export type KeyListJson = WrittenAs<typeof keyListSchema>;

const secretSchema = z
  .object({
    prefix: z.string(),
    status: z.enum(["active", "expired", "withdrawn"]),
    created_at: instant,
    expires_at: instant.nullable(),
  })
  .meta({ id: "KeySecret" })
  .transform(({ prefix, status, created_at, expires_at }) => ({
    prefix,
    status,
    createdAtMs: created_at,
    expiresAtMs: expires_at,
  }));

const secretView = (secret: ReadAs<typeof secretSchema>): WrittenAs<typeof secretSchema> => ({
  prefix: secret.prefix,
  status: secret.status,
  created_at: dateOf(secret.createdAtMs),
  expires_at: dateOf(secret.expiresAtMs),
});

const secrets = z.array(secretSchema).describe("The secrets, newest first, at most 50.");
const secret = z.string().describe("The secret. Save it now; it won't be shown again.");

export const keyAnswerSchema = z.object({ key: keySchema });
export const keyMadeSchema = z.object({
  key: keySchema,
  secret: secret.nullable().describe("The secret. Save it now; it won't be shown again. Null if the key kept its own."),
});
export const keyShownSchema = z.object({ key: keySchema, secrets });
export const keyRotatedSchema = z.object({ key: keySchema, secret, secrets });
export const keyStatusSchema = z.object({
  key: keySchema,
  changed: z.boolean().describe("False: the key was already in that state."),
});

export type KeyShownJson = WrittenAs<typeof keyShownSchema>;

export const keyShownView = ({ key, secrets: listed }: ReadAs<typeof keyShownSchema>): KeyShownJson => ({
  key: keyView(key),
  secrets: listed.map(secretView),
});
