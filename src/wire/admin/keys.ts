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
  .strictObject({ label: label.optional(), rpm_limit: rpmLimit.optional(), expires_at: expiresAt.optional() })
  .refine((changes) => Object.keys(changes).length > 0, "Name at least one of label, rpm_limit and expires_at");

export const rotationSchema = z.strictObject({
  overlap_ms: z.int().min(0).max(LONGEST_OVERLAP_MS).default(86_400_000),
});

export const pageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: z.uuid({ error: "Input should be the id of a key; begin again without it" }).optional(),
});
