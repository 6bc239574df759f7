import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { systemClock } from "../../src/core/clock.ts";
import { createId, requestIdOf } from "../../src/core/ids.ts";
import type { RequestFacts } from "../../src/core/request/request-facts.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createRecordStore } from "../../src/records/record-store.ts";
import { startRecords } from "../../src/records/start-records.ts";
import { startCluster } from "../support/postgres.ts";
import { cpuMicrosOf } from "./process-usage.ts";

/**
 * What a record of a request costs PostgreSQL and the thread that serves requests, at a steady rate: of one key, and of 400 keys of ten teams.
 * What the loop costs without records is measured first and taken off.
 * Usage: scripts/with-node node tests/bench/record-cost.ts [--rate N] [--seconds N] [--flush MS]
 */
const { values: flags } = parseArgs({
  options: {
    rate: { type: "string", default: "1000" },
    seconds: { type: "string", default: "20" },
    flush: { type: "string", default: "1000" },
  },
});
const RATE = Number(flags.rate);
const SECONDS = Number(flags.seconds);
const TICK_MS = 5;
const MODELS = 6;
const TEAMS = 10;
const ORGANISATION = "00000000-0000-4000-8000-000000000001";
const ROUTE = "00000000-0000-4000-8003-000000000001";
const uuidOf = (kind: number, no: number): string =>
  `00000000-0000-4000-800${kind}-${no.toString(16).padStart(12, "0")}`;

const cluster = await startCluster({ version: "15", settings: { shared_buffers: "128MB" } });
const pool = { poolSize: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 20_000, onError: console.error };
const database = createPostgres({ url: cluster.url(), ...pool });
try {
  await migrate(database, { folder: schemaFolder() });
  const store = createRecordStore(database);
  await store.keepDays(30);
  const found: Record<string, Record<string, number>> = {};
  for (const keys of [1, 400]) {
    const without = await measure(keys, () => undefined, SECONDS / 4);
    const told = { written: 0, dropped: 0 };
    const records = startRecords({
      store,
      clock: systemClock,
      limits: { queue: 10_000, flushMs: Number(flags.flush), keepDays: 30, seriesDays: 400 },
      onWritten: (count) => (told.written += count),
      onDropped: (count) => (told.dropped += count),
      onFailed: (error) => console.error(error),
    });
    await measure(keys, (facts) => records.record(facts, "bench/1"), 3);
    await delay(2_000);
    const before = told.written;
    const [server, thread] = [cpuMicrosOf(cluster.pid() ?? 0), process.threadCpuUsage()];
    const made = await measure(keys, (facts) => records.record(facts, "bench/1"));
    await records.stop(10_000);
    const { user, system } = process.threadCpuUsage(thread);
    const written = told.written - before;
    found[`${keys} keys`] = {
      records: written,
      dropped: told.dropped,
      "PostgreSQL µs": round((cpuMicrosOf(cluster.pid() ?? 0) - server) / written),
      "thread µs": round((user + system) / made.requests - without.micros / without.requests),
      "longest stall ms": round(made.stallMs),
      "longest stall without ms": round(without.stallMs),
    };
  }
  console.table(found);
} finally {
  await database.close();
  await cluster.close();
}

/** Requests end at a steady rate. A stall is what a tick came too late by. */
async function measure(keys: number, record: (facts: RequestFacts) => void, seconds = SECONDS) {
  const before = process.threadCpuUsage();
  const startMs = performance.now();
  let [requests, stallMs] = [0, 0];
  for (let tick = 1; tick * TICK_MS <= seconds * 1_000; tick++) {
    const dueMs = startMs + tick * TICK_MS;
    await delay(Math.max(0, dueMs - performance.now()));
    stallMs = Math.max(stallMs, performance.now() - dueMs);
    for (; requests < (tick * TICK_MS * RATE) / 1_000; requests++) record(factsOf(requests, keys));
  }
  const { user, system } = process.threadCpuUsage(before);
  return { requests, micros: user + system, stallMs };
}

/** One in 25 is refused, and one in five is streamed. */
function factsOf(no: number, keys: number): RequestFacts {
  const key = (no * 7_919) % keys;
  const refused = no % 25 === 0;
  const streamed = no % 5 === 0;
  const at = 4_000 + (no % 977);
  return {
    requestId: requestIdOf(createId(Date.now())),
    keyId: uuidOf(2, key),
    accounts: keys === 1 ? [] : [ORGANISATION, uuidOf(1, key % TEAMS)],
    route: "chat_completions",
    dialect: "chat",
    modelAsked: null,
    model: `model-${no % (keys === 1 ? 1 : MODELS)}`,
    priceVersion: 1,
    status: refused ? 429 : 200,
    code: refused ? "rate_limit_exceeded" : null,
    outcome: refused ? null : "completed",
    streamed: streamed && !refused,
    replay: false,
    steps: {
      authenticated: 90,
      read: 200,
      checked: 310,
      admitted: refused ? null : at,
      dispatched: refused ? null : at + 40,
      first_byte: refused ? null : at + 60_000,
      last_byte: refused ? null : at + 90_000,
      settled: refused ? null : at + 91_000,
      closed: refused ? 900 : at + 92_000,
    },
    providerUs: refused ? 0 : 86_000,
    attempts: refused
      ? null
      : [
          {
            provider: "acme",
            routeId: ROUTE,
            region: null,
            beganUs: at + 40,
            endedUs: at + 60_000,
            status: 200,
            failure: null,
          },
        ],
    inputTokens: refused ? 0 : 300 + (no % 211),
    cachedTokens: 0,
    outputTokens: refused ? 0 : 400 + (no % 101),
    reasoningTokens: 0,
    held: refused ? null : { credits: 123_456_789n, tokens: null },
    charged: refused ? null : { credits: 98_765_432n + BigInt(no), tokens: null },
    refusal: refused ? "Rate limit reached: 2 requests per minute. Please try again in 41s." : null,
    dropped: null,
    bytesOut: 2_345,
    traceId: null,
  };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
