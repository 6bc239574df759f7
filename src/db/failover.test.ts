import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster, whyUnavailable } from "../../tests/support/postgres.ts";
import { promote, startStandbyOf } from "../../tests/support/postgres-standby.ts";
import type { Database } from "./database.ts";
import { createPostgres } from "./postgres/postgres.ts";

const reason = whyUnavailable("15", "pg_basebackup");

const readFrom = async ({ superuserUrl }: Cluster, sql: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: superuserUrl });
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query(sql);
  await client.end();
  return rows;
};

describe.skipIf(reason !== null)(`a primary and its standby${reason === null ? "" : `: skipped, ${reason}`}`, () => {
  let primary: Cluster;
  let standby: Cluster;
  let database: Database;
  beforeAll(async () => {
    primary = await startCluster({ version: "15" });
    standby = await startStandbyOf(primary);
    database = createPostgres({
      url: `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`,
      poolSize: 4,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 10_000,
      onError: () => undefined,
      random: () => 0,
    });
  });
  afterAll(async () => {
    await database?.close();
    await standby?.close();
    await primary?.close();
  });

  const serverPort = async (): Promise<number> => {
    const [row] = await database.query<{ port: string }>("select current_setting('port') as port");
    return Number(row?.port);
  };

  test("the primary is found though the standby is listed first", async () => {
    await database.script("create table note (id int primary key)");

    expect(await serverPort()).toBe(primary.port);
  });

  test("after the primary has crashed and the standby is promoted, queries and notifications go to the new primary", async () => {
    const { promise: heard, resolve } = Promise.withResolvers<string>();
    const refreshed = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let refreshes = 0;
    await database.listen(["news"], {
      notified: (_channel, payload) => resolve(payload),
      refresh: () => refreshed[refreshes++]?.resolve(),
    });
    await database.query("insert into note values (1)");
    await expect.poll(() => readFrom(standby, "select id from note"), { interval: 20 }).toEqual([{ id: 1 }]);

    await primary.stop({ mode: "immediate" });
    await expect(database.query("insert into note values (2)")).rejects.toThrow();
    await promote(standby);

    await database.query("insert into note values (3)");
    expect(await serverPort()).toBe(standby.port);
    expect(await database.query("select id from note order by id")).toEqual([{ id: 1 }, { id: 3 }]);
    await refreshed[1]?.promise;
    await database.query("select pg_notify('news', 'from the new primary')");
    expect(await heard).toBe("from the new primary");
  });
});
