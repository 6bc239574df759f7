import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client } from "pg";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { readMigrations, schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { askOf, loneKey } from "../support/lone-key.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";

const limits = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const GRANTS_BY_HAND = `
  grant usage on schema public to tollgate, tollgate_reader;
  grant select, insert, update, delete on account, key, key_secret, provider, model, price, route to tollgate;
  grant select, insert, update, delete on balance, counter, hold, idempotency, process to tollgate;
  grant select, insert, update, delete on usage_rollup, house, borne, threshold, notice to tollgate;
  grant select, insert on chain, charge, funding, refund, word to tollgate;
  grant select on charge_kind, migration, server_line, chain_due, charge_in_words, counter_anywhere to tollgate;
  grant usage on sequence counter_id to tollgate;
  grant update on server_line to tollgate;
  grant select on key, key_secret, balance to tollgate_reader`;
const NEXT = "create or replace function next_v1() returns int language sql as 'select 1';";

describe.skipIf(whyUnavailable("15") !== null)("a database whose grants were written by hand", () => {
  let cluster: Cluster;
  let owner: Database;
  let folder = "";
  let next = "";
  const as = (role: string): Database => createPostgres({ url: cluster.urlAs(role, "tollgate"), ...limits });

  beforeAll(async () => {
    cluster = await startCluster({ version: "15", durable: false });
    const superuser = new Client({ connectionString: cluster.superuserUrl });
    await superuser.connect();
    for (const role of ["tollgate_owner", "tollgate", "tollgate_reader"])
      await superuser.query(`create role ${role} login`);
    await superuser.query("create database tollgate owner tollgate_owner");
    await superuser.end();
    owner = as("tollgate_owner");
    await migrate(owner, { folder: schemaFolder() });
    // As before there were roles: everybody may call everything.
    await owner.script("grant execute on all functions in schema public to public");
    folder = await mkdtemp(join(tmpdir(), "tollgate-migrations-"));
    await cp(schemaFolder(), folder, { recursive: true });
    const number = (await readMigrations(folder)).at(-1)?.number ?? 0;
    next = `${String(number + 1).padStart(4, "0")}_next`;
    await writeFile(join(folder, `migrations/${next}.sql`), "create table next (id int);");
    await writeFile(join(folder, "functions/ledger/next_v1.sql"), NEXT);
    await writeFile(join(folder, "edition.json"), JSON.stringify({ edition: 1_000, sha256: "next" }));
    await owner.script(GRANTS_BY_HAND);
  });
  afterAll(async () => {
    await owner?.close();
    await cluster?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test("a gateway goes on serving after the next step, may call what that makes, and nobody else can call any of it", async () => {
    const app = as("tollgate");
    const reader = as("tollgate_reader");
    const key = await loneKey(app);
    const serve = async () => (await createLedgerStore(app).admit(createId(Date.now()), [askOf(key)]))[0]?.kind;
    expect(await serve()).toBe("insufficient");
    expect(await reader.query("select ledger_now() is not null as called")).toEqual([{ called: true }]);

    const { applied } = await migrate(owner, { folder });

    expect(applied).toEqual([next]);
    expect(await serve()).toBe("insufficient");
    expect(await app.query("select next_v1() as made")).toEqual([{ made: 1 }]);
    for (const call of ["ledger_now()", "next_v1()"])
      await expect(reader.query(`select ${call}`)).rejects.toMatchObject({ code: "42501" });
    await Promise.all([app.close(), reader.close()]);
  });

  test("naming the roles takes from them what is not theirs", async () => {
    const reader = as("tollgate_reader");
    expect(await reader.query("select digest from key_secret")).toEqual([]);

    await migrate(owner, {
      folder,
      roles: { servingRole: "tollgate", readingRole: "tollgate_reader" },
    });

    await expect(reader.query("select digest from key_secret")).rejects.toMatchObject({ code: "42501" });
    expect(await reader.query("select count(*)::int as keys from key")).toEqual([{ keys: 1 }]);
    await reader.close();
  });

  test("a role that does not exist is named", async () => {
    await expect(migrate(owner, { folder, roles: { servingRole: "nobody" } })).rejects.toThrow(
      "there is no role nobody. Create it first: create role nobody login",
    );
  });
});
