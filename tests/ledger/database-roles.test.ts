import { globSync, readFileSync } from "node:fs";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import type { Database } from "../../src/db/database.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { readDatabaseFacts } from "../../src/doctor/facts-store.ts";
import { createHousekeepingStore } from "../../src/ledger/duties/housekeeping-store.ts";
import { createPartitions } from "../../src/ledger/duties/partitions-store.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { createReadContinuous } from "../../src/ledger/verify/days/continuous-store.ts";
import { createDayStore } from "../../src/ledger/verify/days/day-store.ts";
import { lookAtDay } from "../../src/ledger/verify/days/look-at-day.ts";
import { createQuarantineStore } from "../../src/ledger/duties/quarantine-store.ts";
import { whyUnavailable } from "../support/postgres.ts";
import { type DocumentedRole, type DocumentedRoles, startDocumentedRoles } from "../support/documented-roles.ts";
import { askOf, creditsOf, endOf, loneKey } from "../support/lone-key.ts";

/** Gateways from before 0030 call these during a rolling update. */
const CALLED_BEFORE = ["account_move_v1", "account_rename_v1"];

const limits = { poolSize: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 10_000, onError: () => undefined };
const DENIED = { code: "42501" };
const ROLES: DocumentedRole[] = ["tollgate", "tollgate_reader"];
const LOCK_MODES = [
  "row share",
  "row exclusive",
  "share update exclusive",
  "share",
  "share row exclusive",
  "exclusive",
  "access exclusive",
];
/** It asks for the time of the ledger, which the reading role may not. */
const CLOCKED = "counter_now";
const VIEWS = ["chain_due", "charge_in_words", "counter_anywhere", "counter_now", "counter_owner"];

type Column = { table: string; name: string; type: string };
type OurFunction = {
  name: string;
  signature: string;
  types: string[];
  isTrigger: boolean;
  body: string;
  definer: boolean;
  settings: string[] | null;
};

describe.skipIf(whyUnavailable("15") !== null)("with the roles of docs/operate/database-roles.md", () => {
  let roles: DocumentedRoles;
  let owner: Database;
  let app: Database;
  let reader: Database;
  /** Connections that try out what is allowed, each attempt undone. */
  const trying = new Map<DocumentedRole, Client>();
  const processId = createId(Date.now());
  const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };

  beforeAll(async () => {
    roles = await startDocumentedRoles();
    const as = (role: DocumentedRole | "tollgate_owner"): Database =>
      createPostgres({ url: roles.url(role), ...limits });
    [owner, app, reader] = [as("tollgate_owner"), as("tollgate"), as("tollgate_reader")];
    for (const role of ROLES) {
      const client = new Client({ connectionString: roles.url(role) });
      await client.connect();
      await client.query("set default_transaction_read_only = off; set client_min_messages = error");
      trying.set(role, client);
    }
  });
  afterAll(async () => {
    for (const client of trying.values()) await client.end();
    for (const database of [reader, app, owner]) await database?.close();
    await roles?.cluster.close();
  });

  /** Whether the role was allowed to: any other failure is beside the point. */
  async function allowed(role: DocumentedRole, sql: string): Promise<boolean> {
    const client = trying.get(role);
    await client?.query("begin");
    const failure = await client?.query(sql).then(
      () => null,
      (error: Error & { code: string }) => error.code,
    );
    await client?.query("rollback");
    return failure !== "42501";
  }

  const tables = async (which: "whole" | "partitions"): Promise<string[]> =>
    (
      await owner.query<{ name: string }>(
        `select relname as name from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relispartition = $1 order by 1`,
        [which === "partitions"],
      )
    ).map(({ name }) => name);

  const columns = (): Promise<Column[]> =>
    owner.query<Column>(
      `select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type
         from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1, a.attnum`,
    );

  const functions = (): Promise<OurFunction[]> =>
    owner.query<OurFunction>(
      `select p.proname as name, p.oid::regprocedure::text as signature, p.prosrc as body, p.prosecdef as definer,
              p.proconfig as settings, p.prorettype = 'trigger'::regtype as "isTrigger",
              array(select format_type(t, null) from unnest(p.proargtypes) with ordinality u (t, n) order by n) as types
         from pg_proc p where p.pronamespace = 'public'::regnamespace order by 1, 2`,
    );

  test("the serving role can do all that serving needs", async () => {
    const ledger = createLedgerStore(app);
    const house = createHousekeepingStore(app);
    const key = await loneKey(app);
    const { counter, keyId } = key;
    const ask = askOf(key);
    const paid = { counter, reference: "p", kind: "purchase", amount: 100n, actor: "test" } as const;

    expect(await house.partition(Date.now() + 86_400_000)).toBe("made");
    expect(await ledger.fund(paid)).toEqual({ kind: "funded" });
    expect(await ledger.heartbeat(processId)).toBeInstanceOf(Date);
    expect(await ledger.admit(processId, [ask])).toEqual([{ kind: "admitted", granted: creditsOf(10n) }]);
    expect(await ledger.checkpoint([])).toEqual([]);
    expect(await ledger.settle([endOf(ask, { record })])).toEqual([{ kind: "settled", charged: creditsOf(7n) }]);
    const refund = { keyId, reference: "r", about: ask.id, amounts: creditsOf(2n), actor: "test" };
    expect(await ledger.refund(refund)).toEqual({ kind: "funded" });
    expect(await ledger.void([ask])).toEqual([{ kind: "voided", refunded: creditsOf(5n) }]);
    const budget = await loneKey(app, { mode: "token_budget", funds: 10n });
    expect((await ledger.usage(budget.keyId))?.counters).toMatchObject([{ posted: 10n, unit: "tokens" }]);
    expect(await ledger.chain(keyId, 1, [])).toBe(key.chain.id);
    expect(await ledger.sweep(processId, 10)).toEqual({ swept: [], quarantined: [] });
    expect(await ledger.countLost()).toEqual({ quarantined: 0, lagSeconds: 0 });
    const held = createQuarantineStore(app);
    expect(await held.list({ limit: 10, after: null })).toEqual({ holds: [], total: 0 });
    expect(await held.release(ask.id, { end: "void", actor: "test" })).toMatchObject({ result: "not_quarantined" });
    const left = askOf(key);
    await ledger.admit(processId, [left]);
    const absorbed = endOf(left, { price: 0n, absorbed: 2n, capPerHour: 1n });
    expect(await ledger.settle([absorbed])).toEqual([{ kind: "settled", charged: creditsOf(0n), overCap: true }]);
    expect(await ledger.suspend([keyId])).toEqual([keyId]);
    expect(await house.rollup(Date.now())).toBe("done");
    expect((await ledger.usage(keyId))?.counters).toMatchObject([{ posted: 100n }]);
    expect(await ledger.forgetClaims({ items: 10, bytes: 1_000 })).toBe(0);
  });

  test("the serving role verifies, and cannot touch what was found but by the functions of verification", async () => {
    const store = createDayStore(app);
    expect(await store.takeTurn(processId, 60_000)).toBe(true);
    const { nowMs, days } = await store.days();
    const looking = {
      store,
      processId,
      elapsedMs: () => 0,
      workedMs: () => 0,
      onMismatches: () => undefined,
      onKept: () => Promise.resolve(),
    };
    for (const day of days) await lookAtDay(day, nowMs, looking);
    await store.endRound(processId, { verifiedAtMs: nowMs, mismatches: 0, found: [] });

    expect(await store.state()).toMatchObject({ verifiedAtMs: nowMs, pending: 0, days: days.length });
    expect(await createReadContinuous(app)()).toMatchObject({ days: days.length });
    expect(await createReadContinuous(reader)()).toBeNull();
    await expect(app.query("update verified_day set digest = null")).rejects.toMatchObject(DENIED);
    await expect(store.endRound(createId(1), { verifiedAtMs: nowMs, mismatches: 0, found: [] })).rejects.toThrow(
      "another process verifies the ledger",
    );
  });

  test("requests are admitted on a day whose partition a superuser made, whoever owns it", async () => {
    const superuser = createPostgres({ url: roles.url("postgres"), ...limits });
    const ledger = createLedgerStore(app);
    const key = await loneKey(app);
    await ledger.fund({ counter: key.counter, reference: "q", kind: "purchase", amount: 100n, actor: "test" });
    const settled = askOf(key);
    await ledger.admit(processId, [settled]);
    await ledger.settle([endOf(settled)]);
    const today = new Date().toISOString().slice(0, 10);
    const partition = `charge_${today.replaceAll("-", "")}`;
    const days = createPartitions({ database: superuser, clock: { elapsedMs: () => 0 }, pause: async () => undefined });

    expect(await days.repair(today, () => undefined)).toMatchObject({ result: "moved" });
    expect(await ledger.admit(processId, [askOf(key)])).toMatchObject([{ kind: "admitted" }]);
    expect(await ledger.admit(processId, [settled])).toMatchObject([{ kind: "already" }]);
    await superuser.script(`alter table ${partition} owner to postgres; select name_days()`);
    expect(await ledger.admit(processId, [askOf(key)])).toMatchObject([{ kind: "admitted" }]);
    expect(await ledger.admit(processId, [settled])).toMatchObject([{ kind: "already" }]);
    await superuser.script(`alter table ${partition} owner to tollgate_owner; select name_days()`);
    await superuser.close();
  });

  test("the page's table names every table", async () => {
    for (const role of ROLES) expect([...roles.granted[role].keys()]).toEqual(await tables("whole"));
  });

  test.each(ROLES)("%s can do to every column and table what the page says, and nothing else", async (role) => {
    const wrong: string[] = [];
    const expectAllowed = async (sql: string, expected: boolean): Promise<void> => {
      if ((await allowed(role, sql)) !== expected) wrong.push(`${expected ? "denied" : "allowed"}: ${sql}`);
    };
    const all = await columns();
    const { versionNumber } = await readDatabaseFacts(owner);
    for (const { table, name, type } of all) {
      const grants = roles.granted[role].get(table) ?? "";
      const named = /\((.*)\)/.exec(grants)?.[1]?.split(", ");
      const has = (operation: string): boolean =>
        named ? operation === "select" && named.includes(name) : grants.includes(operation);
      await expectAllowed(`select "${name}" from "${table}" where false`, has("select"));
      await expectAllowed(
        `insert into "${table}" ("${name}") overriding system value select null::${type} where false`,
        has("insert"),
      );
      await expectAllowed(`update "${table}" set "${name}" = default where false`, has("update"));
    }
    for (const table of new Set(all.map(({ table }) => table))) {
      const grants = roles.granted[role].get(table) ?? "";
      await expectAllowed(`delete from "${table}" where false`, grants.includes("delete"));
      await expectAllowed(`select from "${table}" for key share`, grants.includes("update"));
      await expectAllowed(`truncate "${table}"`, false);
      await expectAllowed(
        `create trigger t before insert on "${table}" for each row execute function journal_is_final()`,
        false,
      );
      await expectAllowed(`alter table "${table}" add column mine int`, false);
      await expectAllowed(`drop table "${table}"`, false);
      // PostgreSQL's own rule: whoever may update may lock in any mode, whoever may insert in that of an insert, and from 16 on in weaker ones.
      for (const mode of LOCK_MODES) {
        const asInsert = mode === "row exclusive" || (mode === "row share" && versionNumber >= 160_000);
        const mayLock = grants.includes("update") || (grants.includes("insert") && asInsert);
        await expectAllowed(`lock table only "${table}" in ${mode} mode nowait`, mayLock);
      }
    }

    expect(wrong).toEqual([]);
  });

  test("both roles may read the views that the page names and no others, and only the serving role may number a counter", async () => {
    const views = await owner.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v' order by 1",
    );
    expect(views.map(({ name }) => name)).toEqual(VIEWS);
    for (const role of ROLES)
      for (const view of VIEWS)
        expect([role, view, await allowed(role, `select * from ${view} where false`)]).toEqual([
          role,
          view,
          role === "tollgate" || view !== CLOCKED,
        ]);

    expect(await allowed("tollgate", "select nextval('counter_id')")).toBe(true);
    expect(await allowed("tollgate", "select setval('counter_id', 1)")).toBe(false);
    expect(await allowed("tollgate_reader", "select nextval('counter_id')")).toBe(false);
  });

  test("the serving role can call each function that the gateway calls, and what these call; the reading role none", async () => {
    const wrong: string[] = [];
    const ours = await functions();
    for (const { signature, name, types, isTrigger } of ours) {
      const known = types.map((type) => (type === "anyelement" ? "int" : type));
      const call = `select ${name}(${known.map((type) => `null::${type}`).join(", ")})`;
      if ((await allowed("tollgate", call)) === isTrigger) wrong.push(`tollgate: ${signature}`);
      if (await allowed("tollgate_reader", call)) wrong.push(`tollgate_reader: ${signature}`);
    }
    expect(wrong).toEqual([]);

    const stores = globSync("src/**/*-store.ts").map((file) => readFileSync(file, "utf8"));
    const mentioned = (text: string): string[] =>
      ours.map(({ name }) => name).filter((name) => new RegExp(`\\b${name}\\b`).test(text));
    const called = new Set(mentioned(stores.join("\n")));
    const version = (name: string): [string, number] => {
      const [, stem = name, number = "0"] = /^(.*)_v(\d+)$/.exec(name) ?? [];
      return [stem, Number(number)];
    };
    const isSucceeded = (name: string): boolean =>
      [...called].some((other) => version(other)[0] === version(name)[0] && version(other)[1] > version(name)[1]);
    for (const { name } of ours) if (isSucceeded(name)) called.add(name);
    for (const name of CALLED_BEFORE) called.add(name);
    for (const { isTrigger, name } of ours) if (isTrigger) called.add(name);
    for (const name of called)
      for (const inner of ours.filter((one) => one.name === name))
        for (const next of mentioned(inner.body)) called.add(next);

    // What is left here is granted and called by nobody: drop it, or say above which older version needs it.
    expect(ours.filter(({ name }) => !called.has(name)).map(({ signature }) => signature)).toEqual([]);
  });

  test("a function that runs as its owner has a fixed search path and, if it changes tables, a short patience for locks", async () => {
    const definers = (await functions()).filter(({ definer }) => definer);
    const changing = definers.filter(({ body }) => /\b(create|alter|drop) table\b/.test(body));

    expect(changing.map(({ name }) => name)).toContain("partition_v1");
    for (const { settings } of definers) expect(settings).toContain("search_path=public, pg_temp");
    for (const { settings } of changing) expect(settings).toContain("lock_timeout=300ms");
  });

  test("functions of migrations to come are nobody's either", async () => {
    const open = await owner.query(
      `select p.oid::regprocedure::text as name
         from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        where p.pronamespace = 'public'::regnamespace and a.grantee = 0`,
    );

    expect(open).toEqual([]);
  });

  test.each(ROLES)("%s can make nothing of its own and become nobody else", async (role) => {
    for (const sql of [
      "create table public.mine (n int)",
      "create temporary table mine (n int)",
      "create function public.mine() returns int language sql as 'select 1'",
      "create schema mine",
      "create or replace function journal_is_final() returns trigger language plpgsql as 'begin return old; end'",
      "create or replace function ledger_now() returns timestamptz language sql as 'select now()'",
      "alter function partition_v1(date) set search_path = mine",
      "alter table charge disable trigger all",
      "alter table charge detach partition charge_other",
      "drop trigger funding_is_final on funding",
      "set session_replication_role = replica",
      "set temp_file_limit = -1",
      "set role tollgate_owner",
      role === "tollgate" ? "set role tollgate_reader" : "set role tollgate",
    ])
      expect([sql, await allowed(role, sql)]).toEqual([sql, false]);
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
    for (const sql of [
      "select * from provider",
      "select provider::text from provider",
      "select to_jsonb(provider) from provider",
    ])
      await expect(reader.query(sql)).rejects.toMatchObject(DENIED);
    await app.query("delete from provider");
  });

  test("the reading role has at most five connections", async () => {
    const clients = Array.from({ length: 6 }, () => new Client({ connectionString: roles.url("tollgate_reader") }));
    const outcomes = await Promise.allSettled(clients.map((client) => client.connect()));
    for (const client of clients) await client.end().catch(() => undefined);

    expect(outcomes.filter(({ status }) => status === "rejected").length).toBeGreaterThanOrEqual(1);
  });
});
