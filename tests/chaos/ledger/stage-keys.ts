import { createId } from "../../../src/core/ids.ts";
import { createSecret, digestOf } from "../../../src/keys/secret.ts";
import { rememberSecrets } from "../../support/gateway-process.ts";
import type { StageKey } from "./ask.ts";
import { withClient } from "./read-ledger.ts";

/** Credits in nano-credits, or tokens in a period. */
export type Means = { credit: bigint; rpmLimit?: number } | { budget: bigint; rpmLimit?: number };

/** Makes a key and gives it means, in SQL alone. */
export function makeStageKey(url: string, means: Means): Promise<StageKey> {
  const mode = "credit" in means ? "credit" : "token_budget";
  const { secret, bucket, prefix } = createSecret(mode);
  const id = createId(Date.now());
  rememberSecrets([secret]);
  return withClient(url, async (client) => {
    await client.query("begin");
    await client.query("insert into key (id, bucket, mode, rpm_limit) values ($1, $2, $3, $4)", [
      id,
      bucket,
      mode,
      means.rpmLimit ?? null,
    ]);
    await client.query("insert into key_secret (digest, key_id, bucket, prefix) values ($1, $2, $3, $4)", [
      Buffer.from(digestOf(secret), "base64url"),
      id,
      bucket,
      prefix,
    ]);
    if ("credit" in means) {
      if (means.credit > 0n)
        await client.query(
          "select fund_v1(counter, 'stage:' || key_id, 'purchase', $2, 'stage') from balance where key_id = $1",
          [id, String(means.credit)],
        );
    } else {
      const sql = "select limit_v1(counter, 'stage', $2, 'none', 'stage') from balance where key_id = $1";
      await client.query(sql, [id, String(means.budget)]);
    }
    await client.query("commit");
    return { id, secret, mode };
  });
}
