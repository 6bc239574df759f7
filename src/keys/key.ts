import type { KeyChain } from "../core/money/counter.ts";
import type { KeyMode } from "../core/people/key-mode.ts";
import type { Payer } from "../core/money/payer.ts";

export const KEY_STATUSES = ["active", "suspended", "disabled", "revoked"] as const;

/** What an operator set. `expired` is not stored: it follows from the date, so moving the date revives the key. */
export type KeyStatus = (typeof KEY_STATUSES)[number];

/** What the accounts above a key let it be: the worst of them. One that is closed answers as disabled. */
export type AccountsStatus = Exclude<KeyStatus, "revoked">;

/** The billing entity: balance, limits and totals hang on it. It has one or more secrets. */
export type Key = {
  id: string;
  /** The ledger shard, 0 to 4,095; it also stands in secrets that we made. */
  bucket: number;
  /** Grows with every change, so that a stale copy is recognised. */
  version: number;
  mode: KeyMode;
  /** The first twelve characters of the secret that was presented, or `ext_` and a part of its digest; not secret. */
  prefix: string;
  label: string | null;
  status: KeyStatus;
  /** `all`, or the one provider this key may use. */
  providerScope: string;
  /** Model ids this key may use; null means every model of its scope. */
  models: readonly string[] | null;
  /** Tiers this key may ask for beside the usual one; null means all that are sold. */
  tiers: readonly string[] | null;
  /** Regions of routes that its requests may run in; null: anywhere. */
  regions: readonly string[] | null;
  rpmLimit: number | null;
  expiresAtMs: number | null;
  /** When the presented secret stops working; set while a rotation overlaps. */
  secretExpiresAtMs: number | null;
  createdAtMs: number;
  /** Who signed in, of a client session: it has access tokens instead of a secret of its own. Null: it is no session. */
  personId: string | null;
  /** Who answers for its requests. */
  payer: Payer;
  /** Whose it is; its own id while it is its own. */
  accountId: string;
  /** The accounts that it stands under, from the root down to its own. */
  accounts: readonly string[];
  accountStatus: AccountsStatus;
  /** Tiers that all of these accounts allow; null: all that are sold. */
  accountTiers: readonly string[] | null;
  /** Regions that all of these accounts allow; null: anywhere. */
  accountRegions: readonly string[] | null;
  chain: KeyChain;
};

/** The tiers that a key and all accounts above it allow; null: all that are sold. */
export const allowedTiers = ({ tiers, accountTiers }: Pick<Key, "tiers" | "accountTiers">): readonly string[] | null =>
  tiers === null ? accountTiers : tiers.filter((tier) => accountTiers?.includes(tier) ?? true);

export type NewKey = Pick<
  Key,
  "id" | "bucket" | "mode" | "prefix" | "label" | "providerScope" | "models" | "tiers" | "regions" | "rpmLimit"
> & {
  expiresAtMs: number | null;
  secretDigest: Buffer;
  /** Whose it is to be; null: its own. */
  accountId?: string | null;
};

/** One of the secrets of a key, as far as we know it. */
export type KeySecret = {
  prefix: string;
  createdAtMs: number;
  expiresAtMs: number | null;
  withdrawnAtMs: number | null;
};

/** What can be changed of a key; what is left out stays. */
export type KeyChanges = {
  label?: string | null;
  rpmLimit?: number | null;
  expiresAtMs?: number | null;
  providerScope?: string;
  models?: readonly string[] | null;
  tiers?: readonly string[] | null;
  regions?: readonly string[] | null;
};

/** Where keys are kept. */
export type KeyStore = {
  /** The keys that secrets belong to, whatever their state; null for a secret that is unknown or was withdrawn. */
  findByDigests: (digests: readonly Buffer[]) => Promise<(Key | null)[]>;
  /** How many secrets there are, withdrawn ones included. */
  countSecrets: () => Promise<number>;
  /** The digests of all secrets that were not withdrawn, in their order, page by page. */
  digestsAfter: (after: Buffer | null, limit: number) => Promise<Buffer[]>;
  /** Those of some keys. */
  digestsOf: (keyIds: readonly string[]) => Promise<Buffer[]>;
  /** The id of the key that has or had a secret, withdrawn and revoked ones included; null: none. */
  ownerOf: (digest: Buffer) => Promise<string | null>;
  insert: (key: NewKey) => Promise<Key>;
  /**
   * Newest first, without client sessions; `after` is the id of the last key already seen; `within`: those below these accounts alone;
   * `search`: those whose label, id or prefix of any secret contains it, or whose account has it in its name.
   */
  list: (page: { limit: number; after?: string; within?: readonly string[]; search?: string }) => Promise<Key[]>;
  /** By id or by prefix. More than one can share a prefix only by a wild accident; then both are returned. */
  find: (idOrPrefix: string) => Promise<Key[]>;
  /** Moves a key out of one of the states `from`. Answers whether it was in one; revoked, it stays revoked. */
  changeStatus: (id: string, change: { from: readonly KeyStatus[]; to: KeyStatus }) => Promise<boolean>;
  /** False when there is no such key, it is revoked, or it is not of `version` any more; null: of any version. */
  update: (id: string, changes: KeyChanges, version: number | null) => Promise<boolean>;
  /** Adds a secret and lets the others live as long as the overlap. False when there is no such key, it is revoked, or it is a client session. */
  addSecret: (id: string, secret: { digest: Buffer; prefix: string; overlapMs: number }) => Promise<boolean>;
  /** Newest first, the fifty newest at most. */
  secrets: (id: string) => Promise<KeySecret[]>;
};
