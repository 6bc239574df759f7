import type { By } from "../core/people/by.ts";
import type { Clock } from "../core/clock.ts";
import { createId } from "../core/ids.ts";
import type { KeyMode } from "../core/people/key-mode.ts";
import type { OpeningFunds } from "../core/money/opening-funds.ts";
import type { Key, KeyStore } from "./key.ts";
import { createSecret, digestOf, foreignPrefix, randomBucket } from "./secret.ts";

export type KeyOrder = {
  mode: KeyMode;
  label: string | null;
  providerScope: string;
  models: readonly string[] | null;
  tiers: readonly string[] | null;
  regions: readonly string[] | null;
  rpmLimit: number | null;
  expiresAtMs: number | null;
  /** Whose it is, and where its money is; none: it is its own. */
  account?: { id: string; bucket: number } | null;
  funds: OpeningFunds | null;
};

/** `existing` is the SHA-256 of a secret that its holder has already; null: one is made. */
export type IssueKey = (
  order: KeyOrder,
  by: By,
  existing: Buffer | null,
) => Promise<{ key: Key; secret: string | null }>;

type Stores = {
  insert: KeyStore["insert"];
  fund: (keyId: string, funds: OpeningFunds, by: By) => Promise<void>;
};

/** Everything `work` does happens, or nothing of it. */
export type Atomically = <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;

/**
 * Makes a key with one secret and what it starts with, in one transaction: a process that dies in between leaves no key that
 * nobody has the secret of. The secret is in the result and nowhere else.
 */
export const createIssueKey =
  ({ atomically, clock }: { atomically: Atomically; clock: Clock }): IssueKey =>
  async ({ funds, account, ...order }, by, existing) => {
    const home = account?.bucket ?? randomBucket();
    const made = existing === null ? makeSecret(order.mode, home) : keepSecret(existing, home);
    const { secret, bucket, prefix, secretDigest } = made;
    const id = createId(clock.nowMs());
    const key = await atomically(async ({ insert, fund }) => {
      const inserted = await insert({ ...order, id, accountId: account?.id ?? null, bucket, prefix, secretDigest });
      if (funds !== null) await fund(id, funds, by);
      return inserted;
    });
    return { key, secret };
  };

function makeSecret(mode: KeyMode, bucket: number) {
  const made = createSecret(mode, bucket);
  return { ...made, secretDigest: Buffer.from(digestOf(made.secret), "base64url") };
}

const keepSecret = (secretDigest: Buffer, bucket: number) => ({
  secret: null,
  bucket,
  prefix: foreignPrefix(secretDigest),
  secretDigest,
});
