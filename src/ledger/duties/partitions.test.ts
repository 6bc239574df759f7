import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVERS } from "../../../tests/ledger/engines.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../../../tests/support/lone-key.ts";
import { createId } from "../../core/ids.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { createHousekeepingStore } from "./housekeeping-store.ts";
import { createReadJournal } from "../report/journal-store.ts";
import { createLedgerStore } from "../turn/ledger-store.ts";
import { createPartitions } from "./partitions-store.ts";
import type { Partitions, RepairStep } from "./partitions.ts";
import { createReadStatement } from "../report/statement-store.ts";
import { createVerifyStore } from "../verify/verify-store.ts";
import { verify } from "../verify/verify.ts";

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 10, 18, 10);
const clock = { elapsedMs: () => performance.now() };
const keyId = createId(START_MS);

describe.each(SERVERS)("$name", ({ reason, open }) => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  let partitions: Partitions;
  let dayMs = START_MS;
  let key: LoneKey;

  const parts = () => ({ database, clock, pause: async () => undefined });
  beforeAll(async () => {
    if (reason !== null) return;
    ({ database, close } = await open());
    partitions = createPartitions({ ...parts(), rowsAtOnce: 3 });
    await setClock(START_MS);
    key = await loneKey(database, { keyId, funds: 10n ** 9n });
  });
  afterAll(() => close());

  const setClock = (ms: number): Promise<unknown> => database.query("update test_clock set now = $1", [new Date(ms)]);
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const nextDay = async (): Promise<string> => {
    dayMs += DAY_MS;
    await setClock(dayMs);
    return dayOf(dayMs);
  };
  async function spend(requests: number): Promise<string[]> {
    const ledger = createLedgerStore(database);
    const ids = Array.from({ length: requests }, () => createId(dayMs));
    const asks = ids.map((id) => askOf(key, { id, lifetimeMs: 60_000 }));
    await ledger.admit(createId(1), asks);
    const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
    await ledger.settle(asks.map((ask) => endOf(ask, { record })));
    return ids;
  }
  const booksAddUp = async (): Promise<void> => {
    const report = await verify(createVerifyStore(database), {
      keyId: null,
      recompute: false,
      onProgress: () => undefined,
    });
    expect(report.mismatches).toEqual([]);
  };
  const placesOf = (ids: readonly string[]): Promise<unknown[]> =>
    database.query(
      "select tableoid::regclass::text as place, count(*)::int as rows from charge where hold_id = any ($1::uuid[]) group by 1",
      [ids],
    );

  test.skipIf(reason !== null)(
    "a day whose rows lie in the default partition is moved whole, and stays final",
    async () => {
      const day = await nextDay();
      const other = await spend(2);
      const moved = await nextDay();
      const ids = await spend(7);
      expect(await createHousekeepingStore(database).partition(dayMs - (dayMs % DAY_MS))).toBe("occupied");
      expect((await partitions.list()).days).toContainEqual({
        day: moved,
        place: "default",
        charges: 7,
      });

      expect(await partitions.repair(moved, () => undefined)).toMatchObject({
        result: "moved",
        charges: 7,
      });

      const table = `charge_${moved.replaceAll("-", "")}`;
      expect(await placesOf(ids)).toEqual([{ place: table, rows: 7 }]);
      expect(await placesOf(other)).toEqual([{ place: "charge_other", rows: 2 }]);
      expect((await partitions.list()).days).toContainEqual({ day, place: "default", charges: 2 });
      for (const sql of [
        `update ${table} set credits = 0`,
        `delete from ${table}`,
        `truncate ${table}`,
        "delete from charge_other",
      ])
        await expect(database.query(sql), sql).rejects.toMatchObject({ code: "23001" });
      const repeated = await createLedgerStore(database).void([{ id: ids[0] ?? "", keyId, bucket: 7 }]);
      expect(repeated).toEqual([{ kind: "voided", refunded: { credits: 7n, tokens: null } }]);
      expect(await createHousekeepingStore(database).partition(dayMs - (dayMs % DAY_MS))).toBe("present");
      expect(await partitions.repair(moved, () => undefined)).toMatchObject({ result: "present" });
      await booksAddUp();
    },
  );

  test.skipIf(reason !== null)("what is booked and undone while a day is copied goes along", async () => {
    const day = await nextDay();
    const ids = await spend(7);
    const seen: RepairStep[] = [];
    const onStep = async (step: RepairStep): Promise<void> => {
      seen.push(step);
      if (seen.length !== 2) return;
      ids.push(...(await spend(2)));
      await createLedgerStore(database).void([{ id: ids[0] ?? "", keyId, bucket: 7 }]);
    };

    const repaired = await partitions.repair(day, onStep);

    expect(seen.filter(({ kind }) => kind === "copied").length).toBeGreaterThan(2);
    expect(repaired).toMatchObject({ result: "moved", charges: 9 });
    expect(await placesOf(ids)).toEqual([{ place: `charge_${day.replaceAll("-", "")}`, rows: 9 }]);
    await booksAddUp();
  });

  test.skipIf(reason !== null)(
    "a move waits for its lock in short tries and goes on when a reader is done",
    async () => {
      const day = await nextDay();
      const ids = await spend(4);
      const [reading, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const reader = database.transaction(async (tx) => {
        await tx.query("select 1 from charge limit 1");
        reading.resolve();
        await finish.promise;
      });
      await reading.promise;
      const tries: number[] = [];
      const refused = partitions.repair(day, (step) => {
        if (step.kind === "waiting") tries.push(step.tries);
        if (tries.length === 2) finish.resolve();
      });

      expect(await refused).toMatchObject({ result: "moved", charges: 4 });
      expect(tries.length).toBeGreaterThanOrEqual(2);
      expect(await placesOf(ids)).toEqual([{ place: `charge_${day.replaceAll("-", "")}`, rows: 4 }]);
      await reader;
      await booksAddUp();
    },
  );

  test.skipIf(reason !== null)("a move that would lose a row is undone whole", async () => {
    const day = await nextDay();
    const ids = await spend(4);
    const table = `charge_moving_${day.replaceAll("-", "")}`;
    await database.script(`
      create table ${table} (like charge including all);
      create function lossy() returns trigger language plpgsql as
        $$ begin return case when new.hold_id <> '${ids[1]}' then new end; end $$;
      create trigger lossy before insert on ${table} for each row execute function lossy()`);

    await expect(partitions.repair(day, () => undefined)).rejects.toThrow(
      /3 rows of the day after the move and 4 before it/,
    );

    expect(await placesOf(ids)).toEqual([{ place: "charge_other", rows: 4 }]);
    await booksAddUp();
  });

  /** How many blocks a read touches. Time would depend on the machine. */
  async function blocksOf(read: (queryable: Queryable) => Promise<unknown>): Promise<number> {
    let blocks = 0;
    await read({
      query: async (sql, values) => {
        const [row] = await database.query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(
          `explain (analyze, buffers, format json) ${sql}`,
          values,
        );
        const plan = row?.["QUERY PLAN"][0].Plan ?? {};
        blocks += (plan["Shared Hit Blocks"] ?? Infinity) + (plan["Shared Read Blocks"] ?? Infinity);
        return database.query(sql, values);
      },
    });
    return blocks;
  }

  test.skipIf(reason !== null).each(["made ahead", "repaired"])(
    "a day that has seen one key alone is not read whole for every key of an account: %s",
    async (how) => {
      const day = await nextDay();
      const busy = `
        insert into charge (hold_id, admitted_at, at, credits, key_no, chain, kind)
        select (left(replace(uuid_floor(q.at)::text, '-', ''), 12) || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
               q.at, q.at, 0, b.key_no, b.chain, 1
          from generate_series(1, 30000) n, lateral (select '${day}'::timestamptz + n * interval '1 second' as at) q, balance b
         where b.key_id = '${keyId}'`;
      if (how === "made ahead") await createHousekeepingStore(database).partition(dayMs - (dayMs % DAY_MS));
      await database.query(busy);
      if (how === "repaired") await createPartitions({ ...parts(), rowsAtOnce: 10_000 }).repair(day, () => undefined);
      const account = createId(dayMs);
      await database.query("insert into account (id, bucket, path, name) values ($1, 7, array[$1::uuid], $2)", [
        account,
        day,
      ]);
      await database.query(
        "insert into key (id, bucket, mode, account_id) select gen_random_uuid(), 7, 'credit', $1 from generate_series(1, 200)",
        [account],
      );
      // Of hours that are not added up yet, a statement reads every charge.
      await database.query("select rollup_v1(hour) from rollup_due_v1(1000) hour");
      await database.script("analyze");

      const page = { before: "ffffffff-ffff-ffff-ffff-ffffffffffff", limit: 100 };
      const journal = (queryable: Queryable) => createReadJournal(queryable)({ kind: "account", id: account }, page);

      const statement = (queryable: Queryable) => createReadStatement(queryable)(account, day.slice(0, 7));

      // Each key is looked up in each day. The whole of the day has some 600 blocks, and there are 200 keys.
      expect(await blocksOf(journal)).toBeLessThan(200 * 60);
      expect(await blocksOf(statement)).toBeLessThan(200 * 100);
    },
  );
});
