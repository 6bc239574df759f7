import type { Clock } from "../core/clock.ts";
import { createId } from "../core/ids.ts";
import type { KeyMode } from "../core/key-mode.ts";
import type { Key, KeyStore } from "./key.ts";
import { createSecret, digestOf } from "./secret.ts";

export type KeyOrder = {
  mode: KeyMode;
  label: string | null;
  providerScope: string;
  models: readonly string[] | null;
  rpmLimit: number | null;
  expiresAtMs: number | null;
};

export type IssueKey = (order: KeyOrder) => Promise<{ key: Key; secret: string }>;

/** Makes a key with one secret. The secret is in the result and nowhere else. */
export const createIssueKey =
  ({ store, clock }: { store: Pick<KeyStore, "insert">; clock: Clock }): IssueKey =>
  async (order) => {
    const { secret, bucket, prefix } = createSecret(order.mode);
    const key = await store.insert({
      ...order,
      id: createId(clock.nowMs()),
      bucket,
      prefix,
      secretDigest: Buffer.from(digestOf(secret), "base64url"),
    });
    return { key, secret };
  };
