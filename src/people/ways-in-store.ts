import type { Queryable } from "../db/database.ts";

/**
 * Ends password, sessions, client sessions and personal tokens with this transaction. It stands with people because nobody is removed without it.
 */
export async function endWaysIn(tx: Queryable, personId: string, atMs: number): Promise<void> {
  await tx.query("update person set password_hash = null where id = $1", [personId]);
  await tx.query("delete from session where person_id = $1", [personId]);
  await tx.query("select client_sessions_end($1, null, 'person')", [personId]);
  await tx.query("update personal_token set revoked_at = $2 where person_id = $1 and revoked_at is null", [
    personId,
    new Date(atMs),
  ]);
}
