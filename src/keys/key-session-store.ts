import { invariant } from "../core/invariant.ts";
import type { Queryable } from "../db/database.ts";
import type { KeySessionStore } from "./key-session.ts";

/** As many browsers as somebody may have; with one more the oldest session ends. */
const MOST_PER_KEY = 20;
/** Whoever signs in clears away what has ended, so that nothing else has to. */
const MOST_CLEARED = 100;

const ADD = `
  with gone as (
    delete from key_session where digest in (
      (select digest from key_session where expires_at <= ledger_now() order by expires_at limit ${MOST_CLEARED})
      union all
      (select digest from key_session where key_id = $2 order by expires_at desc offset ${MOST_PER_KEY - 1})
    )
  )
  insert into key_session (digest, key_id, secret_digest, expires_at)
  values ($1, $2, $3, ledger_now() + $4::bigint * interval '1 millisecond') returning expires_at`;

type Row = { key_id: string; secret_digest: Buffer | null; expires_at: Date };

/** Sessions of key holders in PostgreSQL. */
export const createKeySessionStore = (queryable: Queryable): KeySessionStore => ({
  add: async ({ digest, keyId, secretDigest, lifetimeMs }) => {
    const [row] = await queryable.query<Pick<Row, "expires_at">>(ADD, [digest, keyId, secretDigest, lifetimeMs]);
    invariant(row, "an inserted session is returned");
    return row.expires_at.getTime();
  },
  find: async (digest) => {
    const [row] = await queryable.query<Row>(
      "select key_id, secret_digest, expires_at from key_session where digest = $1 and expires_at > ledger_now()",
      [digest],
    );
    if (row === undefined) return null;
    return { keyId: row.key_id, secretDigest: row.secret_digest, expiresAtMs: row.expires_at.getTime() };
  },
  remove: async (digest) => {
    await queryable.query("delete from key_session where digest = $1", [digest]);
  },
});
