import { z } from "zod";
import { KEY_MODES } from "../core/key-mode.ts";

/** What an operator may ask of a new key. */
export const keyRequestSchema = z.strictObject({
  mode: z.enum(KEY_MODES),
  label: z.string().max(200).nullable().default(null),
  provider_scope: z.string().min(1).max(100).default("all"),
  models: z.array(z.string().min(1)).max(1_000).nullable().default(null),
  rpm_limit: z.int().min(1).max(1_000_000).nullable().default(null),
  expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
});

export const pageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: z.uuid().optional(),
});
