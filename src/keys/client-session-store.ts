import { invariant } from "../core/invariant.ts";
import type { Database, Queryable } from "../db/database.ts";
import type {
  BegunSession,
  ClientSession,
  ClientSessionStore,
  NewClientSession,
  SessionLifetime,
  ShownRefresh,
  StoredRefresh,
} from "./client-session.ts";

/** As many clients as somebody may be signed in with, and as many browsers; with one more the oldest session of its kind ends. */
const MOST_CLIENTS = 50;
const MOST_BROWSERS = 20;
const MOST_LISTED = 200;
const MOST_EVER = 500;

type Row = Omit<ClientSession, "createdAtMs" | "refreshedAtMs" | "usedAtMs" | "expiresAtMs"> & {
  createdAt: Date;
  refreshedAt: Date;
  usedAt: Date | null;
  expiresAt: Date;
};

/** When requests of it were last counted. Short steps are kept for days, long ones for longer. */
const USED = [5, 60, 1_440]
  .map((grain) => `(select max(start) from series_total where scope = c.id and grain = ${grain})`)
  .join(", ");
const SESSION = `c.id, c.person_id as "personId", p.email, p.name, k.account_id as "accountId", account_title(k.account_id) as account,
  (select s.prefix from key_secret s where s.key_id = c.id limit 1) as prefix, c.client, c.agent, c.address,
  c.created_at as "createdAt", c.refreshed_at as "refreshedAt", coalesce(${USED}) as "usedAt", c.expires_at as "expiresAt"`;
const FROM = "from client_session c join key k on k.id = c.id join person p on p.id = c.person_id";
const LIVING = "k.status <> 'revoked' and c.expires_at > clock_timestamp()";

const sessionOf = ({ createdAt, refreshedAt, usedAt, expiresAt, ...row }: Row): ClientSession => ({
  id: row.id,
  personId: row.personId,
  email: row.email,
  name: row.name,
  accountId: row.accountId,
  account: row.account,
  prefix: row.prefix,
  client: row.client,
  agent: row.agent,
  address: row.address,
  createdAtMs: createdAt.getTime(),
  refreshedAtMs: refreshedAt.getTime(),
  usedAtMs: usedAt?.getTime() ?? null,
  expiresAtMs: expiresAt.getTime(),
});

/** Client sessions in PostgreSQL. All of its times are the database's. */
export function createClientSessionStore(database: Pick<Database, "query" | "transaction">): ClientSessionStore {
  const select = async (queryable: Queryable, where: string, values: readonly unknown[]): Promise<ClientSession[]> =>
    (await queryable.query<Row>(`select ${SESSION} ${FROM} where ${where}`, values)).map(sessionOf);

  async function byId(tx: Queryable, id: string): Promise<ClientSession> {
    const [session] = await select(tx, "c.id = $1", [id]);
    invariant(session, "a session that was made is there");
    return session;
  }

  return {
    insert: (order) =>
      database.transaction(async (tx) => {
        const place = await placeOf(tx, order.personId);
        if (typeof place === "string") return place;
        await makeRoom(tx, order);
        const { pair } = await add(tx, order, place);
        return { pair, session: await byId(tx, order.id), bucket: place.bucket };
      }),

    refresh: (shown) =>
      database.transaction(async (tx) => {
        const [row] = await tx.query<Held>(HELD, [shown.familyDigest, shown.digest, shown.graceMs]);
        if (row === undefined) return { kind: "refused", reason: "unknown", session: null };
        const refused = refusalOf(row);
        if (refused === "reused") await end(tx, row.personId, { id: row.id }, "reused");
        if (refused !== null) return { kind: "refused", reason: refused, session: await byId(tx, row.id) };
        const salt = row.isCurrent ? shown.salt : row.salt;
        invariant(salt, "what was derived has a salt");
        const expiresInMs = row.isCurrent
          ? await rotate(tx, row, shown)
          : await leftOf(tx, shown.next(salt).digests.access);
        return { kind: "refreshed", salt, expiresInMs, session: await byId(tx, row.id) } satisfies StoredRefresh;
      }),

    byFamily: async (familyDigest) => (await select(database, "c.family_digest = $1", [familyDigest]))[0] ?? null,

    list: (personId) =>
      select(database, `c.person_id = $1 and ${LIVING} order by c.created_at desc, c.id limit ${MOST_LISTED}`, [
        personId,
      ]),

    page: ({ limit, after, personId, accountId, within }) =>
      select(
        database,
        `${LIVING} and ($2::uuid is null or c.id < $2) and ($3::uuid is null or c.person_id = $3)
         and ($4::uuid[] is null or exists (select from account a where a.id = k.account_id and a.path && $4))
         and ($5::uuid is null or exists (select from account a where a.id = k.account_id and $5 = any (a.path)))
         order by c.id desc limit $1`,
        [limit, after, personId, within, accountId],
      ),

    end: (personId, which, because) => end(database, personId, which, because),
    leaveBrowser: async (id) => void (await database.query(LEAVE_BROWSER, [id])),
    everOf: async (personId) => (await database.query<{ id: string }>(EVER, [personId])).map(({ id }) => id),
  };
}

const LEAVE_BROWSER =
  "select client_sessions_end(person_id, array[id], 'signed_out') from client_session where id = $1 and browser";
const EVER = `select id from client_session where person_id = $1 order by browser, id desc limit ${MOST_EVER}`;

/** `isCapped`: the house bore too much of them, so that whatever they sign in with is suspended until somebody resumes it. */
type Place = { accountId: string; bucket: number; email: string; isCapped: boolean };
type Refused = Extract<BegunSession, { kind: "refused" }>["reason"];

/** Holds the person, so that whatever signs them out meanwhile comes before or after. */
async function placeOf(tx: Queryable, personId: string): Promise<Place | Refused> {
  const [person] = await tx.query<{ accountId: string | null; email: string; isCapped: boolean }>(
    `select account_id as "accountId", email, capped_at is not null as "isCapped" from person where id = $1 and state = 'active' for no key update`,
    [personId],
  );
  if (person === undefined) return "unknown_person";
  const [account] = await tx.query<{ bucket: number; isActive: boolean }>(
    `select a.bucket, not exists (select from account u where u.id = any (a.path) and u.status <> 'active') as "isActive"
       from account a where a.id = $1 and not a.lone
        and not exists (select from account u where u.id = any (a.path) and u.status = 'closed')`,
    [person.accountId],
  );
  if (account === undefined || person.accountId === null) return "no_account";
  if (!account.isActive) return "suspended";
  return { accountId: person.accountId, bucket: account.bucket, email: person.email, isCapped: person.isCapped };
}

/** Ends what nobody can use any more, and the oldest of its kind where there are too many. */
async function makeRoom(tx: Queryable, { personId, isBrowser }: NewClientSession): Promise<void> {
  await tx.query(
    `select client_sessions_end($1, array(
       select id from (
         select c.id, c.expires_at <= clock_timestamp() as is_over, c.browser,
                row_number() over (partition by c.browser order by c.refreshed_at desc, c.id) as place
           from client_session c join key k on k.id = c.id where c.person_id = $1 and k.status <> 'revoked'
       ) s where is_over or (browser = $2 and place >= $3::int)
     ), 'too_many')`,
    [personId, isBrowser, isBrowser ? MOST_BROWSERS : MOST_CLIENTS],
  );
}

async function add(tx: Queryable, order: NewClientSession, { accountId, bucket, email, isCapped }: Place) {
  const { id, personId, client, agent, address, isBrowser, lifetime } = order;
  const tokens = order.tokensFor(bucket);
  await tx.query(
    `insert into key (id, bucket, mode, label, account_id, person_id, status) values ($1, $2, 'credit', $3, $4, $5, $6)`,
    [id, bucket, `${client}, ${email}`, accountId, personId, isCapped ? "suspended" : "active"],
  );
  await tx.query(
    `insert into client_session (id, person_id, family_digest, refresh_digest, client, agent, address, created_at, refreshed_at, expires_at, browser)
     select $1, $2, $3, $4, $5, $6, $7, now, now, now + $8::bigint * interval '1 millisecond', $9 from clock_timestamp() now`,
    [id, personId, tokens.familyDigest, tokens.digests.refresh, client, agent, address, lifetime.idleMs, isBrowser],
  );
  await addAccess(tx, { id, digest: tokens.digests.access, prefix: tokens.prefix, lifetime });
  return tokens;
}

type Access = { id: string; digest: Buffer; prefix: string; lifetime: SessionLifetime };

/** No access token outlives its session. Answers for how long it is good. */
async function addAccess(tx: Queryable, { id, digest, prefix, lifetime }: Access): Promise<number> {
  const [row] = await tx.query<{ ms: number }>(
    `insert into key_secret (digest, key_id, bucket, prefix, expires_at)
     select $2, k.id, k.bucket, $3, least(c.expires_at, clock_timestamp() + $4::bigint * interval '1 millisecond')
       from key k join client_session c on c.id = k.id where k.id = $1
     returning (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as ms`,
    [id, digest, prefix, lifetime.accessMs],
  );
  return row?.ms ?? 0;
}

type Held = {
  id: string;
  personId: string;
  isCurrent: boolean;
  /** It was the one before, and its successor is not older than the grace. */
  isRepeated: boolean;
  salt: Buffer | null;
  isOver: boolean;
  isRevoked: boolean;
  isActive: boolean;
};

/** Of several that show the same token, one rotates it and the others see what it did. */
const HELD = `
  select c.id, c.person_id as "personId", c.refresh_digest = $2 as "isCurrent",
         coalesce(c.previous_digest = $2 and c.refreshed_at > clock_timestamp() - $3::bigint * interval '1 millisecond', false) as "isRepeated",
         c.salt, c.expires_at <= clock_timestamp() as "isOver", k.status = 'revoked' as "isRevoked",
         k.status = 'active' and not exists (select from account u where u.id = any (a.path) and u.status <> 'active') as "isActive"
    from client_session c join key k on k.id = c.id join account a on a.id = k.account_id
   where c.family_digest = $1 for update of c`;

function refusalOf(row: Held): Extract<StoredRefresh, { kind: "refused" }>["reason"] | null {
  if (row.isRevoked) return "ended";
  // Before anything else that is wrong: two have it.
  if (!row.isCurrent && !row.isRepeated) return "reused";
  if (row.isOver) return "over";
  return row.isActive ? null : "suspended";
}

async function rotate(tx: Queryable, { id }: Held, { next, salt, lifetime }: ShownRefresh): Promise<number> {
  const { digests, prefix } = next(salt);
  await tx.query(
    `update client_session set previous_digest = refresh_digest, refresh_digest = $2, salt = $3, refreshed_at = now,
            expires_at = least(now + $4::bigint * interval '1 millisecond', created_at + $5::bigint * interval '1 millisecond')
       from clock_timestamp() now where id = $1`,
    [id, digests.refresh, salt, lifetime.idleMs, lifetime.longestMs],
  );
  await tx.query("delete from key_secret where key_id = $1 and expires_at <= clock_timestamp()", [id]);
  return addAccess(tx, { id, digest: digests.access, prefix, lifetime });
}

async function leftOf(tx: Queryable, digest: Buffer): Promise<number> {
  const sql =
    "select (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as ms from key_secret where digest = $1";
  return (await tx.query<{ ms: number }>(sql, [digest]))[0]?.ms ?? 0;
}

type Because = "signed_out" | "ended" | "reused";

async function end(
  queryable: Queryable,
  personId: string,
  which: { id: string } | { except: string | null },
  because: Because,
): Promise<number> {
  const [row] = await queryable.query<{ ended: number }>(
    `select client_sessions_end($1, array(
       select id from client_session where person_id = $1 and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)
     ), $4) as ended`,
    "id" in which ? [personId, which.id, null, because] : [personId, null, which.except, because],
  );
  return row?.ended ?? 0;
}
