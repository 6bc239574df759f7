import type { KeyMode } from "../core/key-mode.ts";
import { invariant } from "../core/invariant.ts";
import type { Queryable } from "../db/database.ts";
import type { Key, KeyStatus, KeyStore } from "./key.ts";

type KeyRow = {
  id: string;
  bucket: number;
  version: bigint;
  mode: KeyMode;
  prefix: string | null;
  label: string | null;
  status: KeyStatus;
  provider_scope: string;
  models: string[] | null;
  rpm_limit: number | null;
  expires_at: Date | null;
  secret_expires_at: Date | null;
  created_at: Date;
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LONGEST_PAGE = 1_000;

const KEY_COLUMNS =
  "k.id, k.bucket, k.version, k.mode, k.label, k.status, k.provider_scope, k.models, k.rpm_limit, k.expires_at, k.created_at";
const COLUMNS = `${KEY_COLUMNS}, s.prefix, s.expires_at as secret_expires_at`;

/** A key together with the one of its secrets that speaks for it: the newest, living before withdrawn. */
const KEY_WITH_NEWEST_SECRET = `
  select ${COLUMNS} from key k
  left join lateral (
    select prefix, expires_at from key_secret where key_id = k.id
    order by withdrawn_at is not null, created_at desc limit 1
  ) s on true`;

const INSERT = `
  with k as (
    insert into key (id, bucket, mode, label, provider_scope, models, rpm_limit, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8) returning *
  ), s as (
    insert into key_secret (digest, key_id, bucket, prefix) select $9, k.id, k.bucket, $10 from k returning *
  )
  select ${COLUMNS} from k cross join s`;

/** Keys in PostgreSQL. */
export function createKeyStore(queryable: Queryable): KeyStore {
  const select = async (sql: string, values: readonly unknown[]): Promise<Key[]> =>
    (await queryable.query<KeyRow>(sql, values)).map(keyOf);

  return {
    findByDigest: async (digest) => {
      const found = await select(
        `select ${COLUMNS} from key_secret s join key k on k.id = s.key_id where s.digest = $1 and s.withdrawn_at is null`,
        [digest],
      );
      return found[0] ?? null;
    },

    insert: async (key) => {
      const expiresAt = key.expiresAtMs === null ? null : new Date(key.expiresAtMs);
      const values = [key.id, key.bucket, key.mode, key.label, key.providerScope, key.models, key.rpmLimit, expiresAt];
      const [inserted] = await select(INSERT, [...values, key.secretDigest, key.prefix]);
      invariant(inserted, "an inserted key is returned");
      return inserted;
    },

    // Ids begin with the time they were made, so their order is the order of age.
    list: async ({ limit, after }) => {
      if (after !== undefined && !UUID.test(after)) return [];
      return select(`${KEY_WITH_NEWEST_SECRET} where $1::uuid is null or k.id < $1 order by k.id desc limit $2`, [
        after ?? null,
        Math.max(1, Math.min(limit, LONGEST_PAGE)),
      ]);
    },

    find: (idOrPrefix) =>
      UUID.test(idOrPrefix)
        ? select(`${KEY_WITH_NEWEST_SECRET} where k.id = $1`, [idOrPrefix])
        : select(
            `select distinct on (k.id) ${COLUMNS} from key_secret s join key k on k.id = s.key_id
             where s.prefix = $1 order by k.id, s.withdrawn_at is not null, s.created_at desc limit $2`,
            [idOrPrefix, LONGEST_PAGE],
          ),

    revoke: async (id) => {
      if (!UUID.test(id)) return null;
      // A key revoked twice keeps its first date, and nobody is notified of nothing.
      await queryable.query("update key set status = 'revoked' where id = $1 and status <> 'revoked'", [id]);
      const found = await select(`${KEY_WITH_NEWEST_SECRET} where k.id = $1`, [id]);
      return found[0] ?? null;
    },
  };
}

const keyOf = (row: KeyRow): Key => ({
  id: row.id,
  bucket: row.bucket,
  version: Number(row.version),
  mode: row.mode,
  prefix: row.prefix ?? "",
  label: row.label,
  status: row.status,
  providerScope: row.provider_scope,
  models: row.models,
  rpmLimit: row.rpm_limit,
  expiresAtMs: row.expires_at?.getTime() ?? null,
  secretExpiresAtMs: row.secret_expires_at?.getTime() ?? null,
  createdAtMs: row.created_at.getTime(),
});
