import type { KeyMode } from "../core/people/key-mode.ts";
import type { Unit } from "../core/money/amount.ts";
import type { ChainCounter } from "../core/money/counter.ts";
import { invariant } from "../core/invariant.ts";
import type { Payer } from "../core/money/payer.ts";
import { PREPARED, type Queryable } from "../db/database.ts";
import type { AccountsStatus, Key, KeyStatus, KeyStore } from "./key.ts";

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
  tiers: string[] | null;
  regions: string[] | null;
  rpm_limit: number | null;
  expires_at: Date | null;
  secret_expires_at: Date | null;
  created_at: Date;
  person_id: string | null;
  payer: Payer;
  account_id: string;
  accounts: string[];
  account_status: AccountsStatus;
  account_tiers: string[][] | null;
  account_regions: string[][] | null;
  chain: number;
  own_unit: Unit | null;
  counters: ChainCounter[] | null;
};

type SecretRow = { prefix: string; created_at: Date; expires_at: Date | null; withdrawn_at: Date | null };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LONGEST_PAGE = 1_000;
/** One row more tells whether there is a page after it. */
const MOST_ROWS = LONGEST_PAGE + 1;
const MOST_SECRETS = 50;

const KEY_COLUMNS = `k.id, k.bucket, k.version, k.mode, k.label, k.status, k.provider_scope, k.models, k.tiers, k.regions, k.rpm_limit, k.expires_at,
  k.created_at, k.person_id, payer_of(k.id, k.person_id, k.account_id) as payer, k.account_id, a.path as accounts, b.chain, b.unit as own_unit,
  case when a.status = 'active' and cardinality(a.path) = 1 then 'active' else (
    select case when bool_or(p.status in ('disabled', 'closed')) then 'disabled'
                when bool_or(p.status = 'suspended') then 'suspended' else 'active' end
      from account p where p.id = any (a.path)
  ) end as account_status,
  case when a.tiers is not null or cardinality(a.path) > 1 then (
    select jsonb_agg(p.tiers) from account p where p.id = any (a.path) and p.tiers is not null
  ) end as account_tiers,
  case when a.regions is not null or cardinality(a.path) > 1 then (
    select jsonb_agg(p.regions) from account p where p.id = any (a.path) and p.regions is not null
  ) end as account_regions,
  case when b.counters is not null then (
    select jsonb_agg(jsonb_build_object('id', c.id, 'unit', c.unit, 'models', c.models) order by c.id)
      from counter c where c.id = any (b.counters)
  ) end as counters`;
const COLUMNS = `${KEY_COLUMNS}, s.prefix, s.expires_at as secret_expires_at`;
/** Its version, its accounts and its chain are those of one moment, since one statement reads them. */
const WITH_CHAIN = "join account a on a.id = k.account_id join balance b on b.key_id = k.id";

/** A key together with the one of its secrets that speaks for it: the newest, living before withdrawn. */
const KEY_WITH_NEWEST_SECRET = `
  select ${COLUMNS} from key k ${WITH_CHAIN}
  left join lateral (
    select prefix, expires_at from key_secret where key_id = k.id
    order by withdrawn_at is not null, created_at desc limit 1
  ) s on true`;

const CONTAINS = (text: string): string => `strpos(lower(${text}), lower($4)) > 0`;

/** The ids of a page. They are found in the index of ids, so that a page ends at its last row; what no id and no prefix has is not looked for there. */
const PAGE = `
  select k.id from key k
   where k.person_id is null and ($1::uuid is null or k.id < $1)
     and ($3::uuid[] is null or k.account_id in (select id from account where path && $3))
     and ($4::text is null or ${CONTAINS("k.label")} or ($4 ~* '^[0-9a-f-]{1,36}$' and ${CONTAINS("k.id::text")})
       or k.account_id in (select id from account where not lone and ${CONTAINS("name")})
       or ($4 ~ '^\\w{1,12}$' and k.id in (select key_id from key_secret where ${CONTAINS("prefix")})))
   order by k.id desc limit $2`;

const INSERT = `
  with k as (
    insert into key (id, bucket, mode, label, provider_scope, models, rpm_limit, expires_at, account_id, tiers, regions)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $11, $12, $13) returning id, bucket
  )
  insert into key_secret (digest, key_id, bucket, prefix) select $9, k.id, k.bucket, $10 from k`;

const UPDATE = `
  update key set label = case when $2::boolean then $3 else label end,
    rpm_limit = case when $4::boolean then $5::int else rpm_limit end,
    expires_at = case when $6::boolean then $7::timestamptz else expires_at end,
    provider_scope = coalesce($8, provider_scope),
    models = case when $9::boolean then $10::text[] else models end,
    tiers = case when $12::boolean then $13::text[] else tiers end,
    regions = case when $14::boolean then $15::text[] else regions end
  where id = $1 and status <> 'revoked' and ($11::bigint is null or version = $11) returning id`;

/** An overlap of 0 withdraws the other secrets, which holds at once; a date would wait for the clock of each gateway. */
const ADD_SECRET = `
  with k as (
    select id, bucket from key where id = $1 and status <> 'revoked' and person_id is null for no key update
  ), others as (
    update key_secret s set
      withdrawn_at = case when $4::bigint = 0 then clock_timestamp() end,
      expires_at = least(s.expires_at, clock_timestamp() + $4::bigint * interval '1 millisecond')
    from k where s.key_id = k.id and s.withdrawn_at is null and (s.expires_at is null or s.expires_at > clock_timestamp())
  )
  insert into key_secret (digest, key_id, bucket, prefix) select $2, k.id, k.bucket, $3 from k returning key_id as id`;

const FIND_BY_DIGESTS = `
  select s.digest, ${COLUMNS} from key_secret s join key k on k.id = s.key_id ${WITH_CHAIN}
  where s.digest = any ($1::bytea[]) and s.withdrawn_at is null`;

const DIGEST_BYTES = 32;
const NO_DIGEST = Buffer.alloc(0);

/** As one value: a row for each of a million would cost both sides many times as much. */
const DIGESTS_AFTER = `
  select string_agg(digest, ''::bytea order by digest) as digests from (
    select digest from key_secret where digest > $1 and withdrawn_at is null order by digest limit $2
  ) page`;

/** Keys in PostgreSQL. */
export const createKeyStore = (queryable: Queryable): KeyStore => ({
  ...keyRows(queryable),
  ...secretRows(queryable),
});

const keyRows = (queryable: Queryable): Pick<KeyStore, "insert" | "list" | "find" | "changeStatus" | "update"> => ({
  insert: async (key) => {
    const expiresAt = key.expiresAtMs === null ? null : new Date(key.expiresAtMs);
    const values = [key.id, key.bucket, key.mode, key.label, key.providerScope, key.models, key.rpmLimit, expiresAt];
    await queryable.query(INSERT, [
      ...values,
      key.secretDigest,
      key.prefix,
      key.accountId ?? null,
      key.tiers,
      key.regions,
    ]);
    // Its chain is made once its row is.
    const [inserted] = await select(queryable, `${KEY_WITH_NEWEST_SECRET} where k.id = $1`, [key.id]);
    invariant(inserted, "an inserted key is returned");
    return inserted;
  },

  // Ids begin with the time they were made, so their order is the order of age.
  list: async ({ limit, after, within, search }) => {
    if (after !== undefined && !UUID.test(after)) return [];
    return select(
      queryable,
      `with page as materialized (${PAGE}) ${KEY_WITH_NEWEST_SECRET} where k.id in (select id from page) order by k.id desc`,
      [after ?? null, Math.max(1, Math.min(limit, MOST_ROWS)), within ?? null, search ?? null],
    );
  },

  find: (idOrPrefix) =>
    UUID.test(idOrPrefix)
      ? select(queryable, `${KEY_WITH_NEWEST_SECRET} where k.id = $1`, [idOrPrefix])
      : select(
          queryable,
          `select distinct on (k.id) ${COLUMNS} from key_secret s join key k on k.id = s.key_id ${WITH_CHAIN}
           where s.prefix = $1 order by k.id, s.withdrawn_at is not null, s.created_at desc limit $2`,
          [idOrPrefix, LONGEST_PAGE],
        ),

  changeStatus: (id, { from, to }) =>
    changed(queryable, "select from key_status_v1($1, $3::text[], $2) done where done", [id, to, from]),

  update: (id, { label, rpmLimit, expiresAtMs, providerScope, models, tiers, regions }, version) =>
    changed(queryable, UPDATE, [
      id,
      label !== undefined,
      label ?? null,
      rpmLimit !== undefined,
      rpmLimit ?? null,
      expiresAtMs !== undefined,
      expiresAtMs === undefined || expiresAtMs === null ? null : new Date(expiresAtMs),
      providerScope ?? null,
      models !== undefined,
      models ?? null,
      version,
      tiers !== undefined,
      tiers ?? null,
      regions !== undefined,
      regions ?? null,
    ]),
});

const secretRows = (queryable: Queryable): Omit<KeyStore, keyof ReturnType<typeof keyRows>> => ({
  findByDigests: async (digests) => {
    const rows = await queryable.query<KeyRow & { digest: Buffer }>(FIND_BY_DIGESTS, [digests], PREPARED);
    const found = new Map(rows.map((row) => [row.digest.toString("base64url"), keyOf(row)]));
    return digests.map((digest) => found.get(digest.toString("base64url")) ?? null);
  },

  countSecrets: async () => {
    const [row] = await queryable.query<{ secrets: bigint }>("select count(*) as secrets from key_secret");
    return Number(row?.secrets ?? 0n);
  },

  digestsAfter: async (after, limit) => {
    const [row] = await queryable.query<{ digests: Buffer | null }>(DIGESTS_AFTER, [after ?? NO_DIGEST, limit]);
    const digests = row?.digests ?? NO_DIGEST;
    return Array.from({ length: digests.length / DIGEST_BYTES }, (_, place) =>
      digests.subarray(place * DIGEST_BYTES, (place + 1) * DIGEST_BYTES),
    );
  },

  digestsOf: async (keyIds) => {
    const rows = await queryable.query<{ digest: Buffer }>(
      "select digest from key_secret where key_id = any ($1::uuid[]) and withdrawn_at is null",
      [keyIds],
    );
    return rows.map(({ digest }) => digest);
  },

  ownerOf: async (digest) => {
    const sql = "select key_id from key_secret where digest = $1";
    return (await queryable.query<{ key_id: string }>(sql, [digest]))[0]?.key_id ?? null;
  },

  addSecret: (id, { digest, prefix, overlapMs }) => changed(queryable, ADD_SECRET, [id, digest, prefix, overlapMs]),

  secrets: async (id) => {
    const rows = await queryable.query<SecretRow>(
      "select prefix, created_at, expires_at, withdrawn_at from key_secret where key_id = $1 order by created_at desc limit $2",
      [id, MOST_SECRETS],
    );
    return rows.map((row) => ({
      prefix: row.prefix,
      createdAtMs: row.created_at.getTime(),
      expiresAtMs: row.expires_at?.getTime() ?? null,
      withdrawnAtMs: row.withdrawn_at?.getTime() ?? null,
    }));
  },
});

const select = async (queryable: Queryable, sql: string, values: readonly unknown[]): Promise<Key[]> =>
  (await queryable.query<KeyRow>(sql, values)).map(keyOf);

async function changed(queryable: Queryable, sql: string, [id, ...values]: readonly unknown[]): Promise<boolean> {
  if (typeof id !== "string" || !UUID.test(id)) return false;
  return (await queryable.query(sql, [id, ...values])).length > 0;
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
  tiers: row.tiers,
  regions: row.regions,
  rpmLimit: row.rpm_limit,
  expiresAtMs: row.expires_at?.getTime() ?? null,
  secretExpiresAtMs: row.secret_expires_at?.getTime() ?? null,
  createdAtMs: row.created_at.getTime(),
  personId: row.person_id,
  payer: row.payer,
  accountId: row.account_id,
  accounts: row.accounts,
  accountStatus: row.account_status,
  accountTiers: inAll(row.account_tiers),
  accountRegions: inAll(row.account_regions),
  chain: { id: row.chain, own: row.own_unit, counters: row.counters ?? [] },
});

/** What all of some lists have; null: there is no list. */
const inAll = (lists: readonly string[][] | null): readonly string[] | null =>
  lists?.reduce((allowed, list) => allowed.filter((word) => list.includes(word))) ?? null;
