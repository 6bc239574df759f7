import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import { buildInfo } from "../../config/build-info.ts";
import type { Database } from "../../db/database.ts";

let database: Database;
let admin: AdminApp;
beforeAll(async () => {
  database = await emptyDatabase();
  admin = buildAdmin(database);
}, 180_000);
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

const status = async () => (await admin.ask("GET", "/admin/v1/status")).json<Record<string, unknown>>();

test("the status tells the version, the database with its migrations, and which leases hold", async () => {
  const [alive, gone] = ["019fbe00-0000-7000-8000-000000000000", "019fbe00-0000-7000-8000-00000000dead"];
  await database.query(
    `insert into process (id, renewing_since, lease_until) values ($1, now(), now() + interval '15 s'), ($2, now(), now() - interval '1 h')`,
    [alive, gone],
  );

  expect(await status()).toMatchObject({
    status: "ok",
    reasons: [],
    ...buildInfo(),
    schema: { migration: expect.stringMatching(/^\d{4}_\w+$/), edition: expect.any(Number) },
    process: { id: alive },
    database: { version: expect.stringMatching(/^\d+/), answer_ms: expect.any(Number) },
    migrations: { applied: expect.arrayContaining([{ name: "0039_baseline", at: expect.any(String) }]), pending: [] },
    processes: [
      { id: alive, alive: true },
      { id: gone, alive: false },
    ],
    ledger: { quarantined: 0, unswept: 0, misplaced: 0, oldest_owed: null },
  });
});

test("a part that the database does not answer is null, and the rest is told", async () => {
  await database.script("alter table process rename to away");
  const told = await status();
  await database.script("alter table away rename to process");

  expect(told).toMatchObject({ processes: null, ledger: null, migrations: { pending: [] } });
});
