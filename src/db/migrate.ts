import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { sqlStateOf } from "./database-error.ts";
import type { Database, Queryable, Transaction } from "./database.ts";
import {
  type AppliedMigration,
  type MigrationFile,
  MigrationError,
  pendingOf,
  readMigrations,
} from "./migration-files.ts";
import { grantRoles, keepPrivileges, type Roles } from "./privileges.ts";

export type MigrationStep = { name: string; elapsedMs: number };

type MigrateOptions = {
  folder: string;
  /** Told after each migration that was applied. */
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
const LOCK_NOT_AVAILABLE = "55P03";

/** The `migrations/` folder of this package, from the sources and from the build alike. */
export const migrationsFolder = (): string => fileURLToPath(new URL("../../migrations", import.meta.url));

/** Applies what is pending, each file in a transaction of its own. Any number of processes may do so at once. */
export async function migrate(
  database: Database,
  { folder, onStep, roles, lockPatienceMs = LOCK_PATIENCE_MS }: MigrateOptions,
): Promise<{ applied: string[]; current: string }> {
  const files = await readMigrations(folder);
  await requireVersion(database);
  const applied: string[] = [];
  for (;;) {
    const step = await patiently(database, lockPatienceMs, (tx) => applyNext(tx, files));
    if (!step) break;
    applied.push(step.name);
    onStep?.(step);
  }
  if (roles) await patiently(database, lockPatienceMs, (tx) => grantRoles(tx, files, roles));
  return { applied, current: files.at(-1)?.name ?? "" };
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
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
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
    "End them, as a superuser with select pg_terminate_backend(PID), and migrate again"
  );
}

/** The names of the migrations not yet applied. Changes nothing. */
export async function pendingMigrations(database: Queryable, { folder }: { folder: string }): Promise<string[]> {
  const files = await readMigrations(folder);
  const [found] = await database.query<{ exists: boolean }>("select to_regclass('migration') is not null as exists");
  const applied = found?.exists ? await readApplied(database) : [];
  return pendingOf(files, applied).map(({ name }) => name);
}

async function applyNext(tx: Transaction, files: readonly MigrationFile[]): Promise<MigrationStep | null> {
  // The lock ends with the transaction, so it needs no session of its own and passes through poolers. What others applied
  // is read after the wait for it, never before. It is a lock of the table, since any role can take an advisory one and keep it;
  // before there is a table, nobody but its owner has a reason to be here.
  await tx.script(`
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0;
    set local lock_timeout = 0;
    set local client_min_messages = warning;
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
    set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
  const [next] = pendingOf(files, await readApplied(tx));
  if (!next) return null;
  const startedMs = performance.now();
  await tx.script(next.sql);
  await tx.query("insert into migration (number, name, sha256) values ($1, $2, $3)", [
    next.number,
    next.name,
    next.sha256,
  ]);
  await keepPrivileges(tx, files);
  return { name: next.name, elapsedMs: Math.round(performance.now() - startedMs) };
}

const readApplied = (queryable: Queryable): Promise<AppliedMigration[]> =>
  queryable.query<AppliedMigration>("select number, name, sha256 from migration order by number");

async function requireVersion(queryable: Queryable): Promise<void> {
  const [row] = await queryable.query<{ version: string }>("select current_setting('server_version') as version");
  const version = row?.version ?? "unknown";
  if (Number.parseInt(version, 10) >= OLDEST_VERSION) return;
  throw new MigrationError(`PostgreSQL ${OLDEST_VERSION} or newer is needed; this server is ${version}`);
}
