import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import { askOf, endOf, loneKey } from "../../../tests/support/lone-key.ts";
import { createId } from "../../core/ids.ts";
import type { Database } from "../../db/database.ts";
import { createLedgerStore } from "../turn/ledger-store.ts";
import { createReadOutstanding } from "./outstanding-store.ts";
import { createStructureStore } from "../structure/structure-store.ts";

let database: Database;
let admin: AdminApp;
beforeAll(async () => {
  database = await emptyDatabase();
  admin = buildAdmin(database);
});
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

test("credit outstanding is what all purses have, of accounts and of keys, and of a subtree for those who see no more", async () => {
  const post = (path: string, body: object) => admin.ask("POST", `/admin/v1/${path}`, body);
  const account = async (name: string, parent: string | null): Promise<string> =>
    (await post("accounts", { name, parent })).json<{ account: { id: string } }>().account.id;
  const shown = async () => (await admin.ask("GET", "/admin/v1/ledger/outstanding")).json<object>();

  const none = { closed_purses: 0, closed_balance: "0", closed: [] };
  expect(await shown()).toEqual({ purses: 0, balance: "0", reserved: "0", available: "0", ...none });
  const acme = await account("Acme", null);
  const team = await account("Team", acme);
  const other = await account("Other", null);
  const ads = await account("Ads", acme);
  await post(`accounts/${ads}/topups`, { amount: "10.5", reference: "a" });
  await post(`accounts/${team}/topups`, { amount: "2", reference: "b" });
  await post(`accounts/${other}/topups`, { amount: "100", reference: "c" });
  await post("keys", { mode: "credit", credit: "0.25" });
  await post("keys", { mode: "token_budget", budget: 5_000 });

  expect(await shown()).toEqual({ purses: 4, balance: "112.75", reserved: "0", available: "112.75", ...none });
  const read = createReadOutstanding(database);
  expect(await read([acme])).toMatchObject({ purses: 2, balance: 12_500_000_000n, reserved: 0n });
  expect(await read([team])).toMatchObject({ balance: 2_000_000_000n });
  expect((await admin.ask("POST", "/admin/v1/ledger/verify", {})).json()).toMatchObject({ ok: true });
});

test("what a closed purse was given back is listed, and moved once to a purse that pays", async () => {
  const post = (path: string, body: object) => admin.ask("POST", `/admin/v1/${path}`, body);
  const postpaid = (await post("accounts", { name: "Postpaid", parent: null })).json<{ account: { id: string } }>();
  await post(`accounts/${postpaid.account.id}/limits`, { amount: "9", period: "month" });
  const key = await loneKey(database, { funds: 3_000_000_000n });
  const ask = askOf(key, { least: 3_000_000_000n, most: 3_000_000_000n });
  const ledger = createLedgerStore(database);
  await ledger.admit(createId(Date.now()), [ask]);
  await ledger.settle([endOf(ask, { price: 3_000_000_000n })]);
  expect(await createStructureStore(database).adoptKey(key.keyId, postpaid.account.id)).toMatchObject({
    result: "done",
  });
  await ledger.void([{ id: ask.id, keyId: key.keyId, bucket: 7, contentDelivered: true }]);

  const shown = async () => (await admin.ask("GET", "/admin/v1/ledger/outstanding")).json<Record<string, unknown>>();
  const before = await shown();
  expect(before).toMatchObject({ closed_purses: 1, closed_balance: "3" });
  const listed = { purse: key.counter, unit: "credit", amount: "3", account: null, has_payer: false };
  expect(before["closed"]).toMatchObject([listed]);

  const move = (body: object) => post(`ledger/closed-purses/${key.counter}/move`, body);
  expect([(await move({})).statusCode, (await move({ to_account: "Postpaid" })).statusCode]).toEqual([409, 409]);
  expect((await move({ to_account: "Acme", to_key: "x" })).statusCode).toBe(400);
  expect((await post("ledger/closed-purses/999999/move", {})).statusCode).toBe(404);
  const moved = await move({ to_account: "Other" });
  expect([moved.statusCode, moved.json()]).toMatchObject([
    200,
    { purse: key.counter, unit: "credit", amount: "3", key: null, account: { title: "Other" } },
  ]);
  expect(admin.told.at(-1)).toBe(`moved 3 of closed purse ${key.counter}`);
  expect((await move({ to_account: "Other" })).statusCode).toBe(409);

  const after = await shown();
  expect(after).toMatchObject({ closed_purses: 0, closed_balance: "0", closed: [] });
  expect(Number(after["balance"])).toBe(Number(before["balance"]) + 3);
  expect((await admin.ask("POST", "/admin/v1/ledger/verify", {})).json()).toMatchObject({ ok: true });
});
