import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createDayStore } from "../../src/ledger/verify/days/day-store.ts";
import { dayOf, firstIdOf } from "../../src/ledger/verify/days/verified-day.ts";
import { lookAtDay } from "../../src/ledger/verify/days/look-at-day.ts";
import { BROKEN_DAYS, breakDays, broken, TRIALS, UNTOUCHED } from "./broken-days.ts";
import { ENGINES } from "./engines.ts";
import { type Books, lookAtAll, openBooks, TODAY_MS, undone, VERIFIER } from "./verified-days.ts";

const engines = ENGINES.filter(({ name }) => name === "PostgreSQL 15" || name === "PGlite");

describe.each(engines)("$name", ({ reason, open }) => {
  let database: Database;
  let books: Omit<Books, "queryable">;
  let close: () => Promise<void> = async () => undefined;
  beforeAll(async () => {
    if (reason !== null) return;
    ({ database, close } = await open("tamperer"));
    books = await openBooks(database);
    expect(await lookAtAll(database)).toEqual([]);
  });
  afterAll(() => close());

  test.skipIf(reason !== null)("days that nobody touched are verified again and again without a mismatch", async () => {
    expect(await lookAtAll(database)).toEqual([]);
    const { days } = await createDayStore(database).days();
    expect(days.filter(({ charges }) => charges > 0).map(({ charges }) => charges)).toEqual([6, 6]);
    expect(await createDayStore(database).state()).toMatchObject({
      mismatches: 0,
      pending: 0,
      verifiedAtMs: TODAY_MS + 1,
    });
  });

  test.skipIf(reason !== null).each(TRIALS)("$name", async ({ run }) => {
    expect(await undone(database, (tx) => run({ ...books, queryable: tx }))).toBeNull();
  });

  test.skipIf(reason !== null)("a look that was left goes on where it was, and comes to the same", async () => {
    const whole = await createDayStore(database).days();
    await undone(database, async (tx) => {
      const store = createDayStore(tx);
      const [day] = whole.days.filter(({ charges }) => charges === 6);
      if (!day) throw new Error("there is no such day");
      let pieces = 0;
      const looking = {
        processId: VERIFIER,
        elapsedMs: () => (pieces += 1) * 60_000,
        workedMs: () => 0,
        onMismatches: () => undefined,
        onKept: () => Promise.resolve(),
      };
      const dying = { ...store, usageSums: () => Promise.reject(new Error("killed")) };
      await expect(lookAtDay(day, whole.nowMs, { ...looking, store: dying })).rejects.toThrow("killed");
      const left = (await store.days()).days.find(({ number }) => number === day.number);
      expect(left?.pass).toMatchObject({ charges: 6 });

      let read = 0;
      const piece: typeof store.piece = async (...range) => {
        const found = await store.piece(...range);
        read += found.rows;
        return found;
      };
      await lookAtDay(left ?? day, whole.nowMs, { ...looking, store: { ...store, piece } });

      expect(read).toBe(0);
      const after = (await store.days()).days.find(({ number }) => number === day.number);
      expect(after).toMatchObject({ digest: day.digest, charges: 6, mismatches: 0, pass: null });
    });
  });

  test.skipIf(reason !== null)(
    "a look leaves what is written while it goes on to the next, so that it ends",
    async () => {
      await undone(database, async (tx) => {
        const store = createDayStore(tx);
        const day = (await store.days()).days.find(({ number }) => number === dayOf(TODAY_MS));
        if (!day) throw new Error("today has charges");
        const ranges: string[] = [];
        const piece: typeof store.piece = (range, until) => {
          ranges.push(range.before);
          return store.piece(range, until);
        };
        const quiet = { elapsedMs: () => 0, workedMs: () => 0, onMismatches: () => undefined };
        const looking = { ...quiet, processId: VERIFIER, onKept: () => Promise.resolve() };
        await lookAtDay(day, TODAY_MS, { ...looking, store: { ...store, piece } });

        expect(new Set(ranges)).toEqual(new Set([firstIdOf(TODAY_MS + 60_000)]));
      });
    },
  );

  test.skipIf(reason !== null)(
    "one process has the turn, the next has it when the lease is over or given back",
    async () => {
      await undone(database, async (tx) => {
        const store = createDayStore(tx);
        const other = createId(1);
        expect(await store.takeTurn(VERIFIER, 60_000)).toBe(true);
        expect(await store.takeTurn(other, 60_000)).toBe(false);
        await tx.query("update test_clock set now = now + interval '61 seconds'");
        expect(await store.takeTurn(other, 60_000)).toBe(true);
        expect(await store.takeTurn(VERIFIER, 60_000)).toBe(false);
        await store.takeTurn(other, 0);
        await tx.query("update test_clock set now = now + interval '1 second'");
        expect(await store.takeTurn(VERIFIER, 60_000)).toBe(true);
      });
    },
  );
});

const [server] = ENGINES;

describe.skipIf(server?.reason !== null)("with one word of the check wrong", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;
  // A database each: what a broken check keeps would accuse the next one.
  beforeEach(async () => {
    if (server) ({ database, close } = await server.open("tamperer"));
  });
  afterEach(() => close());

  test.each(BROKEN_DAYS)("$name is noticed by: $noticedBy", async (one) => {
    const books = await openBooks(database);
    expect(await breakDays(database, one)).toBe(true);
    const noticed = (await lookAtAll(broken(database, one))).length > 0 ? [UNTOUCHED] : [];

    for (const { name, run } of noticed.length > 0 ? [] : TRIALS) {
      if (!name.startsWith(one.noticedBy)) continue;
      const complaint = await undone(database, (tx) => run({ ...books, queryable: broken(tx, one) }));
      if (complaint !== null) noticed.push(name);
    }

    expect(noticed.some((name) => name.startsWith(one.noticedBy))).toBe(true);
  });
});
