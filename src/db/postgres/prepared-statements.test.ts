import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FreshDatabase, freshDatabase, whyUnavailable } from "../../../tests/support/postgres.ts";
import { type Database, PREPARED } from "../database.ts";
import { createPostgres, type PostgresOptions } from "./postgres.ts";
import { createPreparedStatements } from "./prepared-statements.ts";

const KNOWN = "select statement from pg_prepared_statements";

describe.skipIf(whyUnavailable("15") !== null)("prepared statements", () => {
  let fresh: FreshDatabase;
  const open = (options: Partial<PostgresOptions> = {}): Database =>
    createPostgres({
      url: fresh.url,
      poolSize: 1,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 5_000,
      onError: () => undefined,
      ...options,
    });
  const known = async (database: Database): Promise<string[]> =>
    (await database.query<{ statement: string }>(KNOWN)).map(({ statement }) => statement);

  beforeAll(async () => {
    fresh = await freshDatabase();
  });
  afterAll(() => fresh?.close());

  test("a connection to the server itself keeps a statement that is sent often, and no other", async () => {
    const database = open();
    for (const value of [1n, 2n, 3n])
      expect(await database.query("select $1::bigint as value", [value], PREPARED)).toEqual([{ value }]);
    await database.query("select 7 as other");

    expect(await known(database)).toEqual(["select $1::bigint as value"]);
    await database.close();
  });

  test("off means off", async () => {
    const database = open({ preparedStatements: "off" });
    await database.query("select $1::bigint as value", [1n], PREPARED);

    expect(await known(database)).toEqual([]);
    await database.close();
  });

  test("a migration that changes what a statement answers is noticed by nobody who sends it", async () => {
    const database = open({ poolSize: 2 });
    await database.script("create table grown (one int); insert into grown values (1)");
    const sql = "select * from grown";
    expect(await database.query(sql, [], PREPARED)).toEqual([{ one: 1 }]);

    await database.script("alter table grown add column two int default 2");
    for (const _ of [1, 2, 3]) expect(await database.query(sql, [], PREPARED)).toEqual([{ one: 1, two: 2 }]);
    expect(await known(database)).toEqual([sql]);
    await database.close();
  });

  test("a session that lost the statement is told the whole of it, and no name is used again", async () => {
    const givenUp: unknown[] = [];
    const database = open({ onUnprepared: (error) => givenUp.push(error) });
    const sql = "select $1::int as value";
    await database.query(sql, [1], PREPARED);
    await database.script("deallocate all");

    for (const value of [2, 3]) expect(await database.query(sql, [value], PREPARED)).toEqual([{ value }]);
    expect(await known(database)).toEqual([]);
    expect(givenUp).toMatchObject([{ code: "26000" }]);
    await database.close();
  });

  test("a failure of the statement itself stays the failure it is", async () => {
    const database = open();
    const sql = "select 1 / $1::int as value";

    await expect(database.query(sql, [0], PREPARED)).rejects.toMatchObject({ code: "22012" });
    expect(await database.query(sql, [1], PREPARED)).toEqual([{ value: 1 }]);
    await database.close();
  });
});

test("statements of other words have other names, and the same words the same name in every process", () => {
  const name = (sql: string): string | null =>
    createPreparedStatements({ mode: "on", onGivenUp: () => undefined }).nameFor({ isDirect: false }, sql);

  expect(name("select 1")).toBe(name("select 1"));
  expect(name("select 1")).not.toBe(name("select 2"));
  expect(name("select 1")).toMatch(/^tollgate_[0-9a-f]{32}$/);
});
