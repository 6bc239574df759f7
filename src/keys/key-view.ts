import type { KeyMode } from "../core/key-mode.ts";
import type { KeyOrder } from "./issue-key.ts";
import type { Key } from "./key.ts";

/** A key as operators see it, on the admin API and in the terminal. Its secret is not among what we know. */
export type KeyView = {
  id: string;
  prefix: string;
  mode: KeyMode;
  status: Key["status"];
  label: string | null;
  provider_scope: string;
  models: readonly string[] | null;
  rpm_limit: number | null;
  expires_at: string | null;
  created_at: string;
};

/** What an operator asks of a new key. */
export type KeyRequest = Pick<KeyView, "mode" | "label" | "provider_scope" | "models" | "rpm_limit" | "expires_at">;

export function keyView(key: Key): KeyView {
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

export function keyOrder(request: KeyRequest): KeyOrder {
  return {
    mode: request.mode,
    label: request.label,
    providerScope: request.provider_scope,
    models: request.models,
    rpmLimit: request.rpm_limit,
    expiresAtMs: request.expires_at === null ? null : Date.parse(request.expires_at),
  };
}
