import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { BROKEN_SQL } from "./broken-sql.ts";
import { SERVERS } from "./engines.ts";
import { tryStraying } from "./line-trial.ts";
import {
  tryBalanceOrder,
  tryCounterOrder,
  tryGivenBackOrder,
  tryLockOrder,
  tryTwoPayments,
} from "./lock-order-trial.ts";
import { breakSql, noticedInSql } from "./notice-sql.ts";

const server = SERVERS[0];

describe.skipIf(server?.reason !== null)("with one word of the SQL wrong", () => {
  let database: Database;
  let close: () => Promise<void> = async () => undefined;

  // A database each: what a broken ledger leaves behind would accuse the next one.
  beforeEach(async () => {
    if (server) ({ database, close } = await server.open());
  });
  afterEach(() => close());

  test.each(BROKEN_SQL)("$name is noticed by $caughtBy", async (broken) => {
    expect(await breakSql(database, broken)).toBe(true);

    expect(await noticedInSql(database, { ...broken, runs: 300 })).toContain(broken.caughtBy);
  });

  test("and with none wrong nothing is noticed", async () => {
    expect([...(await noticedInSql(database, { caughtBy: "", runs: 15 }))]).toEqual([]);
    expect(await tryStraying(database)).toEqual([]);
    for (const meet of [tryLockOrder, tryBalanceOrder, tryCounterOrder, tryGivenBackOrder, tryTwoPayments])
      expect(await meet(database)).toEqual([]);
  });
});
