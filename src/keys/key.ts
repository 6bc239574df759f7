import type { KeyMode } from "../core/key-mode.ts";

export const KEY_STATUSES = ["active", "suspended", "disabled", "revoked"] as const;

/** What an operator set. `expired` is not stored: it follows from the date, so moving the date revives the key. */
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** The billing entity: balance, limits and totals hang on it. It has one or more secrets. */
export type Key = {
  id: string;
  /** The ledger shard, 0 to 4,095; it also stands in the secret. */
  bucket: number;
  /** Grows with every change, so that a stale copy is recognised. */
  version: number;
  mode: KeyMode;
  /** The first twelve characters of the secret that was presented; not secret. */
  prefix: string;
  label: string | null;
  status: KeyStatus;
  /** `all`, or the one provider this key may use. */
  providerScope: string;
  /** Model ids this key may use; null means every model of its scope. */
  models: readonly string[] | null;
  rpmLimit: number | null;
  expiresAtMs: number | null;
  /** When the presented secret stops working; set while a rotation overlaps. */
  secretExpiresAtMs: number | null;
  createdAtMs: number;
};

export type NewKey = Pick<
  Key,
  "id" | "bucket" | "mode" | "prefix" | "label" | "providerScope" | "models" | "rpmLimit"
> & {
  expiresAtMs: number | null;
  secretDigest: Buffer;
};

/** Where keys are kept. */
export type KeyStore = {
  /** The key a secret belongs to, whatever its state; null when the secret is unknown or was withdrawn. */
  findByDigest: (digest: Buffer) => Promise<Key | null>;
  insert: (key: NewKey) => Promise<Key>;
  /** Newest first; `after` is the id of the last key already seen. */
  list: (page: { limit: number; after?: string }) => Promise<Key[]>;
  /** By id or by prefix. More than one can share a prefix only by a wild accident; then both are returned. */
  find: (idOrPrefix: string) => Promise<Key[]>;
  /** Final: a revoked key stays revoked. Returns null when there is no such key. */
  revoke: (id: string) => Promise<Key | null>;
};
