import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster, whyUnavailable } from "../../../tests/support/postgres.ts";
import { runAsServer } from "../../../tests/support/postgres-cluster.ts";
import { startStandbyOf } from "../../../tests/support/postgres-standby.ts";
import type { Database } from "../database.ts";
import { createPglite } from "../pglite/pglite.ts";
import { createPostgres } from "./postgres.ts";
import { readServerFacts } from "./read-server-facts.ts";

const reason = whyUnavailable("15", "pg_basebackup");

describe.skipIf(reason !== null)(`what a server says of itself${reason === null ? "" : `: skipped, ${reason}`}`, () => {
  let primary: Cluster;
  let standby: Cluster;
  const open: Database[] = [];
  beforeAll(async () => {
    primary = await startCluster({ version: "15" });
    await run("create role plain login", "create role seeing login in role pg_read_all_stats");
    standby = await startStandbyOf(primary);
  });
  afterAll(async () => {
    for (const database of open) await database.close();
    await standby?.close();
    await primary?.close();
  });

  async function run(...statements: string[]): Promise<void> {
    const client = new Client({ connectionString: primary.superuserUrl });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  }

  function as(role: string): Database {
    const database = createPostgres({
      url: primary.superuserUrl.replace("postgres@", `${role}@`),
      poolSize: 1,
      connectTimeoutMs: 5_000,
      statementTimeoutMs: 5_000,
      onError: () => undefined,
    });
    open.push(database);
    return database;
  }

  test("a durable server near our own clock is found to be that", async () => {
    const facts = await as("plain").inspect();

    expect(facts).toMatchObject({
      role: "plain",
      pooled: false,
      sessionDefaults: { statementTimeoutMs: 0, idleTransactionTimeoutMs: 0, isolation: "read committed" },
      wanted: { statementTimeoutMs: 5_000, idleTransactionTimeoutMs: 10_000 },
      fsync: true,
      fullPageWrites: true,
    });
    expect(Math.abs(facts?.clockAheadMs ?? Number.NaN)).toBeLessThanOrEqual((facts?.clockErrorMs ?? 0) + 1);
  });

  test("the server's clock is compared with ours, and the time of the answer is the uncertainty", async () => {
    const client = new Client({ connectionString: primary.superuserUrl });
    await client.connect();
    const limits = { statementTimeoutMs: 5_000, idleTransactionTimeoutMs: 10_000 };
    const ticks = [1_000, 5_000];
    const slow = { nowMs: () => Date.now() - 90_000, elapsedMs: () => ticks.shift() ?? 0 };

    const facts = await readServerFacts(client, limits, slow);
    await client.end();

    expect(facts.clockErrorMs).toBe(2_000);
    expect(Math.abs(facts.clockAheadMs - (90_000 - 2_000))).toBeLessThan(10_000);
  });

  test("over TLS the certificate of the server is read from the connection, and without it there is none", async () => {
    const [key, certificate] = ["server.key", "server.crt"].map((name) => `${primary.dataFolder}/${name}`);
    const files = ["-keyout", key ?? "", "-out", certificate ?? "", "-subj", "/CN=localhost", "-days", "9"];
    await runAsServer("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", ...files]);
    expect((await as("plain").inspect())?.certificates).toEqual([]);
    await run("alter system set ssl = on", "select pg_reload_conf()");

    const client = new Client({ connectionString: primary.superuserUrl, ssl: { rejectUnauthorized: false } });
    await client.connect();
    const facts = await readServerFacts(client, { statementTimeoutMs: 5_000, idleTransactionTimeoutMs: 10_000 });
    await client.end();

    expect(facts.certificates).toMatchObject([{ usedFor: "database", host: "" }]);
    const days = ((facts.certificates[0]?.endsAtMs ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(8.9);
    expect(days).toBeLessThan(9.1);
  });

  test("any role sees that standbys are connected; which of them is synchronous, one with pg_read_all_stats alone", async () => {
    const [plain, seeing] = [as("plain"), as("seeing")];
    const replication = async (database: Database) => (await database.inspect())?.replication;
    const common = { synchronousCommit: "on", standbys: 1 };
    await expect.poll(() => replication(seeing)).toMatchObject({ ...common, synchronousStandbys: 0 });

    await run("alter system set synchronous_standby_names = '*'", "select pg_reload_conf()");
    await expect
      .poll(() => replication(seeing))
      .toEqual({ ...common, synchronousStandbyNames: "*", synchronousStandbys: 1, candidates: 1 });
    const unseen = { synchronousStandbys: null, candidates: null };
    expect(await replication(plain)).toEqual({ ...common, synchronousStandbyNames: "*", ...unseen });

    await run("alter system set synchronous_standby_names = 'another'", "select pg_reload_conf()");
    await expect.poll(() => replication(seeing)).toMatchObject({ ...common, synchronousStandbys: 0 });
  });
});

test("a database inside this process has no server to speak of", async () => {
  const database = await createPglite({ dataFolder: null });

  expect(await database.inspect()).toBe(null);
  await database.close();
});
