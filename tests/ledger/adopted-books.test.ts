import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { type LoneKey, loneKey } from "../support/lone-key.ts";
import { type Cluster, runAsServer, startCluster, whyUnavailable } from "../support/postgres.ts";
import { type Ran, runTollgate } from "../support/run-tollgate.ts";
import { startSwitch } from "../support/tcp-switch.ts";
import { childEnvironment } from "../support/child-environment.ts";

const limits = { poolSize: 2, connectTimeoutMs: 5_000, statementTimeoutMs: 30_000, onError: () => undefined };
const open = (url: string): Database => createPostgres({ url, ...limits });

type Copy = (original: Cluster) => Promise<Cluster>;

/** Both make another cluster with the books of the first, which is another server to whoever looks at its identifier. */
const COPIES: [string, Copy][] = [
  ["a dump restored into another cluster", restoreDump],
  ["pg_upgrade", upgrade],
];

describe.skipIf(whyUnavailable("15", "pg_dump") !== null).each(COPIES)("books moved by %s", (_, copyOf) => {
  let key: LoneKey;
  let folder: string;
  let original: Cluster;
  let copy: Cluster;
  let running: Database;
  let proxy: Awaited<ReturnType<typeof startSwitch>>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-moved-books-"));
    original = await startCluster();
    const superuser = open(original.superuserUrl);
    await superuser.query("create database books");
    await superuser.close();
    proxy = await startSwitch(original.port);
    running = open(`postgres://postgres@127.0.0.1:${proxy.port}/books`);
    await migrate(running, { folder: schemaFolder() });
    key = await loneKey(running);
    expect(await fund(running, "before")).toEqual({ kind: "funded" });
    copy = await copyOf(original);
    proxy.turnTo(copy.port);
  });
  afterAll(async () => {
    await running?.close();
    await proxy?.close();
    await copy?.close();
    await original?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const fund = (database: Database, reference: string) =>
    createLedgerStore(database).fund({ counter: key.counter, reference, kind: "grant", amount: 5n, actor: "test" });
  const tollgate = (...words: string[]): Promise<Ran> =>
    runTollgate(words, {
      cwd: folder,
      env: { ...childEnvironment(), DATABASE_URL: copy.url("books"), TOLLGATE_ADMIN_TOKEN: "a".repeat(32) },
    });

  test("are refused until an operator adopts them, and by a process that ran before until it is started again", async () => {
    await expect(running.query("select 1")).rejects.toThrow();
    await expect(running.query("select 1")).rejects.toThrow(
      /its system identifier is \d+, but this process uses the ledger on \d+/,
    );
    const stranger = open(copy.url("books"));
    await expect(stranger.query("select 1")).rejects.toThrow(
      /its ledger was last on \d+\. .* run `tollgate ledger adopt`/,
    );
    await stranger.close();
    const served = await tollgate("serve");
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining("run `tollgate ledger adopt`") });
    const paid = await tollgate("topup", key.keyId, "1", "--ref", "too-early");
    expect(paid).toMatchObject({ code: 1, stderr: expect.stringContaining("tollgate ledger adopt") });
    expect(await tollgate("ledger", "verify")).toMatchObject({ code: 0 });

    const looked = await tollgate("ledger", "adopt");
    expect(looked).toMatchObject({ code: 1, stdout: expect.stringContaining("tollgate ledger adopt --apply") });
    const adopted = await tollgate("ledger", "adopt", "--apply", "--json");
    expect(adopted.code).toBe(0);
    const { server, books_last_on: last } = JSON.parse(adopted.stdout) as Record<string, Record<string, unknown>>;
    expect(server?.["system_identifier"]).not.toBe(last?.["system_identifier"]);
    expect(JSON.parse(adopted.stdout)).toMatchObject({ needed: true, adopted: true });

    const fresh = open(copy.url("books"));
    expect(await fund(fresh, "after")).toEqual({ kind: "funded" });
    await fresh.close();
    expect(await tollgate("ledger", "adopt", "--json")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"needed": false'),
    });
    await expect(fund(running, "never")).rejects.toThrow(/this process uses the ledger on \d+/);
  });
});

async function restoreDump(original: Cluster): Promise<Cluster> {
  const copy = await startCluster({ unlike: true });
  const at = (cluster: Cluster) => ["-h", "127.0.0.1", "-p", String(cluster.port), "-U", "postgres"];
  const dump = `'${join(original.binFolder, "pg_dump")}' ${at(original).join(" ")} -Fc books`;
  const restore = `'${join(copy.binFolder, "pg_restore")}' ${at(copy).join(" ")} -d postgres --create --exit-on-error`;
  await runAsServer("sh", ["-c", `set -e; f=$(mktemp); ${dump} > $f; ${restore} $f; rm $f`]);
  return copy;
}

async function upgrade(original: Cluster): Promise<Cluster> {
  await original.stop();
  return startCluster({
    fill: async ({ dataFolder, binFolder }) => {
      const initdb = `'${join(binFolder, "initdb")}' -D '${dataFolder}' -U postgres -A trust -E UTF8 --locale=C --no-sync`;
      const upgraded = `'${join(binFolder, "pg_upgrade")}' -b '${binFolder}' -B '${binFolder}' -d '${original.dataFolder}' -D '${dataFolder}' -U postgres`;
      await runAsServer("sh", ["-c", `set -e; ${initdb}; d=$(mktemp -d); cd $d; ${upgraded} -s $d; rm -rf $d`]);
    },
  });
}
