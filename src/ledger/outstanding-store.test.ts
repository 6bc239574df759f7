import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../tests/support/admin-app.ts";
import type { Database } from "../db/database.ts";
import { createReadOutstanding } from "./outstanding-store.ts";

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

  expect(await shown()).toEqual({ purses: 0, balance: "0", reserved: "0", available: "0" });
  const acme = await account("Acme", null);
  const team = await account("Team", acme);
  const other = await account("Other", null);
  const ads = await account("Ads", acme);
  await post(`accounts/${ads}/topups`, { amount: "10.5", reference: "a" });
  await post(`accounts/${team}/topups`, { amount: "2", reference: "b" });
  await post(`accounts/${other}/topups`, { amount: "100", reference: "c" });
  await post("keys", { mode: "credit", credit: "0.25" });
  await post("keys", { mode: "token_budget", budget: 5_000 });

  expect(await shown()).toEqual({ purses: 4, balance: "112.75", reserved: "0", available: "112.75" });
  const read = createReadOutstanding(database);
  expect(await read([acme])).toEqual({ purses: 2, balance: 12_500_000_000n, reserved: 0n });
  expect(await read([team])).toMatchObject({ balance: 2_000_000_000n });
  expect((await admin.ask("POST", "/admin/v1/ledger/verify", {})).json()).toMatchObject({ ok: true });
});
