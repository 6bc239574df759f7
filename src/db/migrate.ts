import { fileURLToPath } from "node:url";
import type { Database, Queryable, Transaction } from "./database.ts";
import {
  type AppliedMigration,
  type MigrationFile,
  MigrationError,
  pendingOf,
  readMigrations,
} from "./migration-files.ts";

export type MigrationStep = { name: string; elapsedMs: number };

type MigrateOptions = {
  folder: string;
  /** Told after each migration that was applied. */
  onStep?: (step: MigrationStep) => void;
};

/** Any number will do, as long as nobody else uses it in this database. */
const LOCK = 7_016_655_443;
const OLDEST_VERSION = 15;

/** The `migrations/` folder of this package, from the sources and from the build alike. */
export const migrationsFolder = (): string => fileURLToPath(new URL("../../migrations", import.meta.url));

/** Applies what is pending, each file in a transaction of its own. Any number of processes may do so at once. */
export async function migrate(
  database: Database,
  { folder, onStep }: MigrateOptions,
): Promise<{ applied: string[]; current: string }> {
  const files = await readMigrations(folder);
  await requireVersion(database);
  const applied: string[] = [];
  for (;;) {
    const step = await database.transaction((tx) => applyNext(tx, files));
    if (!step) return { applied, current: files.at(-1)?.name ?? "" };
    applied.push(step.name);
    onStep?.(step);
  }
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
  // is read after the wait for it, never before.
  await tx.script(`
    set local statement_timeout = 0;
    set local idle_in_transaction_session_timeout = 0;
    select pg_advisory_xact_lock(${LOCK});
    set local client_min_messages = warning;
    create table if not exists migration (
      number int primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default clock_timestamp()
    )`);
  const [next] = pendingOf(files, await readApplied(tx));
  if (!next) return null;
  const startedMs = performance.now();
  await tx.script(next.sql);
  await tx.query("insert into migration (number, name, sha256) values ($1, $2, $3)", [
    next.number,
    next.name,
    next.sha256,
  ]);
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
