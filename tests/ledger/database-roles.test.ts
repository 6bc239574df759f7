import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { NO_USAGE } from "../../src/core/usage.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate, migrationsFolder } from "../../src/db/migrate.ts";
import { createPostgres } from "../../src/db/postgres.ts";
import { createLedgerStore } from "../../src/ledger/ledger-store.ts";
import type { Ask, Settlement } from "../../src/ledger/ledger.ts";
import { type Cluster, startCluster, whyUnavailable } from "../support/postgres.ts";
import { NOTHING_BORNE } from "../support/nothing-borne.ts";

const page = readFileSync(new URL("../../docs/operate/database-roles.md", import.meta.url), "utf8");
const limits = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const DENIED = { code: "42501" };

describe.skipIf(whyUnavailable("15") !== null)("with the roles of docs/operate/database-roles.md", () => {
  let cluster: Cluster;
  let owner: Database;
  let app: Database;
  let reader: Database;
  const processId = createId(Date.now());
  const keyId = createId(Date.now());
  const ask: Ask = {
    id: createId(Date.now()),
    keyId,
    keyVersion: 1,
    rpmLimit: null,
    least: 1n,
    most: 10n,
    unlimited: false,
    model: "m",
    priceVersion: 1,
    lifetimeMs: 300_000,
    claim: null,
  };
  const settlement: Settlement = {
    id: ask.id,
    keyId,
    outcome: "completed",
    charge: 7n,
    usage: NO_USAGE,
    contentDelivered: true,
    record: { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false },
    answer: null,
    ...NOTHING_BORNE,
  };

  beforeAll(async () => {
    cluster = await startCluster({ version: "15", durable: false });
    const [roles = "", grants = "", readerRole = "", readerGrants = ""] = [...page.matchAll(/```sql\n(.*?)```/gs)].map(
      ([, sql]) => sql ?? "",
    );
    const as = (role: string, name: string): Database =>
      createPostgres({ url: cluster.url(name).replace("postgres@", `${role}@`), ...limits });
    const superuser = as("postgres", "postgres");
    for (const statement of (roles + readerRole).split(";\n").filter((it) => it !== ""))
      await superuser.query(statement);
    await superuser.close();
    owner = as("tollgate_owner", "tollgate");
    await migrate(owner, { folder: migrationsFolder() });
    await owner.script(grants);
    await owner.script(readerGrants);
    app = as("tollgate", "tollgate");
    reader = as("tollgate_reader", "tollgate");
  });
  afterAll(async () => {
    await reader.close();
    await app.close();
    await owner.close();
    await cluster.close();
  });

  test("the serving role can do all that serving needs", async () => {
    const ledger = createLedgerStore(app);
    await app.query("insert into key (id, bucket, mode) values ($1, 7, 'credit')", [keyId]);
    const paid = { keyId, reference: "p", kind: "purchase", amount: 100n, about: null, actor: "test" } as const;

    expect(await app.query("select partition_v1('2031-05-09') as made")).toEqual([{ made: true }]);
    expect(await ledger.fund(paid)).toEqual({ kind: "funded" });
    expect(await ledger.heartbeat(processId)).toBeInstanceOf(Date);
    expect(await ledger.admit(processId, [ask])).toEqual([{ kind: "admitted", amount: 10n }]);
    expect(await ledger.checkpoint([])).toEqual([]);
    expect(await ledger.settle([settlement])).toEqual([{ kind: "settled", charged: 7n }]);
    expect(await ledger.void([{ id: ask.id, keyId }])).toEqual([{ kind: "voided", refunded: 7n }]);
    expect(await ledger.sweep(processId, 10)).toEqual([]);
    const left = { ...ask, id: createId(3) };
    await ledger.admit(processId, [left]);
    const absorbed = { ...settlement, record: null, id: left.id, charge: 0n, absorbed: 2n, capPerHour: 1n };
    expect(await ledger.settle([absorbed])).toEqual([{ kind: "settled", charged: 0n, overCap: true }]);
    expect(await ledger.suspend([keyId])).toEqual([keyId]);
    expect(await app.query("select rollup_v1(now()) as rows")).toEqual([{ rows: 0n }]);
  });

  test.each([
    "update charge set amount = 0",
    "delete from charge",
    "truncate charge",
    "update charge_other set amount = 0",
    "delete from charge_other",
    "truncate charge_20310509",
    "update funding set amount = 0",
    "delete from funding",
    "truncate funding",
    "alter table charge disable trigger all",
    "alter table funding disable trigger user",
    "alter table charge detach partition charge_other",
    "drop trigger funding_is_final on funding",
    "drop table funding",
    "set session_replication_role = replica",
    "create or replace function journal_is_final() returns trigger language plpgsql as 'begin return old; end'",
    "create or replace function ledger_now() returns timestamptz language sql as 'select now()'",
    "create table public.mine (n int)",
    "set role tollgate_owner",
  ])("the serving role is denied: %s", async (sql) => {
    await expect(app.query(sql)).rejects.toMatchObject(DENIED);
  });

  test("the serving role reads and writes stored credentials, and the reading role sees only that there is one", async () => {
    const row = "('acme', 'https://api.example.com/v1', 'stored', '0123456789abcdef', decode(repeat('07', 60), 'hex'))";
    await app.query(
      `insert into provider (name, base_url, credential_ref, credential_key_id, credential_box) values ${row}`,
    );

    expect(await app.query("select length(credential_box) as bytes from provider")).toEqual([{ bytes: 60 }]);
    expect(await reader.query("select name, credential_ref, credential_key_id from provider")).toEqual([
      { name: "acme", credential_ref: "stored", credential_key_id: "0123456789abcdef" },
    ]);
    await app.query("delete from provider");
  });

  test.each([
    "select credential_box from provider",
    "select * from provider",
    "select provider::text from provider",
    "select to_jsonb(provider) from provider",
    "select * from key_secret",
    "select * from idempotency",
    "update provider set base_url = 'https://evil.example.net'",
    "insert into funding select * from funding",
    "delete from usage_record",
    "create table public.mine (n int)",
    "set role tollgate",
  ])("the reading role is denied: %s", async (sql) => {
    await expect(reader.query(sql)).rejects.toMatchObject(DENIED);
  });

  test("the page names every table, so that a new one is not forgotten", async () => {
    const unreadable = await owner.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
          and not has_table_privilege('tollgate', oid, 'select')`,
    );

    expect(unreadable).toEqual([]);
  });
});
