import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { factsOf } from "../../tests/support/request-facts.ts";
import { until } from "../../tests/support/until.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import { foldSeries } from "./fold-series.ts";
import { batchOf, type RecordBatch } from "./record-batch.ts";
import type { QueuedRecord } from "./record-queue.ts";
import { createRecordStore } from "./record-store.ts";
import { type RecordStore, startRecords } from "./start-records.ts";

const reason = whyUnavailable("15");
const onServer = test.skipIf(reason !== null);
const DAY_MS = 86_400_000;

let fresh: FreshDatabase;
const databases: Database[] = [];

beforeAll(async () => {
  if (reason !== null) return;
  fresh = await freshDatabase();
  const options = { url: fresh.url, poolSize: 3, connectTimeoutMs: 5_000, statementTimeoutMs: 20_000 };
  for (let process = 0; process < 2; process++)
    databases.push(createPostgres({ ...options, onError: () => undefined }));
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await fresh?.close();
});
afterEach(() => void vi.useRealTimers());

function batchFrom(offset: number, size: number): RecordBatch {
  const name = { client: null, agent: null };
  return batchOf(Array.from({ length: size }, (_, no) => ({ facts: factsOf(no + offset), name, times: 1 })));
}

const added = (store: RecordStore, batch: RecordBatch) => store.add([batch.name], foldSeries(batch.groups));

type Sums = { requests: bigint; credits: bigint; ttft: bigint; rows: bigint };

/** What all series of everything come to, in each grain, and how many records there are. */
async function sumsIn(database: Database): Promise<Sums[]> {
  const [series = [], totals] = await Promise.all(
    ["series", "series_total"].map((table) =>
      database.query<Sums>(`
        select sum(requests)::bigint as requests, sum(credits)::bigint as credits,
               sum((select sum(n) from unnest(ttft) n))::bigint as ttft, (select count(*) from request) as rows
          from ${table} where scope = '00000000-0000-0000-0000-000000000000' group by grain order by grain`),
    ),
  );
  expect(totals).toEqual(series);
  return series;
}

const sums = (count: number): Sums[] =>
  Array.from({ length: 3 }, () => ({
    requests: BigInt(count),
    credits: BigInt(7 * count),
    ttft: BigInt(count),
    rows: BigInt(count),
  }));

const emptied = async (): Promise<Database> => {
  const [database] = databases;
  if (database === undefined) throw new Error("there is a database");
  await database.script("delete from request; delete from series; delete from series_total; delete from series_owed");
  return database;
};

onServer("processes that add to the same sums at once neither deadlock nor lose a request", async () => {
  const database = await emptied();
  const batches = Array.from({ length: 60 }, (_, no) => batchFrom(no * 7, 20));

  // Two processes, and each of them impatient: three writes at a time.
  await Promise.all(
    databases.flatMap((one, process) =>
      [0, 1, 2].map(async (lane) => {
        const store = createRecordStore(one);
        for (const [no, batch] of batches.entries())
          if (no % 6 === process * 3 + lane) {
            expect(await store.write(batch)).toBe("written");
            expect(await added(store, batch)).toBe("added");
          }
      }),
    ),
  );

  expect(await sumsIn(database)).toEqual(sums(1_200));
});

onServer("a batch whose answer was lost is written once, also when both arrive together", async () => {
  const database = await emptied();
  const store = createRecordStore(database);
  const [one, other] = [batchFrom(0, 10), batchFrom(0, 10)];

  await store.write(one);
  await store.write(one);
  await Promise.allSettled([
    store.write(other),
    store.write(other),
    createRecordStore(databases[1] ?? database).write(other),
  ]);
  await store.write(other);
  expect(await added(store, one)).toBe("added");
  await Promise.all([added(store, other), added(createRecordStore(databases[1] ?? database), other)]);
  expect(await added(store, other)).toBe("elsewhere");

  expect(await sumsIn(database)).toEqual(sums(20));
});

onServer("what a process records is written once, though the database swallows an answer", async () => {
  const database = await emptied();
  const real = createRecordStore(database);
  const told = { written: 0, dropped: 0, failed: 0 };
  const records = startRecords({
    store: {
      ...real,
      write: async (batch) => {
        const written = await real.write(batch);
        if (told.failed === 0) throw new Error("the connection was lost");
        return written;
      },
      keepDays: async () => null,
    },
    clock: { elapsedMs: () => 0 },
    limits: { queue: 1_000, flushMs: 10, keepDays: 30, seriesDays: 400 },
    onWritten: (count) => (told.written += count),
    onDropped: (count) => (told.dropped += count),
    onFailed: () => void told.failed++,
  });
  for (let no = 0; no < 50; no++) records.record(factsOf(no), null);
  await until(async () => told.written === 50, "all are written");
  await records.stop(5_000);

  expect(told).toEqual({ written: 50, dropped: 0, failed: 1 });
  expect(await sumsIn(database)).toEqual(sums(50));
});

test("while the database is away, no more wait than the queue holds, the rest are counted, and nothing waits for it", async () => {
  vi.useFakeTimers();
  const state = { away: true, rows: 0, most: 0 };
  const told = { written: 0, dropped: 0, failed: 0 };
  const store: RecordStore = {
    write: async ({ ids }) => {
      state.most = Math.max(state.most, ids.length);
      if (state.away) throw new Error("away");
      state.rows += ids.length;
      return "written";
    },
    add: async () => "added",
    adopt: async () => "none",
    keepDays: async () => null,
    removeSeries: async () => false,
  };
  const records = startRecords({
    store,
    clock: { elapsedMs: () => 0 },
    limits: { queue: 500, flushMs: 100, keepDays: 30, seriesDays: 400 },
    onWritten: (count) => (told.written += count),
    onDropped: (count) => (told.dropped += count),
    onFailed: () => void told.failed++,
  });
  for (let tick = 0; tick < 100; tick++) {
    for (let no = 0; no < 100; no++) records.record(factsOf(no), null);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(told.written).toBe(0);
  expect(told.failed).toBeGreaterThan(90);

  state.away = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await records.stop(1_000);

  // What was being written, and what the queue held meanwhile.
  expect(told.written).toBeLessThanOrEqual(1_000);
  expect(told.written).toBeGreaterThanOrEqual(500);
  expect(told.written + told.dropped).toBe(10_000);
  expect(state.rows).toBe(told.written);
});

onServer("records are removed by days and series by their grain, and days to come are prepared", async () => {
  const database = await emptied();
  const dayOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  for (const days of [40, 31, 29])
    await database.script(`
      create table request_${dayOf(days).replaceAll("-", "")} partition of request
        for values from (uuid_floor('${dayOf(days)}T00:00:00Z')) to (uuid_floor('${dayOf(days - 1)}T00:00:00Z'))`);
  const ages = [40, 35, 31, 29, 9.5, 7.5, 1];
  const kept = ages.map((days): QueuedRecord => ({
    facts: factsOf(0, Date.now() - days * DAY_MS),
    name: { client: null, agent: null },
    times: 1,
  }));
  const [store, old] = [createRecordStore(database), batchOf(kept)];
  await store.write(old);
  await added(store, old);

  const records = startRecords({
    store,
    clock: { elapsedMs: () => 0 },
    limits: { queue: 10, flushMs: 20, keepDays: 30, seriesDays: 34 },
    onWritten: () => undefined,
    onDropped: () => undefined,
    onFailed: () => undefined,
  });
  const left = async (grain: number, table = "series"): Promise<number> =>
    (await database.query(`select distinct start from ${table} where grain = $1`, [grain])).length;
  await until(async () => (await left(1_440, "series_total")) === 5, "what is old is removed");
  await records.stop(5_000);

  expect([await left(5), await left(60), await left(1_440)]).toEqual([2, 5, 5]);
  expect([await left(5, "series_total"), await left(60, "series_total")]).toEqual([2, 5]);
  const days = await database.query<{ name: string }>(
    "select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'request'::regclass order by 1",
  );
  const expected = [29, 0, -1, -2].map((ago) => `request_${dayOf(ago).replaceAll("-", "")}`);
  expect(days.map(({ name }) => name)).toEqual([...expected, "request_other"]);
  expect((await database.query("select from request")).length).toBe(4);
});
