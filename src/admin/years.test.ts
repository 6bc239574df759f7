import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../tests/support/admin-app.ts";
import type { Database } from "../db/database.ts";

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

const PATHS = ["audit", "audit/export.csv", "requests", "requests/export.csv", "series", "series.csv"];

test.each(PATHS)("a year that the database does not know is refused in the query of %s", async (path) => {
  const reply = await admin.ask("GET", `/admin/v1/${path}?from=0000-01-01T00:00:00Z`);

  expect([reply.statusCode, reply.json<{ error: { param: string } }>().error.param]).toEqual([400, "from"]);
});

test.each(PATHS)("the first and the last year that it knows are taken in the query of %s", async (path) => {
  const range = "from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999Z";

  expect((await admin.ask("GET", `/admin/v1/${path}?${range}`)).statusCode).toBe(200);
});
