import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { asTamperer, createPlainOwner } from "./plain-owner.ts";
import { startCluster } from "./postgres-cluster.ts";
import type { PostgresVersion } from "./postgres-binaries.ts";
import { ownerOf } from "./run-owner.ts";
import { waitingFor } from "./time-spent.ts";

export type FreshDatabase = {
  url: string;
  /** For tests that do what triggers forbid. */
  tampererUrl: string;
  close: () => Promise<void>;
};
type SharedServer = { ownerUrl: string; pid: number };

const TEMPLATE = "tollgate_template";
/** File by file, which takes 30 ms of processor time where page by page through the log of the server takes 80. */
const BY_FILE = "strategy file_copy";
const BUILD_TIMEOUT_MS = 150_000;

/**
 * A migrated database that nobody else uses, as the role that owns it, which is no superuser. One server per test run and version serves
 * them all; it ends with the run.
 * DATABASE_URL, where set, names the server to use instead.
 */
export const freshDatabase = (options: FreshOptions = {}): Promise<FreshDatabase> =>
  waitingFor("PostgreSQL", () => createFresh(options));

type FreshOptions = { version?: PostgresVersion; migrated?: boolean; template?: string };

async function createFresh(options: FreshOptions): Promise<FreshDatabase> {
  const { version = "15", migrated = true, template = TEMPLATE } = options;
  const given = process.env["DATABASE_URL"];
  const ownerUrl = given ?? (await sharedServer(version)).ownerUrl;
  const name = `test_${process.pid}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}`;
  const copied = migrated && !given ? `template ${template} ${BY_FILE}` : "template template0";
  await administer(ownerUrl, `create database ${name} ${copied}`);
  const url = databaseUrl(ownerUrl, name);
  if (migrated && given) await migrateUrl(url);
  const tampererUrl = given === undefined ? asTamperer(url) : url;
  // It may end the sessions of both, where a connection is still about to close.
  const dropperUrl = given ?? asTamperer(ownerUrl);
  const close = () => administer(dropperUrl, `drop database if exists ${name} with (force)`);
  return { url, tampererUrl, close };
}

/** A folder that goes with the server of the run, and its address; null where a server was given, which keeps nothing of ours. */
export async function runFolder(): Promise<{ folder: string; ownerUrl: string } | null> {
  if (process.env["DATABASE_URL"] !== undefined) return null;
  const { ownerUrl } = await sharedServer("15");
  return { folder: folderOf("15"), ownerUrl };
}

const folderOf = (version: PostgresVersion): string => join(tmpdir(), `tollgate-test-run-${ownerOf()}-${version}`);

/** Test files run in processes of their own, so the first to come builds the server and the others wait for its address. */
async function sharedServer(version: PostgresVersion): Promise<SharedServer> {
  const ownerPid = ownerOf();
  const folder = folderOf(version);
  const address = join(folder, "address.json");
  for (const until = Date.now() + BUILD_TIMEOUT_MS; Date.now() < until; await delay(25)) {
    const server = await readServer(address);
    if (server && alive(server.pid)) return server;
    // Left behind by an earlier run that had the same process id.
    if (server) await rm(folder, { recursive: true, force: true });
    if (await claimed(folder)) return build({ version, ownerPid, folder, address });
  }
  throw new Error(`no PostgreSQL ${version} within ${BUILD_TIMEOUT_MS} ms; if none is starting, remove ${folder}`);
}

async function build(options: { version: PostgresVersion; ownerPid: number; folder: string; address: string }) {
  const { version, ownerPid, folder, address } = options;
  try {
    const cluster = await startCluster({ version, ownerPid, durable: false, alsoRemove: folder });
    const ownerUrl = await createPlainOwner(cluster);
    await administer(ownerUrl(), `create database ${TEMPLATE}`);
    await migrateUrl(ownerUrl(TEMPLATE));
    const server: SharedServer = { ownerUrl: ownerUrl(), pid: cluster.pid() ?? 0 };
    await writeFile(`${address}.part`, JSON.stringify(server));
    await rename(`${address}.part`, address);
    return server;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

const claimed = (folder: string): Promise<boolean> =>
  mkdir(folder).then(
    () => true,
    () => false,
  );

async function readServer(address: string): Promise<SharedServer | null> {
  const text = await readFile(address, "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as SharedServer);
}

function alive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function migrateUrl(url: string): Promise<void> {
  const options = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000, onError: () => undefined };
  const database = createPostgres({ url, ...options });
  try {
    await migrate(database, { folder: schemaFolder() });
  } finally {
    await database.close();
  }
}

export async function administer(serverUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
