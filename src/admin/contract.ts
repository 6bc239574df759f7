import { z } from "zod";
import { KEY_MODES } from "../core/key-mode.ts";
import type { Key } from "../keys/key.ts";
import type { KeyOrder } from "../keys/issue-key.ts";

/** What an operator may ask of a new key. */
export const keyOrderSchema = z.strictObject({
  mode: z.enum(KEY_MODES),
  label: z.string().max(200).nullable().default(null),
  provider_scope: z.string().min(1).max(100).default("all"),
  models: z.array(z.string().min(1)).max(1_000).nullable().default(null),
  rpm_limit: z.int().min(1).max(1_000_000).nullable().default(null),
  expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
});

export function toKeyOrder(body: z.output<typeof keyOrderSchema>): KeyOrder {
  return {
    mode: body.mode,
    label: body.label,
    providerScope: body.provider_scope,
    models: body.models,
    rpmLimit: body.rpm_limit,
    expiresAtMs: body.expires_at === null ? null : Date.parse(body.expires_at),
  };
}

/** A key as operators see it. Its secret is not among what we know. */
export function keyView(key: Key): Record<string, unknown> {
  return {
    id: key.id,
    prefix: key.prefix,
    mode: key.mode,
    status: key.status,
    label: key.label,
    provider_scope: key.providerScope,
    models: key.models,
    rpm_limit: key.rpmLimit,
    expires_at: key.expiresAtMs === null ? null : new Date(key.expiresAtMs).toISOString(),
    created_at: new Date(key.createdAtMs).toISOString(),
  };
}
