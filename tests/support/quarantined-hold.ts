import { createId } from "../../src/core/ids.ts";
import type { Queryable } from "../../src/db/database.ts";

/** A key with an open hold of 10 that was charged before, so that it cannot be charged; it was found by a sweep. */
export async function quarantinedHold(queryable: Queryable): Promise<{ keyId: string; id: string }> {
  const [keyId, id, processId] = [createId(Date.now()), createId(Date.now()), createId(Date.now())];
  for (const [sql, values] of [
    ["insert into key (id, bucket, mode) values ($1, 7, 'credit')", [keyId]],
    ["select fund_v1($1, $2, 'purchase', 100, null, 'test')", [keyId, `p ${keyId}`]],
    ["update balance set held = 10 where key_id = $1", [keyId]],
    [
      `insert into hold (id, bucket, key_id, amount, period_no, process_id, model, price_version, claimed, admitted_at, deadline)
       values ($1, 7, $2, 10, 0, $3, 'm', 1, false, ledger_now(), ledger_now())`,
      [id, keyId, processId],
    ],
    [
      `insert into charge (hold_id, bucket, key_id, granted, amount, kind, period_no, at)
       values ($1, 7, $2, 0, 0, 'voided', 0, ledger_now())`,
      [id, keyId],
    ],
    [
      "insert into quarantine (hold_id, bucket, key_id, since, code, reason) values ($1, 7, $2, ledger_now(), '23505', 'duplicate charge')",
      [id, keyId],
    ],
  ] as const) {
    await queryable.query(sql, values);
  }
  return { keyId, id };
}
