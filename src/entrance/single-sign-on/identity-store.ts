import type { SealedCredential } from "../../core/secret/sealed-credential.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { sqlStateOf } from "../../db/database-error.ts";
import type { SignInAdmission, BegunSignIn, Identity, IdentityKey, IdentityStore } from "./identity.ts";
import { endWaysIn } from "../../people/ways-in-store.ts";

/**
 * More than one flood begins in the ten minutes that people have at the provider, at some 300 a second, so that it pushes nobody out. Beyond
 * that the oldest make room, so that others get in.
 */
const MOST_BEGUN = 200_000;
/** Each try that fails leaves somebody else's success behind, of whom there are few for one address and one subject. */
const MOST_TRIES = 8;
/** A row of somebody else was in the way, or two waited for one another: the person is locked before the identity, but others know neither. */
const AGAIN: ReadonlySet<string> = new Set(["23505", "40P01"]);
/** The first wait after a failure; it doubles up to the usual one. */
const FIRST_RETRY_MS = 15_000;

type Row = Omit<Identity, "sealed"> & { keyId: string | null; box: Buffer | null };

const IDENTITY = `
  select i.issuer, i.subject, i.person_id as "personId", p.email, p.state, p.account_id as "accountId", i.refresh_key_id as "keyId",
         i.refresh_box as box, i.suspended, i.team_id as "teamId", i.monthly
    from identity i join person p on p.id = i.person_id`;

const identityOf = ({ keyId, box, ...row }: Row): Identity => ({
  ...row,
  sealed: keyId === null || box === null ? null : { keyId, box: box.toString("base64") },
});

const boxOf = (sealed: SealedCredential | null): Buffer | null => sealed && Buffer.from(sealed.box, "base64");

type Connection = Pick<Database, "query" | "transaction">;

export const createIdentityStore = (database: Connection): IdentityStore => ({
  ...attemptsIn(database),
  ...identitiesIn(database),
  ...checksIn(database),
  ...departuresIn(database),
});

/** Sign-ins that wait for the browser to come back. */
const attemptsIn = (database: Connection): Pick<IdentityStore, "begin" | "take"> => ({
  begin: async ({ stateDigest, nonce, verifier, returnTo }, { atMs, expiresAtMs }) => {
    await database.query(
      `delete from oidc_attempt where expires_at <= greatest($1, (select expires_at from oidc_attempt order by expires_at desc offset $2 limit 1))`,
      [new Date(atMs), MOST_BEGUN - 1],
    );
    await database.query(
      "insert into oidc_attempt (state_digest, nonce, verifier, return_to, expires_at) values ($1, $2, $3, $4, $5)",
      [stateDigest, nonce, verifier, returnTo, new Date(expiresAtMs)],
    );
  },

  take: async (stateDigest, atMs) => {
    const [row] = await database.query<BegunSignIn>(
      `delete from oidc_attempt where state_digest = $1 and expires_at > $2
       returning state_digest as "stateDigest", nonce, verifier, return_to as "returnTo"`,
      [stateDigest, new Date(atMs)],
    );
    return row ?? null;
  },
});

/** Who somebody is, and the account that is theirs. */
const identitiesIn = (
  database: Connection,
): Pick<IdentityStore, "find" | "groupsOf" | "admit" | "placed" | "isTaken"> => ({
  find: async ({ issuer, subject }) => {
    const [row] = await database.query<Row>(`${IDENTITY} where i.issuer = $1 and i.subject = $2`, [issuer, subject]);
    return row === undefined ? null : identityOf(row);
  },

  groupsOf: async (personId) => {
    const sql = "select groups from identity where person_id = $1 and left_at is null";
    return (await database.query<{ groups: string[] }>(sql, [personId])).flatMap(({ groups }) => groups);
  },

  // Two at once may both find nobody. The second meets the row of the first, and looks again. Advisory locks would do the same, but any
  // role can take one and keep it.
  admit: async (key, who) => {
    for (let tries = 1; ; tries++)
      try {
        return await database.transaction((tx) => admit(tx, key, who));
      } catch (error) {
        if (tries === MOST_TRIES || !AGAIN.has(sqlStateOf(error) ?? "")) throw error;
      }
  },

  placed: async ({ issuer, subject }, { accountId, teamId, monthly, suspended }) => {
    await database.query(
      `with i as (update identity set team_id = $4, monthly = $5, suspended = $6 where issuer = $1 and subject = $2 returning person_id)
       update person p set account_id = $3 from i where p.id = i.person_id`,
      [issuer, subject, accountId, teamId, monthly, suspended],
    );
  },

  isTaken: async (accountId, personId) => {
    const sql = "select from person where account_id = $1 and id <> $2 and state = 'active' limit 1";
    return (await database.query(sql, [accountId, personId])).length > 0;
  },
});

/** What the provider said last, and who is to be asked about next. */
const checksIn = (database: Connection): Pick<IdentityStore, "keep" | "claim" | "failed"> => ({
  keep: (key, { sealed, groups, grants, atMs, dueAtMs, was }) =>
    database.transaction(async (tx) => {
      const [kept] = await tx.query<{ personId: string }>(
        `update identity set refresh_key_id = $3, refresh_box = $4, groups = $5, checked_at = $6, due_at = $7, failures = 0, claimed_until = null
          where issuer = $1 and subject = $2 and ($8::bytea is null or refresh_box = $8) returning person_id as "personId"`,
        [
          key.issuer,
          key.subject,
          sealed?.keyId ?? null,
          boxOf(sealed),
          groups,
          new Date(atMs),
          new Date(dueAtMs),
          boxOf(was),
        ],
      );
      if (kept === undefined) return false;
      await tx.query("delete from role_grant where person_id = $1 and source = 'sso'", [kept.personId]);
      await tx.query(
        `insert into role_grant (person_id, role, account_id, source)
         select $1, r, a, 'sso' from unnest($2::text[], $3::uuid[]) u(r, a) on conflict do nothing`,
        [kept.personId, grants.map(({ role }) => role), grants.map(({ accountId }) => accountId)],
      );
      return true;
    }),

  claim: async (issuer, { limit, atMs, leaseMs }) => {
    const rows = await database.query<Row>(
      `with due as (
         select issuer, subject from identity
          where issuer = $1 and refresh_box is not null and left_at is null and due_at <= $2
            and (claimed_until is null or claimed_until <= $2)
          order by due_at limit $3 for update skip locked
       ), claimed as (
         update identity i set claimed_until = $4 from due d where i.issuer = d.issuer and i.subject = d.subject
         returning i.issuer, i.subject
       ) ${IDENTITY} join claimed c on c.issuer = i.issuer and c.subject = i.subject`,
      [issuer, new Date(atMs), limit, new Date(atMs + leaseMs)],
    );
    return rows.map(identityOf);
  },

  failed: async ({ issuer, subject }, { atMs, everyMs, jitter }) => {
    await database.query(
      `update identity set claimed_until = null, failures = failures + 1,
              due_at = $3::timestamptz + make_interval(secs => least($4::float8, $5::float8 * 2 ^ least(failures, 20)) * $6::float8 / 1000)
        where issuer = $1 and subject = $2`,
      [issuer, subject, new Date(atMs), everyMs, FIRST_RETRY_MS, jitter],
    );
  },
});

/** Those whom the provider does not vouch for any more, and their accounts. */
const departuresIn = (
  database: Connection,
): Pick<IdentityStore, "leave" | "suspending" | "suspended" | "unsuspended"> => ({
  leave: (key, { atMs, was }) =>
    database.transaction(async (tx) => {
      const [left] = await tx.query<{ personId: string }>(
        `update identity set left_at = $3, suspend_due = true, refresh_key_id = null, refresh_box = null, claimed_until = null
          where issuer = $1 and subject = $2 and ($4::bytea is null or refresh_box = $4) returning person_id as "personId"`,
        [key.issuer, key.subject, new Date(atMs), boxOf(was)],
      );
      if (left === undefined) return false;
      await endAll(tx, left.personId, atMs);
      return true;
    }),

  suspending: async ({ issuer, subject }) => {
    await database.query("update identity set suspended = true where issuer = $1 and subject = $2", [issuer, subject]);
  },

  suspended: async ({ issuer, subject }) => {
    await database.query("update identity set suspend_due = false where issuer = $1 and subject = $2", [
      issuer,
      subject,
    ]);
  },

  unsuspended: async (issuer, limit) =>
    (await database.query<Row>(`${IDENTITY} where i.issuer = $1 and i.suspend_due limit $2`, [issuer, limit])).map(
      identityOf,
    ),
});

/** All that lets somebody in, so that it is over with this transaction. */
async function endAll(tx: Queryable, personId: string, atMs: number): Promise<void> {
  await tx.query(
    "update person set state = 'removed', removed_at = $2, password_hash = null where id = $1 and state = 'active'",
    [personId, new Date(atMs)],
  );
  await tx.query("delete from role_grant where person_id = $1", [personId]);
  await endWaysIn(tx, personId, atMs);
}

type Who = Parameters<IdentityStore["admit"]>[1];

async function admit(tx: Queryable, key: IdentityKey, who: Who): Promise<SignInAdmission> {
  const { issuer, subject } = key;
  const { email, name, newId, mayLink, atMs } = who;
  const [known] = await tx.query<{ personId: string; email: string; state: "active" | "removed"; left: boolean }>(
    `select i.person_id as "personId", p.email, p.state, i.left_at is not null as left
       from identity i join person p on p.id = i.person_id where i.issuer = $1 and i.subject = $2 for no key update of p`,
    [issuer, subject],
  );
  // Who is known keeps their address until the provider vouches for another.
  const address = known === undefined || mayLink ? email : known.email;
  const [other] = await tx.query<{ id: string }>("select id from person where email = $1 and state = 'active'", [
    address,
  ]);

  if (known?.state === "active" || (known?.left && other === undefined)) {
    await tx.query(
      `update person set state = 'active', removed_at = null, name = $3, email = case when $4 then $2 else email end where id = $1`,
      [known.personId, address, name, other === undefined || other.id === known.personId],
    );
    await link(tx, key, { personId: known.personId, atMs });
    return { kind: "admitted", personId: known.personId };
  }
  if (other !== undefined) {
    // Whoever else would be the same person waits here, and then reads what this one wrote.
    const sql = "select from person where id = $1 and email = $2 and state = 'active' for no key update";
    if ((await tx.query(sql, [other.id, address])).length === 0) return admit(tx, key, who);
    // They may have signed in for the first time since they were looked for, in another browser: nobody is to be linked then.
    const again = "select from identity where issuer = $1 and subject = $2";
    if (known === undefined && (await tx.query(again, [issuer, subject])).length > 0) return admit(tx, key, who);
    if (!mayLink) return { kind: "unverified" };
    const [theirs] = await tx.query("select from identity where person_id = $1 and issuer = $2 and subject <> $3", [
      other.id,
      issuer,
      subject,
    ]);
    if (theirs !== undefined) return { kind: "taken" };
    // Whoever added them may know their password, or have signed in with it.
    await endWaysIn(tx, other.id, atMs);
    await link(tx, key, { personId: other.id, atMs });
    return { kind: "linked", personId: other.id };
  }
  if (known !== undefined) return { kind: "removed" };
  await tx.query("insert into person (id, email, name, created_at) values ($1, $2, $3, $4)", [
    newId,
    email,
    name,
    new Date(atMs),
  ]);
  await tx.query(INSERT_IDENTITY, [issuer, subject, newId, new Date(atMs)]);
  return { kind: "admitted", personId: newId };
}

const INSERT_IDENTITY =
  "insert into identity (issuer, subject, person_id, checked_at, due_at) values ($1, $2, $3, $4, $4)";

async function link(
  tx: Queryable,
  { issuer, subject }: IdentityKey,
  { personId, atMs }: { personId: string; atMs: number },
): Promise<void> {
  await tx.query(
    `${INSERT_IDENTITY} on conflict (issuer, subject) do update set person_id = excluded.person_id, left_at = null, suspend_due = false`,
    [issuer, subject, personId, new Date(atMs)],
  );
}
