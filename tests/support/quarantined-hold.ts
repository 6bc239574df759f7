import { createId } from "../../src/core/ids.ts";
import type { Queryable } from "../../src/db/database.ts";
import { loneKey } from "./lone-key.ts";

/** A key with an open hold of 10 that was charged before, so that it cannot be charged; it was found by a sweep. */
export async function quarantinedHold(queryable: Queryable): Promise<{ keyId: string; id: string }> {
  const [id, processId] = [createId(Date.now()), createId(Date.now())];
  const { keyId, chain } = await loneKey(queryable, { funds: 100n });
  for (const [sql, values] of [
    ["update balance set held = 10 where key_id = $1", [keyId]],
    [
      `insert into hold (id, key_id, process_id, admitted_at, deadline, credits, key_no, chain, model, price_version, claimed)
       select $1, $2, $3, ledger_now(), ledger_now(), 10, b.key_no, $4, w.no, 1, false
         from balance b cross join words_v1('{m}') w where b.key_id = $2`,
      [id, keyId, processId, chain.id],
    ],
    [
      `insert into charge (hold_id, admitted_at, at, key_no, chain, kind)
       select $1, ledger_now(), ledger_now(), key_no, 0, 6 from balance where key_id = $2`,
      [id, keyId],
    ],
    [
      "insert into quarantine (hold_id, key_id, since, code, reason) values ($1, $2, ledger_now(), '23505', 'duplicate charge')",
      [id, keyId],
    ],
  ] as const) {
    await queryable.query(sql, values);
  }
  return { keyId, id };
}
