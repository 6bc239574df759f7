import { escapeIdentifier } from "pg";
import type { Queryable, Transaction } from "../database.ts";
import { type FunctionFile, MigrationError } from "../schema-files.ts";

/** Roles beside the owner, by the names that an installation has given them. */
export type Roles = { servingRole?: string; readingRole?: string };

type Grants = Readonly<Record<string, string>>;

const ALL_ROWS = "select, insert, update, delete";
/** What is written down for good. */
const ADDED_TO = "select, insert";

/** What the serving role may do to each table, view and sequence. What the version before still uses stays until no such process can run. */
const SERVING: Grants = {
  account: ALL_ROWS,
  audit: ADDED_TO,
  audit_end: ADDED_TO,
  balance: ALL_ROWS,
  borne: ALL_ROWS,
  chain: ADDED_TO,
  chain_due: "select",
  charge: ADDED_TO,
  charge_in_words: "select",
  charge_kind: "select",
  client_session: ALL_ROWS,
  cost: ADDED_TO,
  counter: ALL_ROWS,
  counter_anywhere: "select",
  counter_id: "usage",
  counter_now: "select",
  counter_owner: "select",
  delivery: ALL_ROWS,
  device_grant: ALL_ROWS,
  duty: "select, update",
  endpoint: ALL_ROWS,
  function_edition: "select",
  funding: ADDED_TO,
  hold: ALL_ROWS,
  house: ADDED_TO,
  idempotency: ALL_ROWS,
  identity: ALL_ROWS,
  key: ALL_ROWS,
  key_secret: ALL_ROWS,
  key_session: ALL_ROWS,
  live_cancel: ALL_ROWS,
  live_process: ALL_ROWS,
  live_watch: ALL_ROWS,
  migration: "select",
  model: ALL_ROWS,
  notice: ADDED_TO,
  oidc_attempt: ALL_ROWS,
  person: ALL_ROWS,
  personal_token: ALL_ROWS,
  price: ALL_ROWS,
  price_check: ALL_ROWS,
  process: ALL_ROWS,
  provider: ALL_ROWS,
  quarantine: ALL_ROWS,
  rechain_owed: ALL_ROWS,
  refund: ADDED_TO,
  release: ADDED_TO,
  request: "select, insert",
  role_grant: ALL_ROWS,
  rollup_owed: ALL_ROWS,
  route: ALL_ROWS,
  series: ALL_ROWS,
  series_owed: ALL_ROWS,
  series_total: ALL_ROWS,
  served: ADDED_TO,
  server_line: "select, insert, update",
  session: ALL_ROWS,
  setup: ALL_ROWS,
  sign_in_failure: ALL_ROWS,
  threshold: ALL_ROWS,
  usage_day: ALL_ROWS,
  usage_rollup: ALL_ROWS,
  verification: ADDED_TO,
  word: ADDED_TO,
};

/**
 * What the reading role does not see, or sees in part: digests of keys and of whatever people sign in with, stored answers, sealed
 * credentials, and what only gateways use.
 */
const HIDDEN: Grants = {
  client_session: "select (id, person_id, client, agent, address, created_at, refreshed_at, expires_at, ended_because)",
  counter_now: "",
  counter_id: "",
  device_grant: "",
  duty: "",
  idempotency: "",
  identity: "select (issuer, subject, person_id, groups, checked_at)",
  key_secret: "",
  key_session: "",
  oidc_attempt: "",
  person: "select (id, email, name, state, account_id, created_at, removed_at, last_seen_at)",
  personal_token:
    "select (id, prefix, person_id, name, role, account_id, created_at, expires_at, last_used_at, revoked_at)",
  provider:
    "select (name, base_url, credential_ref, credential_key_id, created_at, unknown_members, open_members, context_window, traceparent, platform)",
  session: "",
  setup: "",
  sign_in_failure: "",
};

const READING: Grants = Object.fromEntries(
  Object.keys(SERVING)
    .map((name) => [name, HIDDEN[name] ?? "select"] as const)
    .filter(([, grants]) => grants !== ""),
);

/** `stranger`: it belongs to another role than the tables do, whose name is `owner`. */
type OurFunction = { signature: string; isTrigger: boolean; open: boolean; stranger: boolean; owner: string };

/** The schema is where `migration` is, which every script of ours writes to. */
const FUNCTIONS = `
  select p.oid::regprocedure::text as signature, p.prorettype = 'trigger'::regtype as "isTrigger",
         exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) where grantee = 0) as open,
         p.proowner <> c.relowner as stranger, pg_get_userbyid(c.relowner)::text as owner
    from pg_proc p join pg_class c on c.oid = 'migration'::regclass and c.relnamespace = p.pronamespace
   where p.proname = any ($1::text[]) and pg_has_role(p.proowner, 'usage')
   order by 1`;

const SERVING_ROLES = `
  select distinct pg_get_userbyid(a.grantee) as name
    from pg_class c cross join lateral aclexplode(c.relacl) a
   where c.oid = to_regclass('charge') and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)`;

const TABLES = `
  select c.relname as name from pg_class c
   where c.relnamespace = (select relnamespace from pg_class where oid = 'migration'::regclass)
     and c.relkind in ('r', 'p', 'v', 'S') and c.relname = any ($1::text[])`;

const SCHEMA = `
  select n.nspname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = 'migration'::regclass`;

/**
 * Takes these functions from everybody and gives them to the roles that serve, with the tables. In the transaction of every migration: a
 * gateway that serves as another role than the owner must not meet a function that it may not call yet. A role that may write charges
 * serves, so the serving roles need not be named again. Functions belong to whoever owns the tables, whoever migrates: some of them run as
 * their owner.
 */
export async function keepPrivileges(tx: Transaction, functions: readonly FunctionFile[]): Promise<void> {
  const ours = await functionsOf(tx, functions);
  const serving = await tx.query<{ name: string }>(SERVING_ROLES);
  const present = await presentTables(tx);
  await run(tx, [
    ...owned(ours),
    ...closed(ours),
    ...serving.flatMap(({ name }) => [...granted(name, SERVING, present), ...callable(name, ours)]),
  ]);
}

/** Gives the named roles exactly what is theirs: what else they had of our tables is taken first. */
export async function grantRoles(
  tx: Transaction,
  functions: readonly FunctionFile[],
  { servingRole, readingRole }: Roles,
): Promise<void> {
  const ours = await functionsOf(tx, functions);
  const present = await presentTables(tx);
  const [schema] = await tx.query<{ name: string }>(SCHEMA);
  const statements = closed(ours);
  for (const [role, grants] of [
    [servingRole, SERVING],
    [readingRole, READING],
  ] as const) {
    if (role === undefined) continue;
    await requireRole(tx, role);
    statements.push(
      `grant usage on schema ${escapeIdentifier(schema?.name ?? "public")} to ${escapeIdentifier(role)}`,
      ...present.map((table) => `revoke all on ${escapeIdentifier(table)} from ${escapeIdentifier(role)}`),
      ...granted(role, grants, present),
    );
  }
  if (servingRole !== undefined) statements.push(...callable(servingRole, ours));
  await run(tx, statements);
}

/** A role as the server sees it, and how its rights differ from those of a serving role. */
export type RoleRights = {
  role: string;
  isSuperuser: boolean;
  /** Whether it has the rights of whoever owns the tables. */
  isOwner: boolean;
  owner: string;
  /** What a gateway needs and this role may not do: `insert on charge`, `execute turn_v1`. */
  missing: string[];
  /** What rewrites the journal, and this role may do without owning it: `update on charge`. */
  excess: string[];
  /** Other roles that may see or change the digests of keys, and are not serving roles. */
  strangers: string[];
};

const ROLE = `
  select current_user::text as role, (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
         pg_get_userbyid(relowner)::text as owner, pg_has_role(relowner, 'usage') as "isOwner"
    from pg_class where oid = 'migration'::regclass`;

const LACKING = `
  select a.action || ' on ' || a.name as right
    from unnest($1::text[], $2::text[]) a(name, action)
   where to_regclass(a.name) is not null
     and case a.action when 'usage' then has_sequence_privilege(to_regclass(a.name), a.action)
                       else has_table_privilege(to_regclass(a.name), a.action) end = $3`;

const UNCALLABLE = `
  select distinct 'execute ' || p.proname as right from pg_proc p
   where p.pronamespace = (select relnamespace from pg_class where oid = 'migration'::regclass)
     and p.proname = any ($1::text[]) and p.prorettype <> 'trigger'::regtype and not has_function_privilege(p.oid, 'execute')`;

/** A serving role adds charges and changes none. What a platform grants on every table of a schema, as Supabase does, is everything. */
const STRANGERS = `
  select coalesce(pg_get_userbyid(nullif(g.grantee, 0)), 'public')::text as name
    from (select distinct a.grantee, c.relowner from pg_class c cross join aclexplode(c.relacl) a where c.oid = 'key_secret'::regclass) g
   where g.grantee not in (g.relowner, (select oid from pg_roles where rolname = current_user))
     and (g.grantee = 0 or not has_table_privilege(g.grantee, 'charge', 'insert') or has_table_privilege(g.grantee, 'charge', 'update'))
   order by 1`;

const JOURNAL = ["audit", "audit_end", "chain", "charge", "funding", "house", "refund", "release", "word"];
const REWRITES = JOURNAL.flatMap((table) =>
  ["update", "delete", "truncate"].map((action): [string, string] => [table, action]),
);

/** What the connected role may do, compared with what a gateway must be able to do and must not. */
export async function readRights(queryable: Queryable, functions: readonly FunctionFile[]): Promise<RoleRights> {
  const [role] = await queryable.query<Omit<RoleRights, "missing" | "excess" | "strangers">>(ROLE);
  if (!role) throw new Error("a table has an owner");
  const needed = Object.entries(SERVING).flatMap(([table, actions]) =>
    actions.split(", ").map((action): [string, string] => [table, action]),
  );
  const having = async (pairs: readonly [string, string][], has: boolean): Promise<string[]> => {
    const columns = [pairs.map(([table]) => table), pairs.map(([, action]) => action)];
    const rows = await queryable.query<{ right: string }>(LACKING, [...columns, has]);
    return rows.map(({ right }) => right);
  };
  const uncallable = await queryable.query<{ right: string }>(UNCALLABLE, [functions.map(({ name }) => name)]);
  const missing = [...(await having(needed, false)), ...uncallable.map(({ right }) => right)].sort();
  const strangers = (await queryable.query<{ name: string }>(STRANGERS)).map(({ name }) => name);
  return { ...role, missing, excess: role.isOwner ? [] : await having(REWRITES, true), strangers };
}

function functionsOf(tx: Transaction, functions: readonly FunctionFile[]): Promise<OurFunction[]> {
  return tx.query<OurFunction>(FUNCTIONS, [functions.map(({ name }) => name)]);
}

async function presentTables(tx: Transaction): Promise<string[]> {
  const tables = await tx.query<{ name: string }>(TABLES, [Object.keys({ ...SERVING, ...READING })]);
  return tables.map(({ name }) => name);
}

const owned = (functions: readonly OurFunction[]): string[] =>
  functions
    .filter(({ stranger }) => stranger)
    .map(({ signature, owner }) => `alter function ${signature} owner to ${escapeIdentifier(owner)}`);

const closed = (functions: readonly OurFunction[]): string[] =>
  functions.filter(({ open }) => open).map(({ signature }) => `revoke execute on function ${signature} from public`);

const granted = (role: string, grants: Grants, present: readonly string[]): string[] =>
  present
    .filter((table) => grants[table] !== undefined)
    .map((table) => `grant ${grants[table]} on ${escapeIdentifier(table)} to ${escapeIdentifier(role)}`);

/** A trigger's function is called by the trigger alone, which asks for no privilege. */
const callable = (role: string, functions: readonly OurFunction[]): string[] =>
  functions
    .filter(({ isTrigger }) => !isTrigger)
    .map(({ signature }) => `grant execute on function ${signature} to ${escapeIdentifier(role)}`);

async function run(tx: Transaction, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await tx.script(statements.join(";\n"));
}

async function requireRole(tx: Transaction, role: string): Promise<void> {
  const found = await tx.query("select from pg_roles where rolname = $1", [role]);
  if (found.length === 0)
    throw new MigrationError(`there is no role ${role}. Create it first: create role ${role} login`);
}
