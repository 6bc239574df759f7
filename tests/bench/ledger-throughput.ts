import { createId } from "../../src/core/ids.ts";
import { systemClock } from "../../src/core/clock.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate, migrationsFolder } from "../../src/db/migrate.ts";
import { createPostgres } from "../../src/db/postgres.ts";
import { type Batcher, createBatcher } from "../../src/ledger/batcher.ts";
import { createLedgerStore, ledgerFailureOf } from "../../src/ledger/ledger-store.ts";
import type { Ask, Settlement } from "../../src/ledger/ledger.ts";
import { startCluster } from "../support/postgres.ts";
import { NO_USAGE } from "../../src/core/usage.ts";

/**
 * How many admit and settle pairs one gateway process drives through one PostgreSQL with fsync on, on one hot key and over many.
 * Usage: node tests/bench/ledger-throughput.ts [seconds]
 */
const SECONDS = Number(process.argv[2] ?? 4);
const KEYS = 5_000;
const limits = { items: 256, bytes: 4_000_000, queued: 4_096, timeoutMs: 10_000, retryMs: 100 };
const usage = { ...NO_USAGE, inputTokens: 300, outputTokens: 400 };
const record = { provider: "acme", status: 200, firstByteMs: 100, tookMs: 1_000, estimated: false };

const cluster = await startCluster({ version: "15", settings: { shared_buffers: "128MB" } });
const pool = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const database = createPostgres({ url: cluster.url(), ...pool });
try {
  await migrate(database, { folder: migrationsFolder() });
  const keyIds = await createKeys(database);
  const batcher = await openBatcher(database);
  await drive(batcher, { keyIds, inFlight: 64, seconds: 1 });
  for (const inFlight of [64, 256]) {
    for (const keys of [keyIds.slice(0, 1), keyIds]) console.log(await measure(batcher, keys, inFlight));
  }
} finally {
  await database.close();
  await cluster.close();
}

async function createKeys(queryable: Database): Promise<string[]> {
  const keyIds = Array.from({ length: KEYS }, () => createId(Date.now()));
  await queryable.query("insert into key (id, bucket, mode) select id, 1, 'credit' from unnest($1::uuid[]) id", [
    keyIds,
  ]);
  await queryable.query("update balance set posted = 1e17, purchased = 1e17");
  return keyIds;
}

async function openBatcher(opened: Database): Promise<Batcher> {
  const ledger = createLedgerStore(opened);
  const processId = createId(Date.now());
  await ledger.heartbeat(processId);
  const common = { processId, limits, settleTimeoutMs: 60_000, voidTimeoutMs: 60_000, clock: systemClock };
  return createBatcher({ ...common, ledger, failureOf: ledgerFailureOf, onLostRelease: console.error });
}

async function measure(batcher: Batcher, keyIds: readonly string[], inFlight: number): Promise<string> {
  const cpu = process.cpuUsage();
  const { pairs, admitMs } = await drive(batcher, { keyIds, inFlight, seconds: SECONDS });
  const { user, system } = process.cpuUsage(cpu);
  const median = admitMs.sort((one, other) => one - other)[Math.floor(admitMs.length / 2)] ?? 0;
  const perSecond = Math.round(pairs / SECONDS);
  const cpuUs = ((user + system) / pairs).toFixed(1);
  return `${keyIds.length} keys, ${inFlight} in flight: ${perSecond} pairs/s, ${cpuUs} µs of Node CPU per pair, admit p50 ${median.toFixed(2)} ms`;
}

async function drive(
  batcher: Batcher,
  { keyIds, inFlight, seconds }: { keyIds: readonly string[]; inFlight: number; seconds: number },
): Promise<{ pairs: number; admitMs: number[] }> {
  const admitMs: number[] = [];
  const endMs = performance.now() + seconds * 1_000;
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const ask = newAsk(keyIds[Math.floor(Math.random() * keyIds.length)] ?? "");
      const startMs = performance.now();
      const verdict = await batcher.admit(ask);
      admitMs.push(performance.now() - startMs);
      const settled = await batcher.settle(endOf(ask));
      if (verdict.kind !== "admitted" || settled.kind !== "settled") throw new Error(`${verdict.kind} ${settled.kind}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, client));
  return { pairs: admitMs.length, admitMs };
}

function newAsk(keyId: string): Ask {
  const money = { least: 10n, most: 1_000n, unlimited: false, rpmLimit: 1_000_000_000 };
  const rest = { keyVersion: 1, model: "gpt-4o-mini", priceVersion: 1, lifetimeMs: 300_000, claim: null };
  return { id: createId(Date.now()), keyId, ...money, ...rest };
}

function endOf({ id, keyId }: Ask): Settlement {
  return { id, keyId, outcome: "completed", charge: 500n, usage, contentDelivered: true, record, answer: null };
}
