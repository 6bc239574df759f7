import type { Role } from "../../core/people/role.ts";
import type { Database } from "../../db/database.ts";
import type { Person } from "../../people/person.ts";
import { PERSON, personOf, type PersonRow } from "../../people/people-store.ts";
import type { NarrowedToken, PersonalToken, TokenStore } from "./token.ts";
import { holdPerson } from "../hold-person-store.ts";

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

/** Beside a person, whose columns have the same names. */
type TokenOfPerson = {
  tokenId: string;
  prefix: string;
  tokenName: string;
  tokenRole: Role | null;
  tokenAccountId: string | null;
  tokenAccount: string | null;
  tokenPath: string[] | null;
  tokenMadeAt: Date;
  expiresAt: Date;
  lastUsedAt: Date | null;
};

const TOKEN_OF_PERSON = `t.id as "tokenId", t.prefix, t.name as "tokenName", t.role as "tokenRole", t.account_id as "tokenAccountId",
  account_title(t.account_id) as "tokenAccount", ta.path as "tokenPath", t.created_at as "tokenMadeAt", t.expires_at as "expiresAt",
  t.last_used_at as "lastUsedAt"`;

const tokenOf = ({ createdAt, expiresAt, lastUsedAt, revokedAt, ...row }: TokenRow): PersonalToken => ({
  ...row,
  createdAtMs: createdAt.getTime(),
  expiresAtMs: expiresAt.getTime(),
  lastUsedAtMs: lastUsedAt?.getTime() ?? null,
  revokedAtMs: revokedAt?.getTime() ?? null,
});

function ownerOf(row: PersonRow & TokenOfPerson): { person: Person; token: NarrowedToken } {
  const { tokenId, prefix, tokenName, tokenRole, tokenAccountId, tokenAccount, tokenPath, ...rest } = row;
  const { tokenMadeAt, expiresAt, lastUsedAt, ...person } = rest;
  const token = tokenOf({
    id: tokenId,
    prefix,
    personId: person.id,
    email: person.email,
    name: tokenName,
    role: tokenRole,
    accountId: tokenAccountId,
    account: tokenAccount,
    createdAt: tokenMadeAt,
    expiresAt,
    lastUsedAt,
    revokedAt: null,
  });
  return { person: personOf(person), token: { ...token, path: tokenPath } };
}

export const createTokenStore = (database: Pick<Database, "query" | "transaction">): TokenStore => ({
  insert: ({ id, digest, prefix, personId, name, role, accountId, createdAtMs, expiresAtMs, sessionId }) =>
    database.transaction(async (tx) => {
      if (!(await holdPerson(tx, personId, sessionId === null ? null : { sessionId }))) return false;
      await tx.query(
        `insert into personal_token (id, digest, prefix, person_id, name, role, account_id, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [id, digest, prefix, personId, name, role, accountId, new Date(createdAtMs), new Date(expiresAtMs)],
      );
      return true;
    }),

  find: async (digest, atMs) => {
    const [row] = await database.query<PersonRow & TokenOfPerson>(
      `select ${PERSON}, ${TOKEN_OF_PERSON}
         from personal_token t join person p on p.id = t.person_id left join account ta on ta.id = t.account_id
        where t.digest = $1 and t.revoked_at is null and t.expires_at > $2 and p.state = 'active'`,
      [digest, new Date(atMs)],
    );
    return row === undefined ? null : ownerOf(row);
  },

  used: async (id, atMs) => {
    // One after the other, each for itself: no row is held while another is waited for.
    const [token] = await database.query<{ personId: string }>(
      `update personal_token set last_used_at = $2 where id = $1 returning person_id as "personId"`,
      [id, new Date(atMs)],
    );
    await database.query("update person set last_seen_at = $2 where id = $1", [token?.personId, new Date(atMs)]);
  },

  list: async ({ limit, after, personId }) => {
    const rows = await database.query<TokenRow>(
      `${TOKENS} where ($2::uuid is null or t.id < $2) and ($3::uuid is null or t.person_id = $3) order by t.id desc limit $1`,
      [limit, after, personId],
    );
    return rows.map(tokenOf);
  },

  byId: async (id) => {
    const [row] = await database.query<TokenRow>(`${TOKENS} where t.id = $1`, [id]);
    return row === undefined ? null : tokenOf(row);
  },

  revoke: async (id, atMs) => {
    const sql = "update personal_token set revoked_at = $2 where id = $1 and revoked_at is null returning id";
    return (await database.query(sql, [id, new Date(atMs)])).length > 0;
  },
});
