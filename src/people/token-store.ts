import type { Role } from "../core/role.ts";
import type { Queryable } from "../db/database.ts";
import { PERSON, personOf, type PersonRow } from "./people-store.ts";
import type { PersonalToken, TokenStore } from "./person.ts";

type TokenRow = Omit<PersonalToken, "createdAtMs" | "expiresAtMs" | "lastUsedAtMs" | "revokedAtMs"> & {
  createdAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

const TOKENS = `
  select t.id, t.prefix, t.person_id as "personId", p.email, t.name, t.role, t.account_id as "accountId",
         account_title(t.account_id) as account, t.created_at as "createdAt", t.expires_at as "expiresAt", t.last_used_at as "lastUsedAt",
         t.revoked_at as "revokedAt"
    from personal_token t join person p on p.id = t.person_id`;

const tokenOf = ({ createdAt, expiresAt, lastUsedAt, revokedAt, ...row }: TokenRow): PersonalToken => ({
  ...row,
  createdAtMs: createdAt.getTime(),
  expiresAtMs: expiresAt.getTime(),
  lastUsedAtMs: lastUsedAt?.getTime() ?? null,
  revokedAtMs: revokedAt?.getTime() ?? null,
});

export const createTokenStore = (queryable: Queryable): TokenStore => ({
  insert: async ({ id, digest, prefix, personId, name, role, accountId, createdAtMs, expiresAtMs }) => {
    await queryable.query(
      `insert into personal_token (id, digest, prefix, person_id, name, role, account_id, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [id, digest, prefix, personId, name, role, accountId, new Date(createdAtMs), new Date(expiresAtMs)],
    );
  },

  find: async (digest, atMs) => {
    type Row = PersonRow & {
      tokenId: string;
      tokenRole: Role | null;
      tokenPath: string[] | null;
      usedAt: Date | null;
    };
    const [row] = await queryable.query<Row>(
      `select ${PERSON}, t.id as "tokenId", t.role as "tokenRole", ta.path as "tokenPath", t.last_used_at as "usedAt"
         from personal_token t join person p on p.id = t.person_id left join account ta on ta.id = t.account_id
        where t.digest = $1 and t.revoked_at is null and t.expires_at > $2 and p.state = 'active'`,
      [digest, new Date(atMs)],
    );
    if (row === undefined) return null;
    const { tokenId, tokenRole, tokenPath, usedAt, ...person } = row;
    const token = { id: tokenId, role: tokenRole, path: tokenPath, seenAtMs: usedAt?.getTime() ?? null };
    return { person: personOf(person), session: null, token };
  },

  used: async (id, atMs) => {
    await queryable.query(
      `with t as (update personal_token set last_used_at = $2 where id = $1 returning person_id)
       update person p set last_seen_at = $2 from t where p.id = t.person_id`,
      [id, new Date(atMs)],
    );
  },

  list: async ({ limit, after, personId }) => {
    const rows = await queryable.query<TokenRow>(
      `${TOKENS} where ($2::uuid is null or t.id < $2) and ($3::uuid is null or t.person_id = $3) order by t.id desc limit $1`,
      [limit, after, personId],
    );
    return rows.map(tokenOf);
  },

  byId: async (id) => {
    const [row] = await queryable.query<TokenRow>(`${TOKENS} where t.id = $1`, [id]);
    return row === undefined ? null : tokenOf(row);
  },

  revoke: async (id, atMs) => {
    const sql = "update personal_token set revoked_at = $2 where id = $1 and revoked_at is null returning id";
    return (await queryable.query(sql, [id, new Date(atMs)])).length > 0;
  },
});
