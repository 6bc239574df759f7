import { z } from "zod";
import { UNITS } from "../core/money/amount.ts";
import { BUDGET_PERIODS } from "../core/money/budget-period.ts";
import { KEY_MODES } from "../core/people/key-mode.ts";
import { STATUS_CHANGES, type StatusChange } from "../core/people/status-change.ts";
import type { ExistingSecret, ManageKeys } from "../operator/keys/keys.ts";
import { amountIn } from "../wire/admin/amount-in.ts";
import { amount, credits, measured, tokens } from "../wire/admin/amount.ts";
import { dateOf, instant } from "../wire/instant.ts";
import { accountName, ofKey } from "../wire/admin/keys.ts";
import { limitRemovedSchema, limitSchema, limitSetSchema, whichLimitSchema } from "../wire/admin/limit.ts";
import { pageSchema, searchQuery } from "../wire/admin/page.ts";
import { renamed, within } from "../wire/codec.ts";
import { regions } from "../wire/admin/regions.ts";
import { tiers } from "../wire/admin/tiers.ts";
import { moment } from "../wire/moment.ts";
import { storable } from "../wire/storable.ts";
import type { WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";

const MOST_KEY_MODELS = 1_000;
const LONGEST_OVERLAP_MS = 366 * 86_400_000;

const label = storable(200).nullable();
const rpmLimit = z.int().min(1).max(1_000_000).nullable();
const providerScope = storable(100).min(1);
/** An empty list is a key that may use no model. */
const models = z.array(storable(200).min(1)).max(MOST_KEY_MODELS);
const someModels = models.min(1);
const expiresAt = z
  .codec(moment, z.number(), { decode: (text) => Date.parse(text), encode: (ms) => dateOf(ms) })
  .nullable();

const NAMES = {
  accountId: "account_id",
  personId: "person_id",
  providerScope: "provider_scope",
  rpmLimit: "rpm_limit",
  expiresAtMs: "expires_at",
  createdAtMs: "created_at",
  accountTiers: "account_tiers",
  accountRegions: "account_regions",
} as const;

const newKeyJson = renamed(
  z
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
      tiers: tiers.default(null),
      regions: regions.default(null),
      rpm_limit: rpmLimit.default(null),
      expires_at: expiresAt.default(null),
      credit: credits.nullable().default(null),
      budget: tokens.nullable().default(null),
      period: z.enum(BUDGET_PERIODS).nullable().default(null),
      existing_secret: z
        .string()
        .max(256)
        .nullable()
        .default(null)
        .describe(
          "A secret of another product that the key keeps. Needs `keys.accept_foreign`. Only its digest is stored.",
        ),
      existing_digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/, "Input should be a SHA-256 in 64 lower-case hexadecimal digits")
        .nullable()
        .default(null)
        .describe("SHA-256 of such a secret in hexadecimal, as LiteLLM stores it. Its strength can't be checked."),
    })
    .refine(({ existing_secret, existing_digest }) => existing_secret === null || existing_digest === null, {
      path: ["existing_digest"],
      error: "Give either existing_secret or existing_digest",
    }),
  { ...NAMES, existingSecret: "existing_secret", existingDigest: "existing_digest" },
);
type NewKeyJson = z.output<typeof newKeyJson>;
type NewKeyOrder = Omit<NewKeyJson, "account" | "existingSecret" | "existingDigest"> & {
  account?: string | null;
  existing: ExistingSecret | null;
};

export const newKey = z.codec(newKeyJson, z.custom<NewKeyOrder>(), {
  decode: ({ existingSecret: secret, existingDigest: digest, ...order }) => ({
    ...order,
    existing: digest !== null ? { digest } : secret === null ? null : { secret },
  }),
  encode: ({ existing, account = null, ...order }) => ({
    ...order,
    account,
    existingSecret: existing !== null && "secret" in existing ? existing.secret : null,
    existingDigest: existing !== null && "digest" in existing ? existing.digest : null,
  }),
});

const keyChange = renamed(
  z
    .strictObject({
      label: label.exactOptional(),
      rpm_limit: rpmLimit.exactOptional(),
      expires_at: expiresAt.exactOptional(),
      provider_scope: providerScope.exactOptional(),
      models: models.nullable().exactOptional(),
      tiers: tiers.exactOptional(),
      regions: regions.exactOptional(),
      add_models: someModels.exactOptional(),
      remove_models: someModels.exactOptional(),
    })
    .refine((changes) => Object.keys(changes).length > 0, "Give at least one field to change")
    .refine(
      ({ models: all, add_models, remove_models }) => all === undefined || (add_models ?? remove_models) === undefined,
      { path: ["models"], error: "Give either models, or add_models and remove_models" },
    ),
  { ...NAMES, addModels: "add_models", removeModels: "remove_models" },
);

const rotation = renamed(z.strictObject({ overlap_ms: z.int().min(0).max(LONGEST_OVERLAP_MS).default(86_400_000) }), {
  overlapMs: "overlap_ms",
});

/** Where a key is put. */
const place = within(
  "account",
  accountName.describe("The account: its id, or the names from the root down, such as `Acme/Search`."),
  z.strictObject,
);

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
  tiers: z
    .array(z.string())
    .nullable()
    .describe("Service tiers the key may ask for beside the usual one; null: all that are sold."),
  account_tiers: z
    .array(z.string())
    .nullable()
    .describe("Service tiers that its account and those above it all allow; null: all that are sold."),
  regions: z.array(z.string()).nullable().describe("Regions that its requests may run in; null: anywhere."),
  account_regions: z
    .array(z.string())
    .nullable()
    .describe("Regions that its account and those above it all allow; null: anywhere."),
  rpm_limit: z.int().nullable().describe("Requests per minute; null: unlimited."),
  expires_at: instant.nullable(),
  created_at: instant,
};

export const key = renamed(z.object(KEY_FIELDS).meta({ id: "Key" }), NAMES);
export type KeyJson = WrittenAs<typeof key>;

const listedKeyJson = measured(
  renamed(
    z
      .object({
        ...KEY_FIELDS,
        account: z.string().nullable().describe("Its account, by the names from the root down; null: none."),
        unit: z.enum(UNITS).describe("What its mode counts in."),
        available: amount
          .nullable()
          .describe("What is left for new requests, in its unit; null: nothing counts it yet."),
        charged: amount
          .nullable()
          .describe(
            "Charged to the purse or limit that `available` is of, its own or one above it; null: there is none.",
          ),
        reserved: amount.nullable().describe("Reserved there by requests in progress; null: there is none."),
        spent: amountIn("credit").describe("Credits that its requests have cost."),
        tokens: z.codec(z.int().describe("Input and output tokens of its requests."), z.bigint(), {
          decode: BigInt,
          encode: Number,
        }),
      })
      .meta({ id: "ListedKey" }),
    NAMES,
  ),
  ["available", "charged", "reserved"],
);
type ListedKeyJson = z.output<typeof listedKeyJson>;
type MoneyField = "account" | "unit" | "available" | "charged" | "reserved" | "spent" | "tokens";

/** What it has and has spent stands beside its own fields. */
const listedKey = z.codec(
  listedKeyJson,
  z.custom<Omit<ListedKeyJson, MoneyField> & { money: Pick<ListedKeyJson, MoneyField> }>(),
  {
    decode: ({ account, unit, available, charged, reserved, spent, tokens: count, ...fields }) => ({
      ...fields,
      money: { account, unit, available, charged, reserved, spent, tokens: count },
    }),
    encode: ({ money, ...fields }) => ({ ...fields, ...money }),
  },
);

export const keyPage = pageSchema(listedKey);
export type KeyPageJson = WrittenAs<typeof keyPage>;

const secretDetails = renamed(
  z
    .object({
      prefix: z.string(),
      status: z.enum(["active", "expired", "withdrawn"]),
      created_at: instant,
      expires_at: instant.nullable(),
    })
    .meta({ id: "KeySecret" }),
  { createdAtMs: "created_at", expiresAtMs: "expires_at" },
);

const secrets = z.array(secretDetails).describe("The secrets, newest first, at most 50.");
const secret = z.string().describe("The secret. Save it now; it won't be shown again.");

const oneKey = within("key", key);
export const createdKey = z.object({
  key,
  secret: secret.nullable().describe("The secret. Save it now; it won't be shown again. Null if the key kept its own."),
});
export const keyWithSecrets = z.object({ key, secrets });
export type KeyWithSecretsJson = WrittenAs<typeof keyWithSecrets>;
export const rotatedKey = z.object({ key, secret, secrets });
export const keyStatus = z.object({
  key,
  changed: z.boolean().describe("False: the key was already in that state."),
});

const SUMMARIES: Record<StatusChange, string> = {
  suspend: "Suspend a key; its clients get 401",
  resume: "Resume a suspended key",
  disable: "Disable a key; its clients get 403 `key_disabled`",
  enable: "Enable a disabled key",
  revoke: "Revoke a key permanently",
};

/** In the audit log: the key that an operation names. */
export const keyNamed = (name: string) => ({ kind: "key", name }) as const;
const OF_ONE = { params: ofKey, refusals: ["invalid_request", "not_found", "conflict"] } as const;

/** What operators do with keys, below `/admin/v1`. */
export const KEYS: Operations<ManageKeys> = {
  create: {
    id: "createKey",
    method: "POST",
    path: "/keys",
    summary: "Create a key",
    description: "Only this response contains the secret. Save it; it cannot be shown again.",
    payload: newKey,
    answer: createdKey,
    status: 201,
    refusals: ["invalid_request", "not_found", "conflict"],
    audit: {
      action: "key.create",
      of: ({ account = null }) => ({ kind: "key", name: null, under: account }),
      asked: ({ mode, label: text, account, providerScope: scope, models: all, rpmLimit: rpm, ...order }) => ({
        mode,
        label: text,
        account,
        providerScope: scope,
        models: all,
        tiers: order.tiers,
        regions: order.regions,
        rpmLimit: rpm,
        expiresAtMs: order.expiresAtMs,
        credit: order.credit === null ? null : { unit: "credit", amount: order.credit },
        budget: order.budget,
        period: order.period,
        keepsExisting: order.existing !== null,
      }),
      made: ({ key: { id } }) => id,
    },
  },
  list: {
    id: "listKeys",
    method: "GET",
    path: "/keys",
    summary: "List keys, newest first",
    payload: searchQuery(
      100,
      "Only keys whose label, prefix or id contains this text, or whose account has it in its name.",
    ),
    answer: keyPage,
    refusals: ["invalid_request"],
    audit: "read",
  },
  show: {
    id: "showKey",
    method: "GET",
    path: "/keys/{key}",
    summary: "Show a key and the prefixes of its secrets",
    params: ofKey,
    answer: keyWithSecrets,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  update: {
    ...OF_ONE,
    id: "updateKey",
    method: "PATCH",
    path: "/keys/{key}",
    summary: "Change the label, rate limit, expiry, provider, models, tiers or regions of a key",
    payload: keyChange,
    answer: oneKey,
    audit: { action: "key.update", of: keyNamed, asked: (_name, changes) => changes },
  },
  rotate: {
    ...OF_ONE,
    id: "rotateKey",
    method: "POST",
    path: "/keys/{key}/rotate",
    summary: "Create a new secret for a key; the old ones keep working for `overlap_ms`",
    payload: rotation,
    answer: rotatedKey,
    status: 201,
    audit: { action: "key.rotate", of: keyNamed, asked: (_name, { overlapMs }) => ({ overlapMs }) },
  },
  move: {
    ...OF_ONE,
    id: "moveKey",
    method: "POST",
    path: "/keys/{key}/move",
    summary: "Move a key to another account of its tree",
    payload: place,
    answer: keyStatus,
    audit: { action: "key.move", of: keyNamed, asked: (_name, account) => ({ account }) },
  },
  adopt: {
    ...OF_ONE,
    id: "adoptKey",
    method: "POST",
    path: "/keys/{key}/adopt",
    summary: "Take a key that belongs to no account into one; it keeps its secrets",
    payload: place,
    answer: keyStatus,
    audit: { action: "key.adopt", of: keyNamed, asked: (_name, account) => ({ account }) },
  },
  setLimit: {
    ...OF_ONE,
    id: "setKeyLimit",
    method: "POST",
    path: "/keys/{key}/limits",
    summary: "Limit what a key may spend per period",
    description:
      "A key has one limit per unit, period and list of models. Setting it again changes its amount at once.",
    payload: limitSchema,
    answer: limitSetSchema,
    audit: { action: "key.set_limit", of: keyNamed, asked: (_name, order) => order },
  },
  removeLimit: {
    ...OF_ONE,
    id: "removeKeyLimit",
    method: "POST",
    path: "/keys/{key}/limits/remove",
    summary: "Remove a limit of a key",
    payload: whichLimitSchema,
    answer: limitRemovedSchema,
    audit: { action: "key.remove_limit", of: keyNamed, asked: (_name, which) => which },
  },
  changeStatus: {
    ...OF_ONE,
    method: "POST",
    path: "/keys/{key}/{change}",
    variants: Object.fromEntries(
      STATUS_CHANGES.map((change) => [change, { id: `${change}Key`, summary: SUMMARIES[change] }]),
    ),
    answer: keyStatus,
    audit: { action: "key.status", of: keyNamed, asked: (_name, change) => ({ change }) },
  },
};
