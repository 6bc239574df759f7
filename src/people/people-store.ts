import { sqlStateOf } from "../db/database-error.ts";
import type { Database, Queryable } from "../db/database.ts";
import type { Grant, HeldGrant, NewPerson, PeopleStore, Person } from "./person.ts";
import { endWaysIn } from "./ways-in-store.ts";

export type PersonRow = {
  id: string;
  email: string;
  name: string;
  state: "active" | "removed";
  accountId: string | null;
  account: string | null;
  hasPassword: boolean;
  hasSso: boolean;
  createdAt: Date;
  removedAt: Date | null;
  lastSeenAt: Date | null;
  grants: HeldGrant[];
};

/** The grants are read with the person, so that a change of them holds from the next request on. */
export const PERSON = `p.id, p.email, p.name, p.state, p.account_id as "accountId", account_title(p.account_id) as account,
  p.password_hash is not null as "hasPassword",
  exists (select from identity i where i.person_id = p.id and i.left_at is null) as "hasSso", p.created_at as "createdAt", p.removed_at as "removedAt", p.last_seen_at as "lastSeenAt",
  coalesce((
    select jsonb_agg(jsonb_build_object('role', g.role, 'accountId', g.account_id, 'source', g.source, 'account', account_title(g.account_id),
                                        'path', a.path) order by g.account_id nulls first, g.role, g.source)
      from role_grant g left join account a on a.id = g.account_id where g.person_id = p.id
  ), '[]') as grants`;

export const personOf = ({ createdAt, removedAt, lastSeenAt, ...row }: PersonRow): Person => ({
  ...row,
  createdAtMs: createdAt.getTime(),
  removedAtMs: removedAt?.getTime() ?? null,
  lastSeenAtMs: lastSeenAt?.getTime() ?? null,
});

/** Everything that says where somebody belongs lies below these accounts, and something does say it. */
const BELONGS = `
  not exists (select from role_grant g left join account a on a.id = g.account_id
               where g.person_id = p.id and (g.account_id is null or not a.path && $1::uuid[]))
  and (p.account_id is null or exists (select from account a where a.id = p.account_id and a.path && $1::uuid[]))
  and (p.account_id is not null or exists (select from role_grant g where g.person_id = p.id))`;

const OWNERS = `
  select distinct person_id as id from role_grant g join person p on p.id = g.person_id
   where g.role = 'owner' and g.account_id is null and p.state = 'active'`;

const UNIQUE_VIOLATION = "23505";

type Connection = Pick<Database, "query" | "transaction">;

export const createPeopleStore = (database: Connection): PeopleStore => ({
  ...readPeople(database),

  insert: (person) => database.transaction((tx) => add(tx, person)).catch(takenOr),

  insertFirst: (person) =>
    database.transaction(async (tx) => {
      // Whoever else adds somebody waits: whether there is anybody is read under the lock.
      await tx.query("lock table person in share row exclusive mode");
      return (await tx.query("select from person limit 1")).length > 0 ? "not_first" : add(tx, person);
    }),

  update: (id, { email, name, accountId }) =>
    database
      .query(
        `update person set email = coalesce($2, email), name = coalesce($3, name),
                account_id = case when $4::boolean then $5::uuid else account_id end
          where id = $1 and state = 'active' returning id`,
        [id, email ?? null, name ?? null, accountId !== undefined, accountId ?? null],
      )
      .then((rows) => (rows.length > 0 ? ("done" as const) : ("unknown" as const)))
      .catch(takenOr),

  remove: (id, atMs) => keepingAnOwner(database, (tx) => remove(tx, id, atMs)),

  setGrants: (id, grants, source) =>
    keepingAnOwner(database, async (tx) => {
      if (!(await lockActive(tx, id))) return "unknown";
      await tx.query("delete from role_grant where person_id = $1 and source = $2", [id, source]);
      await grant(tx, id, { grants, source });
      return "done";
    }),

  changeGrants: (id, change) =>
    keepingAnOwner(database, async (tx) => {
      if (!(await lockActive(tx, id))) return "unknown";
      const taken = await takeGiven(tx, id, change.remove);
      const given = await grant(tx, id, { grants: change.add, source: "given" });
      return taken.length + given.length > 0 ? "done" : "unchanged";
    }),
});

function readPeople(database: Queryable): Pick<PeopleStore, "byId" | "byEmail" | "list" | "belongs" | "anybody"> {
  const select = async (where: string, values: readonly unknown[]): Promise<Person[]> =>
    (await database.query<PersonRow>(`select ${PERSON} from person p where ${where}`, values)).map(personOf);

  return {
    byId: async (id) => (await select("p.id = $1", [id]))[0] ?? null,
    byEmail: async (email) => (await select("p.email = $1 and p.state = 'active'", [email]))[0] ?? null,

    list: ({ limit, after, within }) =>
      select(
        `p.state = 'active' and ($1::uuid[] is null or ${BELONGS}) and ($2::text is null or p.email > $2) order by p.email limit $3`,
        [within, after, limit],
      ),

    belongs: async (id, within) =>
      (await database.query(`select from person p where p.id = $2 and ${BELONGS}`, [within, id])).length > 0,

    anybody: async () => (await database.query("select from person limit 1")).length > 0,
  };
}

async function add(tx: Queryable, person: NewPerson): Promise<"done"> {
  const { id, email, name, accountId, passwordHash, atMs } = person;
  await tx.query(
    "insert into person (id, email, name, account_id, password_hash, created_at) values ($1, $2, $3, $4, $5, $6)",
    [id, email, name, accountId, passwordHash, new Date(atMs)],
  );
  await grant(tx, id, person);
  return "done";
}

async function remove(tx: Queryable, id: string, atMs: number): Promise<"done" | "unknown"> {
  const removed = await tx.query(
    "update person set state = 'removed', removed_at = $2, password_hash = null where id = $1 and state = 'active' returning id",
    [id, new Date(atMs)],
  );
  if (removed.length === 0) return "unknown";
  await tx.query("delete from role_grant where person_id = $1", [id]);
  await endWaysIn(tx, id, atMs);
  // It stays, so that they do not come back as somebody new.
  await tx.query("update identity set refresh_key_id = null, refresh_box = null where person_id = $1", [id]);
  return "done";
}

const lockActive = async (tx: Queryable, id: string): Promise<boolean> =>
  (await tx.query("select from person where id = $1 and state = 'active' for update", [id])).length > 0;

const grant = (tx: Queryable, id: string, { grants, source }: Pick<NewPerson, "grants" | "source">) =>
  tx.query(
    `insert into role_grant (person_id, role, account_id, source) select $1, r, a, $4
       from unnest($2::text[], $3::uuid[]) u(r, a) on conflict do nothing returning role`,
    [id, grants.map(({ role }) => role), grants.map(({ accountId }) => accountId), source],
  );

const takeGiven = (tx: Queryable, id: string, grants: readonly Grant[]) =>
  tx.query(
    `delete from role_grant g using unnest($2::text[], $3::uuid[]) u(r, a)
      where g.person_id = $1 and g.source = 'given' and g.role = u.r and g.account_id is not distinct from u.a returning g.role`,
    [id, grants.map(({ role }) => role), grants.map(({ accountId }) => accountId)],
  );

class NobodyInCharge extends Error {}

/** Undoes what would leave no owner everywhere. Whoever could do that waits for whoever else could. */
async function keepingAnOwner<Done>(
  database: Connection,
  work: (tx: Queryable) => Promise<Done>,
): Promise<Done | "last_owner"> {
  try {
    return await database.transaction(async (tx) => {
      await tx.query("select from person order by id limit 1 for update");
      const before = await tx.query(OWNERS);
      const done = await work(tx);
      if (before.length > 0 && (await tx.query(OWNERS)).length === 0) throw new NobodyInCharge();
      return done;
    });
  } catch (error) {
    if (error instanceof NobodyInCharge) return "last_owner";
    throw error;
  }
}

function takenOr(error: unknown): "email_taken" {
  if (sqlStateOf(error) === UNIQUE_VIOLATION) return "email_taken";
  throw error;
}
