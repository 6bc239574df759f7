import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { factsOf } from "../../tests/support/request-facts.ts";
import { until } from "../../tests/support/until.ts";
import type { RequestFacts } from "../core/request/request-facts.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import { foldSeries, type SeriesRow } from "./fold-series.ts";
import { foldTotals } from "./fold-totals.ts";
import { batchOf, type RecordBatch } from "./record-batch.ts";
import { createRequestGroups } from "./request-groups.ts";
import { createRecordStore } from "./record-store.ts";
import { type RecordStore, startRecords } from "./start-records.ts";

const reason = whyUnavailable("15");
const onServer = test.skipIf(reason !== null);
const NOBODY = { client: null, agent: null };

let fresh: FreshDatabase;
let database: Database;
let store: RecordStore;

beforeAll(async () => {
  if (reason !== null) return;
  fresh = await freshDatabase();
  const options = { url: fresh.url, poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 20_000 };
  database = createPostgres({ ...options, onError: () => undefined });
  store = createRecordStore(database);
});
beforeEach(() =>
  database?.script("delete from request; delete from series; delete from series_total; delete from series_owed"),
);
afterEach(() => void vi.useRealTimers());
afterAll(async () => {
  await database?.close();
  await fresh?.close();
});

/** Of all kinds: streams and others, refusals before and after a provider was asked, both units, and records that stand for several. */
function mixed(no: number): RequestFacts {
  const facts = factsOf(no);
  const { steps } = facts;
  switch (no % 6) {
    case 0:
      return { ...facts, streamed: false, keyId: facts.accounts[0] ?? null };
    case 1:
      return {
        ...facts,
        attempts: null,
        providerUs: 0,
        outcome: null,
        status: 402,
        code: "insufficient_credit",
        charged: null,
      };
    case 2:
      return {
        ...facts,
        outcome: "client_gone",
        steps: { ...steps, last_byte: null },
        charged: { credits: null, tokens: 30n },
      };
    case 3: {
      const failed = {
        provider: "bolt",
        routeId: factsOf(0).accounts[0] ?? "",
        region: null,
        beganUs: 5,
        endedUs: 9,
        status: 500,
        failure: "server_error",
      };
      return {
        ...facts,
        attempts: [...(facts.attempts ?? []), failed],
        status: 502,
        code: "upstream_error",
        outcome: "upstream_failed",
      };
    }
    case 4:
      return {
        ...facts,
        keyId: null,
        accounts: [],
        model: null,
        attempts: null,
        status: 401,
        code: "invalid_credentials",
      };
    default:
      return facts;
  }
}

function mixedBatch(size: number): RecordBatch {
  const facts = Array.from({ length: size }, (_, no) => mixed(no));
  return batchOf(facts.map((one) => ({ facts: one, name: NOBODY, times: one.attempts === null ? 3 : 1 })));
}

const rowsOf = (batches: readonly RecordBatch[]): SeriesRow[] =>
  batches.flatMap(({ groups }) => [...foldSeries(groups)].flat());

/** As rows of one of the tables, in an order of their own. */
async function found(table: "series" | "series_total"): Promise<unknown[]> {
  const words = table === "series" ? "model, provider, code" : "code";
  return database.query(`
    select scope, grain::int as grain, extract(epoch from start)::int as start, ${words}, requests::int, input::int, cached::int, output::int,
           credits::text, tokens::text, spoken::int, spoken_ms::int, ttft, overhead from ${table}`);
}

async function expectSeries(expected: readonly SeriesRow[]): Promise<void> {
  const sorted = (rows: readonly unknown[]): unknown[] =>
    rows.toSorted((one, other) => (keyOf(one as SeriesRow) < keyOf(other as SeriesRow) ? -1 : 1));
  expect(sorted(await found("series"))).toEqual(sorted(expected));
  expect(sorted(await found("series_total"))).toEqual(sorted(foldTotals(expected)));
}
const keyOf = ({ scope, grain, start, model, provider, code }: Partial<SeriesRow>): string =>
  [scope, grain, start, model, provider, code].join(" ");

const owed = async (): Promise<string[]> =>
  (await database.query<{ batch: string }>("select batch from series_owed order by batch")).map(({ batch }) =>
    batch.replaceAll("-", ""),
  );

const leave = () => database.query("update series_owed set at = now() - interval '6 minutes'");

const add = (...batches: RecordBatch[]) =>
  store.add(
    batches.map(({ name }) => name),
    [rowsOf(batches)],
  );

onServer("sums are owed from the moment in which their records are written until they are added", async () => {
  const batch = mixedBatch(60);

  await store.write(batch);
  expect(await owed()).toEqual([batch.name]);
  expect(await found("series")).toEqual([]);
  expect(await store.adopt()).toBe("none");

  expect(await store.add([batch.name], foldSeries(batch.groups))).toBe("added");
  expect(await owed()).toEqual([]);
  await expectSeries(rowsOf([batch]));
});

onServer(
  "what one process has added of several batches is not added again by another, and the rest stays owed",
  async () => {
    const [one, other] = [mixedBatch(12), mixedBatch(12)];
    await store.write(one);
    await store.write(other);
    await add(one);

    expect(await add(one, other)).toBe("elsewhere");

    expect(await owed()).toEqual([other.name]);
    await expectSeries(rowsOf([one]));
  },
);

onServer("sums in many pieces are added as a whole or not at all", async () => {
  const batch = mixedBatch(60);
  const rows = rowsOf([batch]);
  const pieces = Array.from({ length: Math.ceil(rows.length / 7) }, (_, no) => rows.slice(no * 7, no * 7 + 7));
  await store.write(batch);

  const broken = function* () {
    yield* pieces.slice(0, -1);
    throw new Error("the process was ended");
  };
  await expect(store.add([batch.name], broken())).rejects.toThrow("ended");
  expect(await found("series")).toEqual([]);
  expect(await owed()).toEqual([batch.name]);

  expect(await store.add([batch.name], pieces)).toBe("added");
  expect(await store.add([batch.name], pieces)).toBe("elsewhere");
  expect((await found("series")).length).toBe(rows.length);
  expect(await owed()).toEqual([]);
});

onServer("sums that a killed process left are added from its records, once, however many look for them", async () => {
  const batches = [mixedBatch(60), mixedBatch(30), mixedBatch(6)];
  for (const batch of batches) await store.write(batch);
  await leave();

  const adopted = await Promise.all(Array.from({ length: 4 }, () => store.adopt()));
  expect(adopted.filter((one) => one === "added")).toHaveLength(3);
  expect(await store.adopt()).toBe("none");

  expect(await owed()).toEqual([]);
  const whole = createRequestGroups();
  for (const { groups } of batches) whole.takeOver(groups);
  await expectSeries([...foldSeries(whole)].flat());
});

onServer("a sum that does not fit its column is left out for good, and holds nothing up", async () => {
  const [full, next] = [mixedBatch(6), mixedBatch(6)];
  await store.write(full);
  await store.write(next);
  const tooMany = rowsOf([full]).map((row) => ({ ...row, ttft: row.ttft?.map(() => 2 ** 31) ?? null }));

  expect(await store.add([full.name], [tooMany])).toBe("refused");
  expect(await add(next)).toBe("added");

  expect(await owed()).toEqual([]);
  await expectSeries(rowsOf([next]));
});

onServer("a process that starts adds what one before it has left, and what it owes itself before it ends", async () => {
  const left = mixedBatch(12);
  await store.write(left);
  await leave();
  const told = { written: 0, failed: 0 };
  const records = startRecords({
    store: { ...store, keepDays: async () => null },
    clock: { elapsedMs: () => performance.now() },
    limits: { queue: 1_000, flushMs: 10, keepDays: 30, seriesDays: 400 },
    onWritten: (count) => (told.written += count),
    onDropped: () => undefined,
    onFailed: () => void told.failed++,
  });
  await until(async () => (await owed()).length === 0, "what was left is added");
  const facts = Array.from({ length: 700 }, (_, no) => factsOf(no));
  for (const one of facts) records.record(one, null);
  await records.stop(10_000);

  expect(told).toEqual({ written: 700, failed: 0 });
  expect(await owed()).toEqual([]);
  for (const one of facts) left.groups.add(one);
  await expectSeries(rowsOf([left]));
});

onServer(
  "records keep hostile texts and the largest numbers as they are, but for what PostgreSQL has no place for",
  async () => {
    const hostile = 'tab\t line\nend\r \\. \\N {"a"} \' $1 % \u2028 \u{1f600}';
    const most = 2n ** 63n - 1n;
    const facts: RequestFacts = {
      ...factsOf(0),
      model: hostile,
      modelAsked: `${hostile} \u0000 \ud800`,
      refusal: `\udc00${hostile}`,
      dropped: "\\N",
      held: { credits: most, tokens: 0n },
      charged: { credits: most, tokens: 2n ** 53n + 1n },
      bytesOut: Number.MAX_SAFE_INTEGER,
    };
    const batch = batchOf([{ facts, name: { client: hostile, agent: "\\N" }, times: 2_147_483_647 }]);

    expect(await store.write(batch)).toBe("written");
    expect(await store.add([batch.name], foldSeries(batch.groups))).toBe("added");

    expect(await database.query("select * from request")).toMatchObject([
      {
        model: hostile,
        model_asked: `${hostile} ? \ufffd`,
        refusal: `\ufffd${hostile}`,
        dropped: "\\N",
        client: hostile,
        agent: "\\N",
        held_credits: most,
        held_tokens: 0n,
        credits: most,
        tokens: 2n ** 53n + 1n,
        times: 2_147_483_647,
        bytes_out: BigInt(Number.MAX_SAFE_INTEGER),
      },
    ]);
    await expectSeries(rowsOf([batch]));
  },
);

test("a request counts once in each of its scopes and grains, also if its key is its own account", () => {
  const [team = ""] = factsOf(0).accounts;
  const facts = [factsOf(0), { ...factsOf(0), keyId: team }, { ...factsOf(0), keyId: team }];
  const { groups } = batchOf(facts.map((one) => ({ facts: one, name: NOBODY, times: 1 })));

  const rows = [...foldSeries(groups)].flat();

  const once = { input: 10, cached: 1, output: 20, credits: "7", tokens: "0", spoken: 20, spoken_ms: 30 };
  const thrice = {
    requests: 3,
    input: 30,
    cached: 3,
    output: 60,
    credits: "21",
    tokens: "0",
    spoken: 60,
    spoken_ms: 90,
  };
  expect(rows).toHaveLength(9);
  for (const row of rows) expect(row).toMatchObject(row.scope === factsOf(0).keyId ? { requests: 1, ...once } : thrice);
  for (const { ttft, overhead, requests } of rows)
    for (const counts of [ttft, overhead]) expect(counts?.reduce((sum, count) => sum + count)).toBe(requests);
});

/** A store in which adding takes so long, by a clock that stands still otherwise, with records of so many models a second. */
async function addedWithin(seconds: number, addMs: number, models: number): Promise<number[]> {
  vi.useFakeTimers();
  const addedAt: number[] = [];
  let nowMs = 0;
  const records = startRecords({
    store: {
      write: async () => "written",
      add: async () => {
        addedAt.push(nowMs);
        nowMs += addMs;
        return "added";
      },
      adopt: async () => "none",
      keepDays: async () => null,
      removeSeries: async () => false,
    },
    clock: { elapsedMs: () => nowMs },
    limits: { queue: 1_000, flushMs: 1_000, keepDays: 30, seriesDays: 400 },
    onWritten: () => undefined,
    onDropped: () => undefined,
    onFailed: (error) => expect.fail(String(error)),
  });
  for (let second = 0; second < seconds; second++) {
    for (let model = 0; model < models; model++) records.record({ ...factsOf(second), model: `model-${model}` }, null);
    nowMs += 1_000;
    await vi.advanceTimersByTimeAsync(1_000);
  }
  await records.stop(1_000);
  return addedAt;
}

test("sums are added with every flush while that is quick, and the less often the longer it takes, once a minute at least", async () => {
  const quick = await addedWithin(100, 2, 40);
  const slow = await addedWithin(100, 100, 40);
  const slowest = await addedWithin(200, 900, 40);

  expect(quick.length).toBeGreaterThan(95);
  expect(slow.length).toBeLessThan(8);
  // The last ones before it ends.
  expect(slow.at(-1)).toBeGreaterThanOrEqual(100_000);
  const gaps = slowest.slice(1, -1).map((at, no) => at - (slowest[no] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60_000);
  expect(Math.max(...gaps)).toBeLessThan(63_000);
});

test("few sums are added every few seconds, however slow that is", async () => {
  const few = await addedWithin(100, 900, 3);

  expect(few.length).toBeGreaterThan(30);
});
