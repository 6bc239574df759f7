import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import { quarantinedHold } from "../../../tests/support/quarantined-hold.ts";
import { createId, requestIdOf } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";

let database: Database;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());

let admin: AdminApp;
beforeEach(() => {
  admin = buildAdmin(database);
});
afterEach(() => admin.app.close());

const PATH = "/admin/v1/ledger/quarantine";

test("holds in quarantine are listed and released, and the journal names the admin listener", async () => {
  const { keyId, id } = await quarantinedHold(database);
  const requestId = requestIdOf(id);

  expect((await admin.ask("GET", PATH)).json()).toMatchObject({
    total: 1,
    data: [{ request_id: requestId, key_id: keyId, reserved: "0.00000001", sqlstate: "23505" }],
  });
  expect((await admin.ask("POST", `${PATH}/${requestId}/release`)).json()).toMatchObject({ result: "refused" });
  expect((await admin.ask("POST", `${PATH}/${requestId}/release`, { end: "void" })).json()).toMatchObject({
    request_id: requestId,
    result: "voided",
    charged: "0",
  });
  expect((await admin.ask("GET", PATH)).json()).toEqual({ data: [], next: null, total: 0 });
  expect(await database.query("select actor from release where hold_id = $1", [id])).toEqual([{ actor: "admin" }]);
});

test("a request that is not in quarantine is told so, what is no request is not found, and no other end exists", async () => {
  const { id } = await quarantinedHold(database);

  expect((await admin.ask("POST", `${PATH}/req_x/release`)).statusCode).toBe(404);
  const other = requestIdOf(createId(Date.now()));
  expect((await admin.ask("POST", `${PATH}/${other}/release`)).json()).toMatchObject({ result: "not_quarantined" });
  expect((await admin.ask("POST", `${PATH}/${requestIdOf(id).replace(/.$/, "z")}/release`)).statusCode).toBe(404);
  expect((await admin.ask("POST", `${PATH}/${id}/release`, { end: "forget" })).statusCode).toBe(400);
  expect((await admin.ask("GET", `${PATH}?limit=0`)).statusCode).toBe(400);
});

test("a hold whose model has no word in the journal is listed all the same", async () => {
  const { id } = await quarantinedHold(database);
  await database.query("update hold set model = -1 where id = $1", [id]);

  const list = await admin.ask("GET", PATH);

  expect(list.statusCode).toBe(200);
  expect(list.json<{ data: { request_id: string; model: string }[] }>().data).toContainEqual(
    expect.objectContaining({ request_id: requestIdOf(id), model: "" }),
  );
});
