import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { freshDatabase, startCluster, whyUnavailable } from "./postgres.ts";

const ask = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};

describe.each(["15", "newest"] as const)("PostgreSQL %s", (version) => {
  const reason = whyUnavailable(version);

  test("a server that crashed after a commit still has it when started again", async (context) => {
    context.skip(reason !== null, reason ?? "");
    const cluster = await startCluster({ version, settings: { max_connections: 7 } });
    await ask(cluster.url(), "create table note as select 1 as id");

    await cluster.stop({ mode: "immediate" });
    expect(cluster.pid()).toBeNull();
    await cluster.start();

    expect(await ask(cluster.url(), "select id from note")).toEqual([{ id: 1 }]);
    expect(await ask(cluster.superuserUrl, "show max_connections")).toEqual([{ max_connections: "7" }]);
    await cluster.close();
    expect(existsSync(cluster.dataFolder)).toBe(false);
  });

  test("a server ends and leaves no files when its owner is killed", async (context) => {
    context.skip(reason !== null, reason ?? "");
    const owner = spawn("sleep", ["60"], { stdio: "ignore" });
    const cluster = await startCluster({ version, durable: false, ...(owner.pid && { ownerPid: owner.pid }) });

    owner.kill("SIGKILL");

    await expect.poll(() => existsSync(dirname(cluster.dataFolder)), { interval: 50 }).toBe(false);
    await expect.poll(() => cluster.pid(), { interval: 50 }).toBeNull();
  });

  test("a fresh database belongs to no superuser, and goes while sessions of both its roles are open", async (context) => {
    context.skip(reason !== null, reason ?? "");
    const fresh = await freshDatabase({ version });
    const sessions = [fresh.url, fresh.tampererUrl].map((connectionString) => new Client({ connectionString }));
    const ended = sessions.map((session) => new Promise((resolve) => session.on("error", resolve)));
    for (const session of sessions) await session.connect();
    const rows = await Promise.all(
      sessions.map(async (session) => (await session.query("show is_superuser")).rows as unknown[]),
    );

    await fresh.close();

    expect(rows).toEqual([[{ is_superuser: "off" }], [{ is_superuser: "off" }]]);
    await Promise.all(ended);
  });

  test("fresh databases are migrated and do not see each other", async (context) => {
    context.skip(reason !== null, reason ?? "");
    const [one, two] = await Promise.all([freshDatabase({ version }), freshDatabase({ version })]);
    await ask(one.url, "create table mine (id int)");

    expect(
      await ask(two.url, "select to_regclass('mine') as mine, to_regclass('key') is not null as migrated"),
    ).toEqual([{ mine: null, migrated: true }]);
    await Promise.all([one.close(), two.close()]);
    await expect(ask(one.url, "select 1")).rejects.toThrow("does not exist");
  });
});
