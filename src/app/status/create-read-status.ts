import { buildInfo } from "../../config/build-info.ts";
import type { Clock } from "../../core/clock.ts";
import { type Health, wordOf } from "../../core/health.ts";
import { inTime } from "../../core/in-time.ts";
import type { Database } from "../../db/database.ts";
import { pendingMigrations } from "../../db/schema/migrate.ts";
import { MigrationError, schemaFolder, schemaVersion } from "../../db/schema-files.ts";
import { readLedgerFacts } from "../../doctor/facts-store.ts";
import { readAppliedScripts, readProcesses, readServerVersion } from "../../doctor/state-store.ts";
import type { EventLoopLag } from "./watch-event-loop.ts";

type Parts = {
  database: Database;
  operatorDatabase: Database;
  processId: string;
  startedAtMs: number;
  workers: number;
  health: () => Health;
  eventLoop: () => EventLoopLag;
  clock: Pick<Clock, "nowMs" | "elapsedMs">;
};

/** What this process and its database are like now. What the database does not answer is null. */
export function createReadStatus(parts: Parts) {
  const { database, operatorDatabase, clock } = parts;
  const build = buildInfo();
  const schema = schemaVersion(schemaFolder());
  return async () => {
    const [asked, stored] = await Promise.all([ask(operatorDatabase, clock), readStored(operatorDatabase)]);
    return {
      ...wordOf(parts.health()),
      ...build,
      schema,
      node: process.versions.node,
      workers: parts.workers,
      process: {
        id: parts.processId,
        startedAtMs: parts.startedAtMs,
        memoryBytes: process.memoryUsage.rss(),
        eventLoop: parts.eventLoop(),
      },
      database: {
        ...asked,
        isEmbedded: database.connections() === null,
        pool: database.connections(),
        operatorPool: operatorDatabase === database ? null : operatorDatabase.connections(),
      },
      ...stored,
    };
  };
}

async function ask(database: Database, clock: Pick<Clock, "elapsedMs">) {
  const sinceMs = clock.elapsedMs();
  const version = await orNull(readServerVersion(database));
  return { version, answerMs: version === null ? null : Math.round((clock.elapsedMs() - sinceMs) * 10) / 10 };
}

/** Small tables alone: nothing here reads the journal. What fails alone, or does not answer, leaves the rest. */
async function readStored(database: Database) {
  const [migrations, processes, ledger] = await Promise.all([
    orNull(migrationsOf(database)),
    orNull(processesOf(database)),
    orNull(ledgerOf(database)),
  ]);
  return { migrations, processes, ledger };
}

/** Whoever asks what is wrong is answered while the database hangs, too. */
const PATIENCE_MS = 2_000;

const orNull = <Read>(reading: Promise<Read>): Promise<Read | null> =>
  inTime(
    PATIENCE_MS,
    reading.catch(() => null),
    null,
  );

async function migrationsOf(database: Database) {
  const applied = await readAppliedScripts(database);
  const pending = await pendingMigrations(database, { folder: schemaFolder() }).catch(unfit);
  return { applied: applied.map(({ name, appliedAt }) => ({ name, atMs: appliedAt.getTime() })), pending };
}

/** The database has been migrated by another version: what is pending here has no answer. */
function unfit(error: unknown): null {
  if (error instanceof MigrationError) return null;
  throw error;
}

const processesOf = async (database: Database) =>
  (await readProcesses(database)).map(({ id, renewingSince, leaseUntil, isAlive }) => ({
    id,
    renewingSinceMs: renewingSince.getTime(),
    leaseUntilMs: leaseUntil.getTime(),
    isAlive,
  }));

async function ledgerOf(database: Database) {
  const { quarantined, unswept, misplaced, oldestOwed, unpartitioned } = await readLedgerFacts(database);
  return { quarantined, unswept, misplaced, oldestOwedMs: oldestOwed?.getTime() ?? null, unpartitioned };
}
