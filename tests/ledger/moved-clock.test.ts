import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_USAGE } from "../../src/core/money/usage.ts";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import type { Ask } from "../../src/ledger/ledger.ts";
import { freshDatabase, whyUnavailable } from "../support/postgres.ts";
import { namesOf } from "./commands.ts";
import { databaseTarget, takeClock } from "./database-target.ts";
import { type LoneLedger, loneLedger } from "./lone-ledger.ts";

const reason = whyUnavailable("15");
const limits = { poolSize: 3, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
/** A Wednesday, a second before midnight UTC; in both zones it is another day or hour. */
const WEDNESDAY_MS = Date.UTC(2026, 0, 14, 23, 59, 59);
let run = 0;

describe.skipIf(reason !== null).each(["Pacific/Kiritimati", "America/Los_Angeles"])(
  "with a database in %s",
  (zone) => {
    let database: Database;
    let close: () => Promise<void> = async () => undefined;

    beforeAll(async () => {
      const fresh = await freshDatabase({ version: "15" });
      const owner = createPostgres({ url: fresh.url, ...limits });
      await takeClock(owner);
      await owner.script(
        `do $$ begin execute format('alter database %I set timezone = %L', current_database(), '${zone}'); end $$`,
      );
      await owner.close();
      database = createPostgres({ url: fresh.url, ...limits });
      close = async () => {
        await database.close();
        await fresh.close();
      };
    });
    afterAll(() => close());

    const open = async (unit: "credit" | "tokens") => {
      run += 1;
      const names = namesOf(run);
      const target = loneLedger(await databaseTarget(database, WEDNESDAY_MS));
      const keyId = names.keyId(0);
      await target.createKey(keyId, unit);
      await target.heartbeat(names.processId(0));
      let asked = 0;
      const ask = (lifetimeMs = 300_000): Ask =>
        target.ask(keyId, { id: names.requestId((asked += 1)), least: 10n, lifetimeMs });
      return { target, keyId, processId: names.processId(0), sweeperId: names.processId(1), ask };
    };
    const settle = (target: LoneLedger, of: Ask): Promise<unknown> =>
      target.settle([{ of, price: 10n, usage: NO_USAGE }]);

    test.each([
      ["day", Date.UTC(2026, 0, 15)],
      ["week", Date.UTC(2026, 0, 19)],
      ["month", Date.UTC(2026, 1, 1)],
    ] as const)(
      "a budget by the %s turns at its instant in UTC, and not before [MON-40] [USG-23]",
      async (period, endMs) => {
        const { target, keyId, processId, ask } = await open("tokens");
        expect(await database.query("select current_setting('timezone') as zone")).toEqual([{ zone }]);
        await target.setLimit({ keyId, reference: "b", amount: 10n, period });
        const spent = ask();
        await target.admit(processId, [spent]);
        await settle(target, spent);

        await target.advance(endMs - WEDNESDAY_MS - 1);
        expect(await target.admit(processId, [ask()])).toEqual([
          { kind: "limit_reached", posted: 0n, available: 0n, renewsAtMs: endMs },
        ]);
        expect(await target.usage(keyId)).toMatchObject({ used: 10n, renewsAtMs: endMs });
        await target.advance(1);
        expect(await target.usage(keyId)).toMatchObject({ used: 0n, posted: 10n });
        expect(await target.admit(processId, [ask()])).toMatchObject([{ kind: "admitted" }]);
      },
    );

    test("a clock that is set back over the end of a period gives no second budget [MON-40]", async () => {
      const { target, keyId, processId, ask } = await open("tokens");
      const budget = { keyId, amount: 10n, period: "day" } as const;
      await target.setLimit({ ...budget, reference: "first" });
      await target.advance(2_000);
      const spent = ask();
      expect(await target.admit(processId, [spent])).toMatchObject([{ kind: "admitted" }]);
      await settle(target, spent);

      await target.advance(-5_000);
      const same = await target.setLimit({ ...budget, reference: "second" });
      const longer = await target.setLimit({ ...budget, reference: "third", period: "week" });
      const shorter = await target.setLimit({ ...budget, reference: "fourth" });
      expect([same, longer, shorter]).toEqual([{ kind: "funded" }, { kind: "funded" }, { kind: "funded" }]);
      await target.advance(5_000);

      const endMs = Date.UTC(2026, 0, 16);
      expect(await target.admit(processId, [ask()])).toEqual([
        { kind: "limit_reached", posted: 0n, available: 0n, renewsAtMs: endMs },
      ]);
      expect(await target.usage(keyId)).toMatchObject({ used: 10n, posted: 0n, renewsAtMs: endMs });
    });

    test("a clock that had been far ahead is not followed by the next budget", async () => {
      const { target, keyId } = await open("tokens");
      const budget = { keyId, amount: 10n, period: "day" } as const;
      await target.advance(40 * 86_400_000);
      await target.setLimit({ ...budget, reference: "ahead" });
      await target.advance(-40 * 86_400_000);
      await target.setLimit({ ...budget, reference: "mended" });

      expect(await target.usage(keyId)).toMatchObject({ renewsAtMs: Date.UTC(2026, 0, 15) });
    });

    test("what was spent today is of the day in UTC, and turns with it [USG-20]", async () => {
      const { target, keyId, processId, ask } = await open("credit");
      await target.purchase(keyId, 100n);
      const [late, early] = [ask(), ask()];
      await target.admit(processId, [late, early]);
      await target.advance(999);
      await settle(target, late);
      expect(await target.usage(keyId)).toMatchObject({ todaySpend: 10n });
      await target.advance(1);
      expect(await target.usage(keyId)).toMatchObject({ todaySpend: 0n, used: 10n });
      await settle(target, early);
      expect(await target.usage(keyId)).toMatchObject({ todaySpend: 10n, used: 20n });
    });

    test("a clock that is set back over midnight leaves what the new day has spent [USG-20]", async () => {
      const { target, keyId, processId, ask } = await open("credit");
      await target.purchase(keyId, 100n);
      const [early, back, later] = [ask(), ask(), ask()];
      await target.admit(processId, [early, back, later]);
      await target.advance(2_000);
      await settle(target, early);

      await target.advance(-5_000);
      await settle(target, back);
      await target.advance(5_000);
      expect(await target.usage(keyId)).toMatchObject({ todaySpend: 10n, used: 20n });
      await settle(target, later);
      expect(await target.usage(keyId)).toMatchObject({ todaySpend: 20n, used: 30n });

      await target.void([{ id: back.id, keyId }]);
      expect(await target.usage(keyId)).toMatchObject({ todaySpend: 20n, used: 20n });
      await target.void([{ id: early.id, keyId }]);
      expect(await target.usage(keyId)).toMatchObject({ todaySpend: 10n, used: 10n });
    });

    test("a clock that had been far ahead has no day that stays", async () => {
      const { target, keyId, processId, ask } = await open("credit");
      await target.purchase(keyId, 100n);
      const [ahead, mended] = [ask(), ask()];
      await target.admit(processId, [ahead, mended]);
      await target.advance(2 * 86_400_000);
      await settle(target, ahead);
      await target.advance(-2 * 86_400_000);
      await settle(target, mended);

      expect(await target.usage(keyId)).toMatchObject({ todaySpend: 10n, used: 20n });
    });

    test("a request whose process lives is swept when its time is over, and not before [MON-37]", async () => {
      const { target, keyId, processId, sweeperId, ask } = await open("credit");
      await target.purchase(keyId, 100n);
      const stuck = ask(360_000);
      const swept = async () => (await target.sweep(sweeperId, 9)).filter(({ id }) => id === stuck.id);
      await target.admit(processId, [stuck]);
      for (let waitedMs = 0; waitedMs < 360_000; waitedMs += 5_000) {
        for (const id of [processId, sweeperId]) await target.heartbeat(id);
        expect(await swept()).toEqual([]);
        await target.advance(5_000);
      }
      for (const id of [processId, sweeperId]) await target.heartbeat(id);
      expect(await swept()).toEqual([]);
      await target.advance(1);
      expect(await swept()).toEqual([{ id: stuck.id, keyId, charged: 0n }]);
    });
  },
);
