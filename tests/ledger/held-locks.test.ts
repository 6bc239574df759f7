import { cp, glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createId } from "../../src/core/ids.ts";
import { underCatalogueLock } from "../../src/catalogue/lock-store.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { readMigrations, schemaFolder } from "../../src/db/schema-files.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import { createIdentityStore } from "../../src/entrance/single-sign-on/identity-store.ts";
import { createHousekeepingStore } from "../../src/ledger/duties/housekeeping-store.ts";
import { createLedgerStore } from "../../src/ledger/turn/ledger-store.ts";
import { type DocumentedRoles, startDocumentedRoles } from "../support/documented-roles.ts";
import { askOf, creditsOf, endOf, type LoneKey, loneKey } from "../support/lone-key.ts";
import { whyUnavailable } from "../support/postgres.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 3_000, onError: () => undefined };
const DAY_MS = 86_400_000;

test("nothing takes an advisory lock, which any role can take and keep, but the very first migration", async () => {
  const taking: string[] = [];
  for await (const file of glob(["src/**/*.ts", "schema/**/*.sql"]))
    if (/pg_(?:try_)?advisory/.test(await readFile(file, "utf8"))) taking.push(file);

  expect(taking).toEqual(["src/db/schema/migrate.ts"]);
});

describe.skipIf(whyUnavailable("15") !== null)("while the reading role keeps every lock that it can get", () => {
  let roles: DocumentedRoles;
  let owner: Database;
  let app: Database;
  let reader: Client;
  let key: LoneKey;

  beforeAll(async () => {
    roles = await startDocumentedRoles();
    owner = createPostgres({ url: roles.url("tollgate_owner"), ...limits });
    app = createPostgres({ url: roles.url("tollgate"), ...limits });
    key = await loneKey(app, { funds: 1_000n });
    reader = new Client({ connectionString: roles.url("tollgate_reader") });
    await reader.connect();
    await reader.query("set idle_in_transaction_session_timeout = 0; set statement_timeout = 0");
    await reader.query("begin");
    for (const [table, grants] of roles.granted.tollgate_reader)
      if (grants === "select") await reader.query(`select * from ${table}`);
    await reader.query("lock table balance in access share mode");
    for (const number of [7_016_655_443, 7_016_655_444, 7_016_655_445])
      await reader.query("select pg_advisory_lock($1)", [number]);
    await reader.query("select pg_advisory_lock(hashtext('tollgate catalogue'))");
    for (const what of ["email ann@acme.example", "subject https://id.example ann"])
      await reader.query("select pg_advisory_lock(hashtextextended($1, 11))", [what]);
  });
  afterAll(async () => {
    await reader?.end();
    for (const database of [app, owner]) await database?.close();
    await roles?.cluster.close();
  });

  async function serveOne(): Promise<unknown> {
    const ledger = createLedgerStore(app);
    const ask = askOf(key, { most: 2n });
    await ledger.admit(createId(Date.now()), [ask]);
    const record = { provider: "p", status: 200, firstByteMs: 1, tookMs: 2, estimated: false };
    const [settled] = await ledger.settle([endOf(ask, { price: 1n, record })]);
    return settled;
  }

  test("requests are admitted and settled, hours added up and the catalogue changed", async () => {
    expect(await serveOne()).toEqual({ kind: "settled", charged: creditsOf(1n) });
    expect(await createHousekeepingStore(app).rollup(Date.now())).toBe("done");
    expect(await underCatalogueLock(app, () => Promise.resolve("changed"))).toBe("changed");
  });

  test("people sign in through the identity provider", async () => {
    const identities = createIdentityStore(app);
    const key = { issuer: "https://id.example", subject: "ann" };
    const who = { email: "ann@acme.example", name: "Ann", mayLink: true, atMs: Date.now() };

    expect(await identities.admit(key, { newId: createId(Date.now()), ...who })).toMatchObject({ kind: "admitted" });
  });

  test("a partition is given up for now, and no request waits for it longer than that", async () => {
    const partition = createHousekeepingStore(app).partition(Date.now() + DAY_MS);
    const outcome = partition.then(
      () => "made",
      (error: { code?: string }) => error.code,
    );

    expect(await serveOne()).toEqual({ kind: "settled", charged: creditsOf(1n) });
    expect(await outcome).toBe("55P03");
  });

  test("a migration gives up, names the session, and lets requests through meanwhile", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tollgate-migrations-"));
    await cp(schemaFolder(), folder, { recursive: true });
    const next = String(((await readMigrations(folder)).at(-1)?.number ?? 0) + 1).padStart(4, "0");
    await writeFile(join(folder, `migrations/${next}_wider.sql`), "alter table balance add column wider int;");
    const {
      rows: [{ pid }],
    } = (await reader.query("select pg_backend_pid() as pid")) as unknown as { rows: [{ pid: number }] };

    const migrating = migrate(owner, { folder, lockPatienceMs: 1_500 }).then(
      () => "migrated",
      (error: Error) => error.message,
    );
    let ended = false;
    void migrating.then(() => (ended = true));
    const served: unknown[] = [];
    while (!ended) served.push(await serveOne());

    expect(await migrating).toContain(`Sessions with open transactions: ${pid} (tollgate_reader). End them`);
    expect(served.length).toBeGreaterThan(0);
    expect(new Set(served.map((one) => JSON.stringify(one, String))).size).toBe(1);
    await reader.query("rollback");
    expect((await migrate(owner, { folder })).applied).toEqual([`${next}_wider`]);
    await rm(folder, { recursive: true, force: true });
  });
});
