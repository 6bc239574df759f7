import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Client } from "pg";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate, migrationsFolder } from "../../src/db/migrate.ts";
import { readMigrations } from "../../src/db/migration-files.ts";
import { createPostgres } from "../../src/db/postgres.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";

const limits = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
/** The last migration of the version that left functions to everybody and had its grants written by hand. */
const BY_HAND = 12;
/** What gateways of that version call. */
const CALLED = [
  "settle_v2",
  "void_v2",
  "checkpoint_v1",
  "heartbeat_v1",
  "sweep_v2",
  "forget_claims_v1",
  "fund_v1",
  "budget_v1",
  "usage_v1",
  "suspend_v1",
  "rollup_v1",
  "partition_v1",
];
const GRANTS_BY_HAND = `
  grant usage on schema public to tollgate, tollgate_reader;
  grant select, insert, update, delete on key, key_secret, provider, model, price, route to tollgate;
  grant select, insert, update, delete on balance, hold, idempotency, process to tollgate;
  grant select, insert, update, delete on usage_record, usage_rollup, house, borne to tollgate;
  grant select, insert on charge, funding to tollgate;
  grant select on migration to tollgate;
  alter function partition_v1(date) security definer set search_path = public, pg_temp;
  grant select on key, key_secret, balance to tollgate_reader`;

describe.skipIf(whyUnavailable("15") !== null)("a database whose grants were written by hand", () => {
  let cluster: Cluster;
  let owner: Database;
  const as = (role: string): Database =>
    createPostgres({ url: cluster.url("tollgate").replace("postgres@", `${role}@`), ...limits });

  beforeAll(async () => {
    cluster = await startCluster({ version: "15", durable: false });
    const superuser = new Client({ connectionString: cluster.superuserUrl });
    await superuser.connect();
    for (const role of ["tollgate_owner", "tollgate", "tollgate_reader"])
      await superuser.query(`create role ${role} login`);
    await superuser.query("create database tollgate owner tollgate_owner");
    await superuser.end();
    owner = as("tollgate_owner");
    await owner.script(
      "create table migration (number int primary key, name text not null, sha256 text not null, applied_at timestamptz not null default now())",
    );
    for (const { number, name, sha256, sql } of (await readMigrations(migrationsFolder())).slice(0, BY_HAND)) {
      await owner.script(sql);
      await owner.query("insert into migration values ($1, $2, $3)", [number, name, sha256]);
    }
    await owner.script(GRANTS_BY_HAND);
  });
  afterAll(async () => {
    await owner?.close();
    await cluster?.close();
  });

  test("a gateway of the version before goes on serving after each step, and nobody else can call its functions", async () => {
    const app = as("tollgate");
    const reader = as("tollgate_reader");
    const keyId = createId(Date.now());
    await app.query("insert into key (id, bucket, mode) values ($1, 7, 'credit')", [keyId]);
    const serve = (): Promise<unknown[]> =>
      app.query(
        `select verdict from admit_v2($1, array[$2]::uuid[], array[$3]::uuid[], '{1}', '{null}', '{1}', '{1}', '{false}', '{m}', '{1}',
           '{300000}', null, null) where place > 0`,
        [createId(Date.now()), createId(Date.now()), keyId],
      );
    const denied: string[] = [];
    const callEach = async (step: string): Promise<void> => {
      const calls = await owner.query<{ name: string; sql: string }>(
        `select proname as name,
                format('select %I(%s)', proname, (select string_agg('null::' || format_type(t, null), ', ') from unnest(proargtypes) t)) as sql
           from pg_proc where proname = any ($1::text[])`,
        [CALLED],
      );
      for (const name of CALLED) if (!calls.some((call) => call.name === name)) denied.push(`${step}: no ${name}`);
      for (const { name, sql } of calls) {
        const undone = new Error("undone");
        const outcome = app.transaction(async (tx) => {
          await tx.query(sql);
          throw undone;
        });
        await outcome.catch((error: { code?: string }) => {
          if (error.code === "42501" || error.code === "42883") denied.push(`${step}: ${name} ${error.code}`);
        });
      }
    };
    const served = [await serve()];
    expect(await reader.query("select ledger_now() is not null as called")).toEqual([{ called: true }]);

    let asking = Promise.resolve();
    const { applied } = await migrate(owner, {
      folder: migrationsFolder(),
      onStep: ({ name }) =>
        void (asking = asking.then(async () => {
          served.push(await serve());
          await callEach(name);
        })),
    });
    await asking;

    expect(denied).toEqual([]);
    expect(served).toEqual(Array.from({ length: applied.length + 1 }, () => [{ verdict: "insufficient" }]));
    await expect(reader.query("select ledger_now()")).rejects.toMatchObject({ code: "42501" });
    await Promise.all([app.close(), reader.close()]);
  });

  test("naming the roles takes from them what is not theirs", async () => {
    const reader = as("tollgate_reader");
    expect(await reader.query("select digest from key_secret")).toEqual([]);

    await migrate(owner, {
      folder: migrationsFolder(),
      roles: { servingRole: "tollgate", readingRole: "tollgate_reader" },
    });

    await expect(reader.query("select digest from key_secret")).rejects.toMatchObject({ code: "42501" });
    expect(await reader.query("select count(*)::int as keys from key")).toEqual([{ keys: 1 }]);
    await reader.close();
  });

  test("a role that does not exist is named", async () => {
    await expect(migrate(owner, { folder: migrationsFolder(), roles: { servingRole: "nobody" } })).rejects.toThrow(
      "there is no role nobody. Create it first: create role nobody login",
    );
  });
});
