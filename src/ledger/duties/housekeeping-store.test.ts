import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENGINES } from "../../../tests/ledger/engines.ts";
import { createId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import type { HousekeepingStore } from "./housekeeping.ts";
import { createHousekeepingStore } from "./housekeeping-store.ts";
import { createLedgerStore } from "../turn/ledger-store.ts";
import type { Ledger } from "../ledger.ts";
import { until } from "../../../tests/support/until.ts";

const START_MS = Date.UTC(2026, 10, 15, 14, 30);
const DAY_MS = 86_400_000;
const TODAY_MS = START_MS - (START_MS % DAY_MS);
const [older, younger] = [createId(1), createId(2)];

describe.each(ENGINES)("$name", ({ name, reason, open }) => {
  let database: Database;
  let close: () => Promise<void>;
  let ledger: Ledger;
  let store: HousekeepingStore;

  beforeAll(async () => {
    if (reason !== null) return;
    ({ database, close } = await open());
    [ledger, store] = [createLedgerStore(database), createHousekeepingStore(database)];
    await setClock(START_MS);
  });
  afterAll(async () => {
    if (reason === null) await close();
  });
  const setClock = (ms: number): Promise<unknown> => database.query("update test_clock set now = $1", [new Date(ms)]);

  /** A request that was admitted and completed at some time. */
  async function complete(ms: number): Promise<void> {
    const [id, keyId] = [createId(ms), createId(Date.now())];
    await database.query("insert into key (id, bucket, mode) values ($1, 7, 'credit')", [keyId]);
    await database.query(
      `insert into charge (hold_id, admitted_at, at, credits, key_no, chain, model, price_version, input, output, provider, status, kind, reported)
       select $1, $3, $3, 5, b.key_no, b.chain, 1, 1, 3, 4, 1, 200, 1, true from balance b where b.key_id = $2`,
      [id, keyId, new Date(ms)],
    );
  }

  test.skipIf(reason !== null)("of all that live, the oldest keeps house, and the next when it is gone", async () => {
    expect(await store.duty(older)).toEqual({ mine: false, nowMs: START_MS });
    await ledger.heartbeat(older);
    await ledger.heartbeat(younger);
    expect(await store.duty(older)).toMatchObject({ mine: true });
    expect(await store.duty(younger)).toMatchObject({ mine: false });

    await setClock(START_MS + 10_000);
    await ledger.heartbeat(younger);
    await setClock(START_MS + 20_000);
    expect(await store.duty(younger)).toEqual({ mine: true, nowMs: START_MS + 20_000 });
    expect(await store.duty(older)).toMatchObject({ mine: false });
  });

  test.skipIf(reason !== null)("an hour added up holds what was recorded in it and nothing else", async () => {
    const hourMs = TODAY_MS + 10 * DAY_MS;
    for (const ms of [hourMs - 1, hourMs, hourMs + 3_599_999, hourMs + 3_600_000]) await complete(ms);

    expect(await store.rollup(hourMs)).toBe("done");

    const sums = "select hour, sum(requests)::bigint as requests from usage_rollup group by hour";
    expect(await database.query(sums)).toEqual([{ hour: new Date(hourMs), requests: 2n }]);
  });

  test.skipIf(reason !== null)(
    "an hour is owed from a minute after its end until a rollup has seen all of it, whoever keeps house",
    async () => {
      const hourMs = TODAY_MS + 20 * DAY_MS;
      const due = async (ms: number): Promise<string[]> => {
        await setClock(ms);
        return (await store.owed(9)).map((it) => new Date(it).toISOString().slice(8, 13));
      };
      await setClock(hourMs + 120_000);
      for (let hours = await store.owed(200); hours.length > 0; hours = await store.owed(200))
        for (const ms of hours) await store.rollup(ms);

      expect(await due(hourMs + 3_659_000)).toEqual([]);
      expect(await due(hourMs + 3_661_000)).toEqual(["05T00"]);
      expect(await due(hourMs + 4 * 3_600_000)).toEqual(["05T00", "05T01", "05T02"]);
      // A transaction of any database of the server keeps it owed for as long as it is open.
      await until(async () => {
        await store.rollup(hourMs + 3_600_000);
        return !(await due(hourMs + 4 * 3_600_000)).includes("05T01");
      }, "a rollup has seen all of it");
      expect(await due(hourMs + 4 * 3_600_000)).toEqual(["05T00", "05T02"]);
      await setClock(START_MS);
    },
  );

  test.skipIf(reason !== null)("a day gets its partition once", async () => {
    expect(await store.partition(TODAY_MS + DAY_MS)).toBe("made");
    expect(await store.partition(TODAY_MS + DAY_MS)).toBe("present");

    expect(await database.query("select to_regclass('charge_20261116')::text as made")).toEqual([
      { made: "charge_20261116" },
    ]);
  });

  test.skipIf(reason !== null)(
    "a day whose requests already lie elsewhere stays there, and nothing is half made",
    async () => {
      await complete(START_MS);

      expect(await store.partition(TODAY_MS)).toBe("occupied");
      expect(await store.partition(TODAY_MS + 2 * DAY_MS)).toBe("made");

      expect(await database.query("select to_regclass('charge_20261115') as made")).toEqual([{ made: null }]);
    },
  );

  // PGlite has one connection, so nobody can be in the way.
  describe.skipIf(reason !== null || name === "PGlite")("beside others", () => {
    test("two processes that both believe it is their turn do not do it twice at once", async () => {
      const [entered, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const slow = createHousekeepingStore({
        query: database.query,
        transaction: (work) =>
          database.transaction(async (tx) => {
            const result = await work(tx);
            entered.resolve();
            await finish.promise;
            return result;
          }),
      });
      const first = slow.rollup(START_MS);
      await entered.promise;

      expect(await store.rollup(START_MS)).toBe("busy");
      finish.resolve();
      expect(await first).toBe("done");
      expect(await store.rollup(START_MS)).toBe("done");
    });

    test("a partition that would have to wait for a reader gives way within a second", async () => {
      const [reading, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const reader = database.transaction(async (tx) => {
        await tx.query("select 1 from charge limit 1");
        reading.resolve();
        await finish.promise;
      });
      await reading.promise;

      await expect(store.partition(TODAY_MS + 3 * DAY_MS)).rejects.toMatchObject({ code: "55P03" });
      finish.resolve();
      await reader;
      expect(await store.partition(TODAY_MS + 3 * DAY_MS)).toBe("made");
    });
  });
});
