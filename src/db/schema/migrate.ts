import { setTimeout as delay } from "node:timers/promises";
import { sqlStateOf } from "../database-error.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { grantRoles, keepPrivileges, type Roles } from "./privileges.ts";
import { type AppliedEdition, type Newer, newerThan, requireServing } from "./newer-schema.ts";
import {
  type Applicable,
  type AppliedMigration,
  type Edition,
  type FunctionFile,
  type MigrationFile,
  MigrationError,
  type Pending,
  argumentsOf,
  pendingIn,
  readEdition,
  readFunctions,
  readMigrations,
} from "../schema-files.ts";

export type MigrationStep = { name: string; elapsedMs: number };

/** `functions`: those that were defined anew or removed. `newer`: the database is of a newer program; nothing was changed. */
export type Migrated = { applied: string[]; functions: string[]; current: string; newer: Newer | null };

type MigrateOptions = {
  /** A folder as `schema/` is. */
  folder: string;
  /** The version of this program. It is kept, so that older programs can say which one to install. */
  program?: string;
  /** Told after each migration that was applied. It counts once all are. */
  onStep?: (step: MigrationStep) => void;
  /** Roles beside the owner, which are given what is theirs. */
  roles?: Roles;
  /** How long to try for locks that others hold; a minute, unless told otherwise. */
  lockPatienceMs?: number;
};

/** Any number will do, as long as nobody else uses it in this database. */
const FIRST_LOCK = 7_016_655_443;
const OLDEST_VERSION = 15;
/**
 * Whoever comes after a migration that waits for a lock waits, too: gateways that serve meanwhile are held up for no longer than
 * this at a time, and have twice as long to catch up.
 */
const LOCK_TIMEOUT_MS = 1_000;
const LOCK_PAUSE_MS = 2_000;
const LOCK_PATIENCE_MS = 60_000;
/** A lock that did not come in time, and two that waited for each other. */
const IN_THE_WAY: ReadonlySet<string> = new Set(["55P03", "40P01"]);

/**
 * Brings the database to the schema of this program: tables by what is pending of the migrations, functions by their files. All of it is one
 * transaction, so that nobody meets tables with the functions of others. Any number of processes may do so at once. An older program changes
 * nothing.
 */
export async function migrate(
  database: Database,
  { folder, program, onStep, roles, lockPatienceMs = LOCK_PATIENCE_MS }: MigrateOptions,
): Promise<Migrated> {
  const [files, functions, edition] = await Promise.all([
    readMigrations(folder),
    readFunctions(folder),
    readEdition(folder),
  ]);
  if (edition === null && functions.length > 0) throw new MigrationError(`${folder} has functions and no edition.json`);
  const schema = { folder, files, functions, edition, program: program ?? null };
  await requireVersion(database);
  const migrated = await patiently(database, lockPatienceMs, (tx) => bringForward(tx, schema, onStep));
  if (roles && migrated.newer === null)
    await patiently(database, lockPatienceMs, (tx) => grantRoles(tx, functions, roles));
  return migrated;
}

/** Tries again while somebody else's transaction is in the way, and in the end says whose. */
async function patiently<Result>(
  database: Database,
  patienceMs: number,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  for (const untilMs = performance.now() + patienceMs; ;) {
    try {
      return await database.transaction(work);
    } catch (error) {
      if (!IN_THE_WAY.has(sqlStateOf(error) ?? "")) throw error;
      const before = await lockHolders(database);
      await delay(Math.min(LOCK_PAUSE_MS, patienceMs));
      if (performance.now() < untilMs) continue;
      const still = new Set((await lockHolders(database)).map(({ transaction }) => transaction));
      const holders = before.filter(({ transaction }) => still.has(transaction));
      throw new MigrationError(inTheWay(holders, patienceMs), { cause: error });
    }
  }
}

type LockHolder = { transaction: string; pid: number; role: string | null };

/** Whoever has locked a table of ours. One that is listed twice, seconds apart, has not ended its transaction. */
const lockHolders = (queryable: Queryable): Promise<LockHolder[]> =>
  queryable.query<LockHolder>(`
    select distinct l.virtualtransaction as transaction, l.pid, a.usename::text as role
      from pg_locks l join pg_class c on c.oid = l.relation left join pg_stat_activity a on a.pid = l.pid
     where l.granted and l.database = (select oid from pg_database where datname = current_database())
       and c.relnamespace = (select relnamespace from pg_class where oid = 'migration'::regclass)
     order by l.pid`);

function inTheWay(holders: readonly LockHolder[], patienceMs: number): string {
  const sessions = holders.map(({ pid, role }) => `${pid} (${role ?? "unknown role"})`).join(", ");
  return (
    `a table stayed locked for ${Math.round(patienceMs / 1_000)} s. Sessions with open transactions: ${sessions || "none now"}. ` +
    "End them with select pg_terminate_backend(PID), as their own role, a member of pg_signal_backend or a superuser, and migrate again"
  );
}

/** `pending`: names of migrations, and the edition of the functions. `newer`: what a newer program has applied. */
export type SchemaState = { pending: string[]; newer: Newer | null };

/** How the database stands to this program. Changes nothing. */
export async function readSchemaState(database: Queryable, { folder }: { folder: string }): Promise<SchemaState> {
  const [files, edition] = await Promise.all([readMigrations(folder), readEdition(folder)]);
  const [found] = await database.query<{ migration: boolean; edition: boolean }>(
    "select to_regclass('migration') is not null as migration, to_regclass('function_edition') is not null as edition",
  );
  const pending = await pendingIn(folder, files, found?.migration ? await readApplied(database) : []);
  const editions = found?.edition && edition ? await readEditions(database, edition.edition) : [];
  const newer = newerThan({ migration: files.at(-1)?.number ?? 0, edition }, { migrations: pending.newer, editions });
  const has = editions.at(-1) ?? null;
  const isDue = edition !== null && relationOf(edition, has) === "due";
  return { pending: [...namesOf(pending), ...(isDue ? [`functions of edition ${edition.edition}`] : [])], newer };
}

/** What is not applied yet. Throws when this program cannot serve on what a newer one has applied. */
export async function pendingMigrations(database: Queryable, options: { folder: string }): Promise<string[]> {
  const { pending, newer } = await readSchemaState(database, options);
  requireServing(newer);
  return pending;
}

/** Whether anybody has migrated this database before. */
export async function isMigrated(database: Queryable): Promise<boolean> {
  const [found] = await database.query<{ is: boolean }>("select to_regclass('migration') is not null as is");
  return found?.is ?? false;
}

const namesOf = ({ adopt, migrations }: Pending): string[] =>
  [...(adopt?.files ?? []), ...migrations].map(({ name }) => name);

/** How the functions of the database stand to those of this program. Two editions of one number are of two who changed it at once. */
function relationOf(edition: Edition, has: Pick<Edition, "edition" | "sha256"> | null): "same" | "due" | "newer" {
  if (has === null || has.edition < edition.edition) return "due";
  if (has.edition > edition.edition) return "newer";
  return has.sha256 === edition.sha256 ? "same" : "due";
}

type Schema = {
  folder: string;
  files: MigrationFile[];
  functions: FunctionFile[];
  edition: Edition | null;
  program: string | null;
};

async function bringForward(
  tx: Transaction,
  { folder, files, functions, edition, program }: Schema,
  onStep: MigrateOptions["onStep"],
): Promise<Migrated> {
  await lock(tx);
  const pending = await pendingIn(folder, files, await readApplied(tx));
  const editions = edition === null ? [] : await readEditions(tx, edition.edition);
  const relation = edition === null ? "same" : relationOf(edition, editions.at(-1) ?? null);
  const current = files.at(-1)?.name ?? "";
  const newer = newerThan({ migration: files.at(-1)?.number ?? 0, edition }, { migrations: pending.newer, editions });
  if (newer !== null) return { applied: [], functions: [], current, newer };

  const due =
    relation === "due" ? await changedOf(tx, functions, pending.adopt?.functions ?? {}) : { changed: [], gone: [] };
  const waiting = [...due.changed];
  const steps = [...(pending.adopt?.files ?? []), ...pending.migrations];
  for (const [index, file] of steps.entries()) {
    const startedMs = performance.now();
    await define(tx, takeDefinable(waiting, steps.slice(index)));
    // The tables of an adopted database are those of the baseline by now.
    if (pending.adopt === null || file !== pending.migrations[0]) await tx.script(file.sql);
    onStep?.({ name: file.name, elapsedMs: Math.round(performance.now() - startedMs) });
  }
  await define(tx, waiting);
  await forget(tx, due.gone);
  await noteMigrations(tx, [...(pending.adopt?.history ?? []), ...pending.migrations], program);
  if (edition !== null && relation === "due") await noteEdition(tx, edition, program);
  if (steps.length > 0 || relation === "due") await keepPrivileges(tx, functions);
  const touched = [...due.changed, ...due.gone].map(({ name }) => name).sort();
  return { applied: namesOf(pending), functions: touched, current, newer: null };
}

async function lock(tx: Transaction): Promise<void> {
  // The lock ends with the transaction, so it needs no session of its own and passes through poolers. What others applied
  // is read after the wait for it, never before. It is a lock of the table, since any role can take an advisory one and keep it;
  // before there is a table, nobody but its owner has a reason to be here. Everything goes where that table is, even if a schema
  // that comes earlier in the caller's search path was made since, and functions that say so keep this path. What says which functions
  // there are belongs to the owner of the tables, whoever migrates. Bodies are not looked at, since they name what may come after them.
  await tx.script(`
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0;
    set local lock_timeout = 0;
    set local client_min_messages = warning;
    set local check_function_bodies = off;
    do $$
    begin
      if to_regclass('migration') is null then
        perform pg_advisory_xact_lock(${FIRST_LOCK});
        create table if not exists migration (
          number int primary key,
          name text not null,
          sha256 text not null,
          applied_at timestamptz not null default clock_timestamp()
        );
      end if;
    end $$;
    lock table migration in share row exclusive mode;
    select set_config('search_path', relnamespace::regnamespace::text || ', pg_temp', true) from pg_class where oid = 'migration'::regclass;
    create table if not exists function_edition (
      edition int not null,
      sha256 text not null,
      applied_at timestamptz not null default clock_timestamp()
    );
    create table if not exists function_defined (name text primary key, signature text not null, sha256 text not null);
    set local lock_timeout = ${LOCK_TIMEOUT_MS};
    do $$
    declare
      v_owner text := (select pg_get_userbyid(relowner) from pg_class where oid = 'migration'::regclass);
      v_table regclass;
    begin
      for v_table in
        select oid from pg_class where oid in ('function_edition'::regclass, 'function_defined'::regclass)
           and pg_get_userbyid(relowner) <> v_owner and pg_has_role(relowner, 'usage')
      loop
        execute format('alter table %s owner to %I', v_table, v_owner);
      end loop;
      for v_table in
        select t from unnest(array['migration'::regclass, 'function_edition'::regclass]) t
         where not exists (select from pg_attribute where attrelid = t and attname = 'serves_from')
      loop
        execute format('alter table %s add column serves_from int, add column program text', v_table);
      end loop;
    end $$`);
}

type Defined = { name: string; signature: string; sha256: string };
type Changed = FunctionFile & { before: string | null };

/** Which functions the database has otherwise than these files, and which have no file any more. */
async function changedOf(
  tx: Transaction,
  functions: readonly FunctionFile[],
  signaturesBefore: { [name: string]: string },
): Promise<{ changed: Changed[]; gone: Defined[] }> {
  const defined = await tx.query<Defined>("select name, signature, sha256 from function_defined");
  const before = new Map(defined.map((one) => [one.name, one]));
  const names = new Set(functions.map(({ name }) => name));
  return {
    changed: functions
      .filter(({ name, sha256 }) => before.get(name)?.sha256 !== sha256)
      .map((one) => ({ ...one, before: before.get(one.name)?.signature ?? signaturesBefore[one.name] ?? null })),
    gone: defined.filter(({ name }) => !names.has(name)),
  };
}

const MADE = /^\s*create\s+(?:unlogged\s+)?(?:table|type|domain|view)\s+([a-z_0-9]+)/gim;

/** Takes those functions out that can be defined before these migrations: they take and answer nothing of what these make. */
function takeDefinable(waiting: Changed[], steps: readonly MigrationFile[]): Changed[] {
  const made = new Set(steps.flatMap(({ sql }) => [...sql.matchAll(MADE)].map(([, name = ""]) => name)));
  const isLater = ({ sql, signature }: Changed): boolean =>
    !isDefinitionAlone(sql) || signature.split(/\W+/).some((word) => made.has(word));
  const definable = waiting.filter((one) => !isLater(one));
  waiting.splice(0, waiting.length, ...waiting.filter(isLater));
  return definable;
}

/** Nothing is called beside: what is may need the tables. */
const isDefinitionAlone = (sql: string): boolean => !/^select /m.test(sql);

/** A function whose arguments or answer have changed is another one to PostgreSQL, and replaces nothing. */
async function define(tx: Transaction, functions: readonly Changed[]): Promise<void> {
  if (functions.length === 0) return;
  const replaced = functions.flatMap(({ name, before, signature }) =>
    before === null || before === signature ? [] : [{ name, signature: before }],
  );
  await remove(tx, replaced);
  await tx.script(functions.map(({ sql }) => sql).join("\n"));
  await tx.query(
    `insert into function_defined (name, signature, sha256) select * from unnest($1::text[], $2::text[], $3::text[])
     on conflict (name) do update set signature = excluded.signature, sha256 = excluded.sha256`,
    [functions.map(({ name }) => name), functions.map((one) => one.signature), functions.map(({ sha256 }) => sha256)],
  );
}

async function forget(tx: Transaction, gone: readonly Defined[]): Promise<void> {
  if (gone.length === 0) return;
  await remove(tx, gone);
  await tx.query("delete from function_defined where name = any ($1::text[])", [gone.map(({ name }) => name)]);
}

/** These alone: others of the same name with other arguments are not ours. */
async function remove(tx: Transaction, functions: readonly { name: string; signature: string }[]): Promise<void> {
  if (functions.length === 0) return;
  const drops = functions.map(({ name, signature }) => `drop function if exists ${name}${argumentsOf(signature)}`);
  await tx.script(drops.join(";\n"));
}

async function noteMigrations(tx: Transaction, rows: readonly Applicable[], program: string | null): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `insert into migration (number, name, sha256, serves_from, program)
     select number, name, sha256, serves_from, $5::text
       from unnest($1::int[], $2::text[], $3::text[], $4::int[]) as m (number, name, sha256, serves_from)`,
    [
      rows.map(({ number }) => number),
      rows.map(({ name }) => name),
      rows.map(({ sha256 }) => sha256),
      rows.map(({ servesFrom }) => servesFrom ?? null),
      program,
    ],
  );
}

const noteEdition = (
  tx: Transaction,
  { edition, sha256, servesFrom }: Edition,
  program: string | null,
): Promise<unknown> =>
  tx.query("insert into function_edition (edition, sha256, serves_from, program) values ($1, $2, $3, $4)", [
    edition,
    sha256,
    servesFrom ?? null,
    program,
  ]);

/**
 * The edition that counts, as the last, and those before it that are newer than this one. Of two of one number the last one counts. The
 * number comes first: the clock of another server may be behind. By name, since a database of an earlier version lacks these columns.
 */
const readEditions = (queryable: Queryable, than: number): Promise<AppliedEdition[]> =>
  queryable.query<AppliedEdition>(
    `select edition, sha256, (to_jsonb(e) ->> 'serves_from')::int as "servesFrom", to_jsonb(e) ->> 'program' as program,
            applied_at as "appliedAt"
       from function_edition e
      where edition > $1 or edition = (select max(edition) from function_edition)
      order by edition, applied_at`,
    [than],
  );

const readApplied = (queryable: Queryable): Promise<AppliedMigration[]> =>
  queryable.query<AppliedMigration>(
    `select number, name, sha256, (to_jsonb(m) ->> 'serves_from')::int as "servesFrom", to_jsonb(m) ->> 'program' as program,
            applied_at as "appliedAt"
       from migration m order by number`,
  );

async function requireVersion(queryable: Queryable): Promise<void> {
  const [row] = await queryable.query<{ version: string }>("select current_setting('server_version') as version");
  const version = row?.version ?? "unknown";
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return;
  throw new MigrationError(`PostgreSQL ${OLDEST_VERSION} or newer is needed; this server is ${version}`);
}
