import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemClock } from "../../src/core/clock.ts";
import { createId } from "../../src/core/ids.ts";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createBatcher } from "../../src/ledger/turn/batcher.ts";
import { createLane } from "../../src/ledger/turn/lane.ts";
import { createLedgerStore, ledgerFailureOf } from "../../src/ledger/turn/ledger-store.ts";
import type { Ask, BatchVerdict, Ledger, Settled, Settlement } from "../../src/ledger/ledger.ts";
import { askOf, creditsOf, type LoneKey } from "../support/lone-key.ts";
import { NOTHING_BORNE } from "../support/nothing-borne.ts";
import { startCluster } from "../support/postgres.ts";
import { cpuMicrosOf } from "./process-usage.ts";

/**
 * What one turn and prepared statements save: the same requests settled and admitted apart and in one turn, prepared and not, in
 * turns of a fixed size and then at 64 in flight. All ways take their turns in each round, so that a busy machine is fair to them.
 * Usage: node tests/bench/ledger-turns.ts [--rounds N] [--seconds N] [--json FILE]
 */
const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
const ROUNDS = Number(flags.rounds);
const SECONDS = Number(flags.seconds);
const KEYS = 5_000;
const BUCKETS = 4_096;
const IN_FLIGHT = 64;
const SIZES = [12, 64];
const REQUESTS_A_ROUND = 1_500;
const limits = { items: 256, bytes: 4_000_000, queued: 4_096, timeoutMs: 20_000, retryMs: 100, paceMs: 3 };
const usage = { ...NO_USAGE, inputTokens: 300, outputTokens: 400 };
const record = { provider: "acme", status: 200, firstByteMs: 100, tookMs: 1_000, estimated: false };

type Key = Pick<LoneKey, "keyId" | "bucket" | "unit" | "chain">;
type Way = { name: string; together: boolean; callsPerLane?: number; database: Database; ledger: Ledger };
type Calls = { admit: (ask: Ask) => Promise<{ kind: string }>; settle: (end: Settlement) => Promise<Settled> };
type Figures = Record<string, number>;

const cluster = await startCluster({ version: "15", settings: { shared_buffers: "128MB" } });
const processId = createId(Date.now());
const ways = (["off", "on"] as const).flatMap((preparedStatements) =>
  [false, true].map((together): Way => {
    const pool = { poolSize: 6, connectTimeoutMs: 5_000, statementTimeoutMs: 20_000, onError: () => undefined };
    const database = createPostgres({ url: cluster.url(), ...pool, preparedStatements });
    const name = `${together ? "one turn" : "apart"}, ${preparedStatements === "on" ? "prepared" : "unprepared"}`;
    return { name, together, database, ledger: createLedgerStore(database) };
  }),
);
try {
  await migrate(databaseOfAll(), { folder: schemaFolder() });
  const keys = await createKeys(databaseOfAll());
  const found: Record<string, Record<string, Figures>> = {};
  for (const size of SIZES)
    found[`${KEYS} keys, ${size} settled and ${size} admitted at a time`] = await compare((way) =>
      ofFixedSize(way, keys, size),
    );
  const [before, after] = [ways[0] as Way, ways[3] as Way];
  for (const some of [keys.slice(0, 1), keys])
    found[`${some.length} keys, ${IN_FLIGHT} in flight`] = await compare(
      (way) => inFlight(way, some),
      [before, after, { ...after, callsPerLane: 1, name: `${after.name}, always 4 lanes` }],
    );
  if (flags.json !== undefined) await write(flags.json, found);
} finally {
  await Promise.all(ways.map(({ database }) => database.close()));
  await cluster.close();
}

function databaseOfAll(): Database {
  return (ways[0] as Way).database;
}

async function createKeys(database: Database): Promise<Key[]> {
  const made = Array.from({ length: KEYS }, (_, n) => ({ id: createId(Date.now()), bucket: n % BUCKETS }));
  await database.query(
    "insert into key (id, bucket, mode) select id, bucket, 'credit' from unnest($1::uuid[], $2::int[]) as q (id, bucket)",
    [made.map(({ id }) => id), made.map(({ bucket }) => bucket)],
  );
  await database.query("update balance set posted = 1e17, funded = 1e17");
  const rows = await database.query<{ keyId: string; bucket: number; chain: number }>(
    'select key_id as "keyId", bucket::int as bucket, chain from balance',
  );
  const keys = rows.map(({ chain, ...key }): Key => ({ ...key, unit: "credit", chain: { id: chain, counters: [] } }));
  await createLedgerStore(database).heartbeat(processId);
  return keys;
}

/** Each way once a round, after one round that does not count; of each figure the median. */
async function compare(measure: (way: Way) => Promise<Figures>, some = ways): Promise<Record<string, Figures>> {
  const rounds = new Map<Way, Figures[]>(some.map((way) => [way, []]));
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const way of some) {
      const figures = await measure(way);
      if (round > 0) rounds.get(way)?.push(figures);
    }
  const medians = [...rounds].map(([{ name }, all]): [string, Figures] => [
    name,
    Object.fromEntries(Object.keys(all[0] ?? {}).map((figure) => [figure, median(all.map((one) => one[figure] ?? 0))])),
  ]);
  console.table(Object.fromEntries(medians));
  return Object.fromEntries(medians);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 100) / 100;
}

/** What the turn before began is ended with what begins next. */
async function ofFixedSize({ ledger, together }: Way, keys: readonly Key[], size: number): Promise<Figures> {
  const turns = Math.ceil(REQUESTS_A_ROUND / size);
  let open = batchOf(keys, size);
  await ledger.admit(processId, open);
  const serverBefore = cpuMicrosOf(cluster.pid() ?? 0);
  for (let turn = 0; turn < turns; turn += 1) {
    const asks = batchOf(keys, size);
    const settlements = open.map(endOf);
    if (together) await ledger.turn(processId, { settlements, asks });
    else {
      await ledger.settle(settlements);
      await ledger.admit(processId, asks);
    }
    open = asks;
  }
  const server = cpuMicrosOf(cluster.pid() ?? 0) - serverBefore;
  await ledger.settle(open.map(endOf));
  return { "PostgreSQL µs per request": server / (turns * size) };
}

async function inFlight({ ledger, together, callsPerLane }: Way, keys: readonly Key[]): Promise<Figures> {
  const calls = together ? batched(ledger, callsPerLane) : lanesApart(ledger);
  const admitMs: number[] = [];
  const [cpu, serverBefore] = [process.cpuUsage(), cpuMicrosOf(cluster.pid() ?? 0)];
  const endMs = performance.now() + SECONDS * 1_000;
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const [ask] = batchOf(keys, 1) as [Ask];
      const startMs = performance.now();
      const { kind } = await calls.admit(ask);
      admitMs.push(performance.now() - startMs);
      const settled = await calls.settle(endOf(ask));
      if (kind !== "admitted" || settled.kind !== "settled") throw new Error(`${kind} ${settled.kind}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  const server = cpuMicrosOf(cluster.pid() ?? 0) - serverBefore;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = admitMs.toSorted((one, other) => one - other);
  const pairs = sorted.length;
  return {
    "pairs/s": Math.round(pairs / SECONDS),
    "admit p50 ms": sorted[Math.floor(pairs * 0.5)] ?? 0,
    "admit p99 ms": sorted[Math.floor(pairs * 0.99)] ?? 0,
    "PostgreSQL µs per request": server / pairs,
    "Node µs per request": (user + system) / pairs,
  };
}

function batched(ledger: Ledger, callsPerLane?: number): Calls {
  const common = { processId, limits, settleTimeoutMs: 60_000, voidTimeoutMs: 60_000, clock: systemClock };
  return createBatcher({
    ...common,
    ...(callsPerLane && { callsPerLane }),
    ledger,
    failureOf: ledgerFailureOf,
    onLostRelease: console.error,
  });
}

/** One lane for all that begins and one for all that ends, each with calls of its own. */
function lanesApart(ledger: Ledger): Calls {
  const terms = { timeoutMs: 20_000, longestMs: 60_000, refusable: false, abandoned: () => undefined };
  const common = { failureOf: ledgerFailureOf, bytesOf: () => 300, termsOf: () => terms, limits, clock: systemClock };
  const admit = createLane<Ask, BatchVerdict>({
    ...common,
    breaker: null,
    send: (asks) => ledger.admit(processId, asks),
  });
  const settle = createLane<Settlement, Settled>({ ...common, breaker: null, send: (ends) => ledger.settle(ends) });
  return { admit: admit.submit, settle: settle.submit };
}

function batchOf(keys: readonly Key[], size: number): Ask[] {
  return Array.from({ length: size }, () => {
    const key = keys[Math.floor(Math.random() * keys.length)] as Key;
    return askOf(key, { least: 10n, most: 1_000n, rpmLimit: 1_000_000_000, model: "gpt-4o-mini" });
  });
}

function endOf({ id, keyId, bucket, chain }: Ask): Settlement {
  const ended = {
    outcome: "completed",
    price: creditsOf(500n),
    usage,
    contentDelivered: true,
    record,
    answer: null,
  } as const;
  return { id, keyId, bucket, chain, digest: "01".repeat(16), ...ended, ...NOTHING_BORNE };
}

async function write(file: string, found: unknown): Promise<void> {
  const [server] = await databaseOfAll().query<{ version: string }>(
    "select current_setting('server_version') as version",
  );
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(file, `${JSON.stringify({ date, postgresql: server?.version, found }, null, 2)}\n`);
}
