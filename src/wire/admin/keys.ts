import { z } from "zod";
import { BUDGET_PERIODS } from "../../core/budget-period.ts";
import { KEY_MODES } from "../../core/key-mode.ts";
import { decimal, tokens } from "./funds.ts";
import { moment } from "../moment.ts";
import { storable } from "../storable.ts";

const label = storable(200).nullable();
const rpmLimit = z.int().min(1).max(1_000_000).nullable();
const expiresAt = moment.nullable();
const LONGEST_OVERLAP_MS = 366 * 86_400_000;

/** `key` in a path. */
export const ofKey = z.object({ key: z.string().describe("The id of a key, or its prefix.") });

/** What an operator may ask of a new key. */
export const keyRequestSchema = z.strictObject({
  mode: z.enum(KEY_MODES),
  label: label.default(null),
  provider_scope: storable(100).min(1).default("all"),
  models: z.array(storable(200).min(1)).max(1_000).nullable().default(null),
  rpm_limit: rpmLimit.default(null),
  expires_at: expiresAt.default(null),
  credit: decimal.nullable().default(null),
  budget: tokens.nullable().default(null),
  period: z.enum(BUDGET_PERIODS).nullable().default(null),
});

export const keyChangeSchema = z
  .strictObject({
    label: label.exactOptional(),
    rpm_limit: rpmLimit.exactOptional(),
    expires_at: expiresAt.exactOptional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, "Name at least one of label, rpm_limit and expires_at");

export const rotationSchema = z.strictObject({
  overlap_ms: z.int().min(0).max(LONGEST_OVERLAP_MS).default(86_400_000),
});

export const keyPageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: z.uuid({ error: "Input should be the id of a key; begin again without it" }).exactOptional(),
});

export const keySchema = z
  .object({
    id: z.uuid(),
    prefix: z.string().describe("The first twelve characters of its newest secret."),
    mode: z.enum(KEY_MODES),
    status: z.enum(["active", "suspended", "disabled", "revoked", "expired"]),
    label: z.string().nullable(),
    provider_scope: z.string().describe("`all`, or the one provider the key may use."),
    models: z.array(z.string()).nullable().describe("The models the key may use; null: all of its scope."),
    rpm_limit: z.int().nullable().describe("Requests per minute; null: unlimited."),
    expires_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Key" });

export const keyListSchema = z.object({ data: z.array(keySchema) });

const secretSchema = z
  .object({
    prefix: z.string(),
    status: z.enum(["active", "expired", "withdrawn"]),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "KeySecret" });

const secrets = z.array(secretSchema).describe("Newest first, fifty at most.");
const secret = z.string().describe("The secret. Save it now; it won't be shown again.");

export const keyAnswerSchema = z.object({ key: keySchema });
export const keyMadeSchema = z.object({ key: keySchema, secret });
export const keyShownSchema = z.object({ key: keySchema, secrets });
export const keyRotatedSchema = z.object({ key: keySchema, secret, secrets });
export const keyStatusSchema = z.object({
  key: keySchema,
  changed: z.boolean().describe("False: the key was in that state already."),
});
