import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { type Batcher, createBatcher } from "../../src/ledger/turn/batcher.ts";
import { createLedgerStore, ledgerFailureOf } from "../../src/ledger/turn/ledger-store.ts";
import { startCluster } from "../support/postgres.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import { cpuMicrosOf } from "./process-usage.ts";
import { askOf, endOf, type LoneKey } from "../support/lone-key.ts";

/**
 * How many admit and settle pairs one gateway process drives through one PostgreSQL with fsync on, on one hot key and over many.
 * With `--snapshot`, what a reader does to a hot key who keeps one snapshot open for a minute.
 * With `--bytes FILE`, what a request writes and leaves behind, as JSON: these do not depend on how busy the machine is.
 * Usage: node tests/bench/ledger-throughput.ts [seconds] [--snapshot | --bytes FILE]
 */
const { values: flags, positionals } = parseArgs({
  options: { snapshot: { type: "boolean", default: false }, bytes: { type: "string" } },
  allowPositionals: true,
});
const SECONDS = Number(positionals[0] ?? 4);
const SNAPSHOT_SECONDS = 60;
const KEYS = 5_000;
const HEADINGS = [
  "",
  "pairs/s",
  "PostgreSQL µs",
  "Node µs",
  "admit p50 ms",
  "admit p99 ms",
  "WAL bytes",
  "stored bytes",
];
const limits = { items: 256, bytes: 4_000_000, queued: 4_096, timeoutMs: 10_000, retryMs: 100, paceMs: 3 };
const usage = { ...NO_USAGE, inputTokens: 300, outputTokens: 400 };
const record = { provider: "acme", status: 200, firstByteMs: 100, tookMs: 1_000, estimated: false };
const ASKED = { least: 10n, most: 1_000n, rpmLimit: 1_000_000_000, model: "gpt-4o-mini" };
const ENDED = { price: 500n, usage, record };

const cluster = await startCluster({ version: "15", settings: { shared_buffers: "128MB" } });
const pool = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const database = createPostgres({ url: cluster.url(), ...pool });
try {
  await migrate(database, { folder: schemaFolder() });
  const keys = await createKeys(database);
  const batcher = await openBatcher(database);
  await drive(batcher, { keys, inFlight: 64, seconds: 1 });
  console.log(rowOf(HEADINGS));
  if (flags.snapshot) await besideSnapshot(batcher, keys);
  else if (flags.bytes !== undefined) await weigh(batcher, keys, flags.bytes);
  else {
    for (const inFlight of [64, 256]) {
      for (const some of [keys.slice(0, 1), keys])
        await measure(batcher, {
          name: `${some.length} keys, ${inFlight} in flight`,
          keys: some,
          inFlight,
          seconds: SECONDS,
        });
    }
  }
} finally {
  await database.close();
  await cluster.close();
}

async function createKeys(queryable: Database): Promise<LoneKey[]> {
  const ids = Array.from({ length: KEYS }, () => createId(Date.now()));
  await queryable.query("insert into key (id, bucket, mode) select id, 1, 'credit' from unnest($1::uuid[]) id", [ids]);
  await queryable.query("update balance set posted = 1e17, funded = 1e17");
  const rows = await queryable.query<{ keyId: string; chain: number; counter: number }>(
    `select key_id as "keyId", chain, counter from balance`,
  );
  return rows.map((row) => ({ ...row, bucket: 1, unit: "credit", chain: { id: row.chain, counters: [] } }));
}

async function openBatcher(opened: Database): Promise<Batcher> {
  const ledger = createLedgerStore(opened);
  const processId = createId(Date.now());
  await ledger.heartbeat(processId);
  const common = { processId, limits, settleTimeoutMs: 60_000, voidTimeoutMs: 60_000, clock: systemClock };
  return createBatcher({ ...common, ledger, failureOf: ledgerFailureOf, onLostRelease: console.error });
}

type Load = { keys: readonly LoneKey[]; inFlight: number; seconds: number };

/** Vacuum cannot clean past an open snapshot, so each look at a hot row steps over more dead versions of it. */
async function besideSnapshot(batcher: Batcher, keys: readonly LoneKey[]): Promise<void> {
  const load = { keys: keys.slice(0, 1), inFlight: 64, seconds: 10 };
  const reader = createPostgres({ url: cluster.url(), ...pool, poolSize: 1, statementTimeoutMs: 600_000 });
  try {
    await measure(batcher, { ...load, name: "before" });
    await reader.transaction(async (tx) => {
      await tx.query("set transaction isolation level repeatable read");
      await tx.query("select count(*) from balance");
      for (let second = 0; second < SNAPSHOT_SECONDS; second += load.seconds)
        await measure(batcher, { ...load, name: `snapshot open for ${second} to ${second + load.seconds} s` });
    });
    for (const name of ["closed: first 10 s", "closed: next 10 s"]) await measure(batcher, { ...load, name });
  } finally {
    await reader.close();
  }
}

async function measure(batcher: Batcher, { name, ...load }: Load & { name: string }): Promise<void> {
  const serverPid = cluster.pid() ?? 0;
  const sizeBefore = await sizes();
  const [cpu, serverMicros] = [process.cpuUsage(), cpuMicrosOf(serverPid)];
  const { pairs, admitMs } = await drive(batcher, load);
  const { user, system } = process.cpuUsage(cpu);
  const sorted = admitMs.sort((one, other) => one - other);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2);
  const perPair = (micros: number): string => (micros / pairs).toFixed(1);
  const server = perPair(cpuMicrosOf(serverPid) - serverMicros);
  const sizeAfter = await sizes();
  const grown = [sizeAfter.wal - sizeBefore.wal, sizeAfter.stored - sizeBefore.stored];
  const rate = Math.round(pairs / load.seconds).toString();
  const perRequest = grown.map((bytes) => Math.round(bytes / pairs).toString());
  console.log(rowOf([name, rate, server, perPair(user + system), at(0.5), at(0.99), ...perRequest]));
}

async function weigh(batcher: Batcher, keys: readonly LoneKey[], file: string): Promise<void> {
  const found = [];
  for (const some of [keys.slice(0, 1), keys]) {
    const before = await sizes();
    const { pairs } = await drive(batcher, { keys: some, inFlight: 64, seconds: SECONDS });
    const after = await sizes();
    const per = (bytes: number): number => Math.round(bytes / pairs);
    found.push({
      keys: some.length,
      requests: pairs,
      walBytes: per(after.wal - before.wal),
      storedBytes: per(after.stored - before.stored),
    });
  }
  const [server] = await database.query<{ version: string }>("select current_setting('server_version') as version");
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(file, `${JSON.stringify({ date, postgresql: server?.version, perRequest: found }, null, 2)}\n`);
  console.log(found);
}

/** Bytes of WAL written so far, and of what a request leaves behind for good: its charge, with indexes. */
async function sizes(): Promise<{ wal: number; stored: number }> {
  const [row] = await database.query<{ wal: string; stored: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal,
      (select sum(pg_total_relation_size(relid)) from pg_partition_tree('charge') where isleaf) as stored`,
  );
  return { wal: Number(row?.wal), stored: Number(row?.stored) };
}

function rowOf(cells: readonly string[]): string {
  return cells.map((cell, column) => (column === 0 ? cell.padEnd(32) : cell.padStart(16))).join("");
}

async function drive(
  batcher: Batcher,
  { keys, inFlight, seconds }: Load,
): Promise<{ pairs: number; admitMs: number[] }> {
  const admitMs: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const ask = askOf(keys[Math.floor(Math.random() * keys.length)] as LoneKey, ASKED);
      const startMs = performance.now();
      const verdict = await batcher.admit(ask);
      admitMs.push(performance.now() - startMs);
      const settled = await batcher.settle(endOf(ask, ENDED));
      if (verdict.kind !== "admitted" || settled.kind !== "settled") throw new Error(`${verdict.kind} ${settled.kind}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, client));
  return { pairs: admitMs.length, admitMs };
}
