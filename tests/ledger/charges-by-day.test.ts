import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database, Queryable } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createHousekeepingStore } from "../../src/ledger/duties/housekeeping-store.ts";
import type { HousekeepingStore } from "../../src/ledger/duties/housekeeping.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { createPartitions } from "../../src/ledger/duties/partitions-store.ts";
import { askOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../support/postgres.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const DAY_MS = 86_400_000;
const CHARGE = `
  insert into charge (hold_id, admitted_at, at, granted_credits, credits, key_no, chain, model, price_version, input, output, kind, estimated, reported)
  select $1, now(), now(), 1, 1, key_no, chain, 1, 1, 0, 0, 1, false, false from balance where key_id = $2`;
/** Of the journal's partitions, their indexes not counted. */
const LOCKED = `
  select count(distinct c.relname)::int as partitions from pg_locks l join pg_class c on c.oid = l.relation
   where l.pid = pg_backend_pid() and c.relkind = 'r' and c.relname ~ '^charge_'`;

describe.skipIf(whyUnavailable("15") !== null)("whether a request was charged before", () => {
  let fresh: FreshDatabase;
  let database: Database;
  let house: HousekeepingStore;
  let key: LoneKey;
  /** At noon, so that no hour around it is another day's. */
  const todayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;

  beforeAll(async () => {
    fresh = await freshDatabase();
    database = createPostgres({ url: fresh.url, ...limits });
    house = createHousekeepingStore(database);
    for (let day = -40; day <= 1; day++) if (day !== -30) await house.partition(todayMs + day * DAY_MS);
    key = await loneKey(database, { funds: 1_000n });
  });
  afterAll(async () => {
    await database?.close();
    await fresh?.close();
  });

  const dayOf = (day: number): string => new Date(todayMs + day * DAY_MS).toISOString().slice(0, 10);
  const tableOf = (day: number): string => `charge_${dayOf(day).replaceAll("-", "")}`;
  const isNamed = async (day: number, queryable: Queryable = database): Promise<boolean> => {
    const sql = "select pg_get_functiondef('charged_among'::regproc) like $1 as named";
    return (await queryable.query<{ named: boolean }>(sql, [`%from ${tableOf(day)} where%`]))[0]?.named ?? false;
  };
  const charged = async (day: number): Promise<string> => {
    const id = createId(todayMs + day * DAY_MS);
    await database.query(CHARGE, [id, key.keyId]);
    return id;
  };
  const among = async (ids: readonly string[]): Promise<string[]> => {
    const sorted = ids.toSorted();
    const sql = "select charged_among($1::uuid[], $2, $3) as ids";
    const [row] = await database.query<{ ids: string[] }>(sql, [ids, sorted[0], sorted.at(-1)]);
    return (row?.ids ?? []).toSorted();
  };

  test.each([
    ["today", 0],
    ["tomorrow, by a clock that is ahead", 1],
    ["yesterday", -1],
    ["a day that no branch names", -20],
    ["a day without a partition", -30],
    ["the day after the last partition", 3],
  ])("is found on %s", async (_, day) => {
    const id = await charged(day);
    const other = createId(todayMs + day * DAY_MS);

    expect(await among([id])).toEqual([id]);
    expect(await among([other])).toEqual([]);
    expect(await among([other, id])).toEqual([id]);
  });

  test("is found of requests on both sides of midnight", async () => {
    const ids = [await charged(-1), await charged(0)];

    expect(await among([...ids, createId(todayMs)])).toEqual(ids.toSorted());
  });

  test("a day that gets its partition is named from then on", async () => {
    expect(await isNamed(2)).toBe(false);
    expect(await house.partition(todayMs + 2 * DAY_MS)).toBe("made");
    expect(await isNamed(2)).toBe(true);
  });

  test("a day that was made long ahead is named when it comes", async () => {
    const named: boolean[] = [];
    const undone = database.transaction(async (tx) => {
      const make = (): Promise<unknown> => tx.query("select partition_v1($1::date)", [dayOf(5)]);
      await make();
      named.push(await isNamed(5, tx));
      await tx.script(`create or replace function ledger_now() returns timestamptz language sql volatile
        as $$ select clock_timestamp() + interval '3 days' $$`);
      await make();
      named.push(await isNamed(5, tx));
      throw new Error("enough seen");
    });

    await expect(undone).rejects.toThrow("enough seen");
    expect(named).toEqual([false, true]);
  });

  test("a table that is no partition is not named, and a day that is repaired is", async () => {
    const id = await charged(3);
    await database.script(`create table ${tableOf(3)} (like charge); select name_days()`);
    expect(await isNamed(3)).toBe(false);
    await database.script(`drop table ${tableOf(3)}`);

    const days = createPartitions({ database, clock: { elapsedMs: () => 0 }, pause: async () => undefined });
    const repaired = await days.repair(dayOf(3), () => undefined);

    expect(repaired.result).toBe("moved");
    expect(await isNamed(3)).toBe(true);
    expect(await among([id])).toEqual([id]);
  });

  test("what a gateway undoes whose clock is days ahead leaves nothing in a day to come", async () => {
    const ahead = createId(todayMs + 10 * DAY_MS);
    const soon = createId(Date.now() + 3_600_000);
    const ledger = createLedgerStore(database);
    const undo = (id: string) => ledger.void([{ id, keyId: key.keyId, bucket: 7 }]);

    expect(await undo(ahead)).toMatchObject([{ kind: "voided" }]);
    expect(await among([ahead])).toEqual([]);
    expect(await house.partition(todayMs + 10 * DAY_MS)).toBe("made");

    // One that may still come is barred.
    await undo(soon);
    expect(await among([soon])).toEqual([soon]);
    expect(await undo(soon)).toMatchObject([{ kind: "already" }]);
  });

  test.each([1, 3, 20])(
    "a turn of %i requests locks one partition to begin them and one to end them",
    async (count) => {
      const asks = Array.from({ length: count }, () => askOf(key));
      const partitions = await database.transaction(async (tx) => {
        const ledger = createLedgerStore(tx);
        await ledger.turn(createId(1), { settlements: [], asks });
        const begun = await locked(tx);
        await ledger.turn(createId(1), { settlements: asks.map((ask) => endOf(ask)), asks: [] });
        return [begun, await locked(tx)];
      });

      expect(partitions).toEqual([1, 1]);
    },
  );

  test("a void of an open request locks one partition", async () => {
    const ask = askOf(key);
    const partitions = await database.transaction(async (tx) => {
      const ledger = createLedgerStore(tx);
      await ledger.turn(createId(1), { settlements: [], asks: [ask] });
      expect(await ledger.void([ask])).toMatchObject([{ kind: "voided" }]);
      return locked(tx);
    });

    expect(partitions).toBe(1);
  });

  const locked = async (tx: Queryable): Promise<number> =>
    (await tx.query<{ partitions: number }>(LOCKED))[0]?.partitions ?? 0;
});
