import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { emptyDatabase } from "../../tests/support/admin-app.ts";
import { KEY_ORDER } from "../../tests/support/key-order.ts";
import { createOperator } from "../app/create-operator.ts";
import { openProviderCredentials } from "../app/catalogue/provider-credentials.ts";
import { systemClock } from "../core/clock.ts";
import { everyPage } from "../core/page.ts";
import type { Database } from "../db/database.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import type { Operator } from "./operator.ts";

let database: Database;
let operator: Operator;
let told: [event: string, what: object][];
let acme: string;
let made = 0;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  told = [];
  const events = new Proxy({} as OperatorEvents, {
    get: (_events, name) => (what: object) => void told.push([String(name), what]),
  });
  const credentials = openProviderCredentials(
    { key: null, previousKey: null, directories: "", allowedReferences: "" },
    {},
  );
  operator = createOperator({ database, credentials, events, clock: systemClock, acceptForeign: "on" });
  acme = `Acme ${++made}`;
  await operator.accounts.create({ name: acme, parent: null, kind: "organisation" }, anna);
  await operator.accounts.create({ name: "Search", parent: acme, kind: "team" }, anna);
});

const anna = { actor: "anna" };
const CREDIT = 1_000_000_000n;
const monthly = (amount: bigint) => ({ amount, unit: "credit", period: "month", models: null }) as const;
const paid = (amount: bigint, reference: string) => ({ amount, kind: "purchase", reference }) as const;

test("an account is found by its names, whatever their case, and one that is not there is told with those that are", async () => {
  const { account } = await operator.accounts.show(`${acme.toUpperCase()} / search`);
  expect(account.title).toBe(`${acme}/Search`);
  expect((await operator.accounts.show(account.id)).account).toEqual(account);
  await expect(operator.accounts.show(`${acme}/Serch`)).rejects.toThrow(
    `There is no account "Serch" below ${acme}; did you mean Search? There are: Search.`,
  );
});

test("an account's purse opens with its first top-up, and a second on the path is refused by name", async () => {
  const first = await operator.accounts.topUp(acme, paid(10n * CREDIT, `a${made}`), anna);
  expect(first).toMatchObject({ result: "funded", counter: { kind: "purse", posted: 10n * CREDIT } });
  expect(await operator.accounts.topUp(acme, paid(10n * CREDIT, `a${made}`), anna)).toMatchObject({
    result: "already",
  });
  await expect(operator.accounts.topUp(`${acme}/Search`, paid(CREDIT, `b${made}`), anna)).rejects.toThrow(
    `${acme} and ${acme}/Search would both pay for the same requests: 2 purses on one path, and the limit is 1.`,
  );
  await expect(operator.accounts.close(acme, anna)).rejects.toThrow(`The purse of ${acme} is not empty.`);
  expect(told.map(([event]) => event)).toEqual(["accountChanged", "accountChanged", "accountFunded"]);
});

test("a closed account gets no key, and whoever names it by its id is told so", async () => {
  const { account } = await operator.accounts.show(`${acme}/Search`);
  await operator.accounts.close(account.id, anna);
  await expect(operator.keys.create({ ...KEY_ORDER, account: account.id }, anna)).rejects.toThrow(
    `Account ${acme}/Search is closed, which is final. Use another account.`,
  );
});

test("a key that an account pays for cannot be topped up, and its operator is told which account pays", async () => {
  await operator.accounts.topUp(acme, paid(10n * CREDIT, `c${made}`), anna);
  const { key } = await operator.keys.create({ ...KEY_ORDER, account: `${acme}/Search` }, anna);
  await expect(operator.funds.topUp(key.id, paid(CREDIT, `d${made}`), anna)).rejects.toThrow(
    `Account ${acme} pays for key ${key.prefix}…. Nothing was booked. Top up the account: tollgate accounts topup "${acme}"`,
  );
  await expect(operator.keys.create({ ...KEY_ORDER, account: acme, credit: CREDIT }, anna)).rejects.toThrow(
    "would both pay",
  );
  expect((await operator.keys.list({ limit: 1, after: null })).data).toMatchObject([
    { id: key.id, money: { account: `${acme}/Search`, available: 10n * CREDIT, spent: 0n } },
  ]);
});

test("a key in a list shows the limit above it that has least left, with what is charged to it and reserved", async () => {
  await operator.accounts.topUp(acme, paid(10n * CREDIT, `e${made}`), anna);
  await operator.accounts.setLimit(`${acme}/Search`, monthly(4n * CREDIT), anna);
  const { key } = await operator.keys.create({ ...KEY_ORDER, account: `${acme}/Search` }, anna);
  const money = async () => (await operator.keys.list({ limit: 1, after: null })).data[0]?.money;
  expect(await money()).toMatchObject({ charged: 0n, reserved: 0n, available: 4n * CREDIT });
  await operator.accounts.removeLimit(`${acme}/Search`, { unit: "credit", period: "month", models: null }, anna);
  expect(await money()).toMatchObject({ charged: 0n, reserved: 0n, available: 10n * CREDIT });
  await operator.keys.changeStatus(key.id, "revoke", anna);
});

test("a limit is set once per unit, period and models, and is changed in place", async () => {
  const { accounts } = operator;
  const { counter } = await accounts.setLimit(acme, monthly(5n), anna);
  expect(await accounts.setLimit(acme, monthly(5n), anna)).toMatchObject({
    result: "already",
    counter: { id: counter.id },
  });
  expect(await accounts.setLimit(acme, monthly(7n), anna)).toMatchObject({
    result: "set",
    counter: { id: counter.id, amount: 7n },
  });
  expect((await accounts.setLimit(acme, { ...monthly(7n), models: ["b", "a"] }, anna)).counter.id).not.toBe(counter.id);
  expect(await accounts.removeLimit(acme, { unit: "credit", period: "month", models: ["a", "b"] }, anna)).toEqual({
    result: "removed",
  });
  expect(await accounts.removeLimit(acme, { unit: "credit", period: "day", models: null }, anna)).toEqual({
    result: "already",
  });
  expect((await accounts.show(acme)).account.counters).toMatchObject([{ id: counter.id }]);
});

test("a key's money is that of the counter with least available", async () => {
  await operator.accounts.topUp(acme, paid(10n * CREDIT, `e${made}`), anna);
  await operator.accounts.setLimit(`${acme}/Search`, monthly(4n * CREDIT), anna);
  const { key } = await operator.keys.create({ ...KEY_ORDER, account: `${acme}/Search` }, anna);
  const funds = await operator.funds.show(key.id);
  expect(funds).toMatchObject({ available: 4n * CREDIT, budget: 4n * CREDIT, period: "month", purchased: 0n });
  expect(funds.counters.map(({ holder, kind }) => `${holder ?? ""} ${kind}`)).toEqual([
    "Search limit",
    `${acme} purse`,
  ]);
  await operator.keys.setLimit(key.id, monthly(CREDIT), anna);
  expect(await operator.funds.show(key.id)).toMatchObject({ available: CREDIT });
});

test("a token key in a tree is given a budget of its own, and keeps its period", async () => {
  const { key } = await operator.keys.create(
    { ...KEY_ORDER, mode: "token_budget", account: acme, budget: 500n, period: "day" },
    anna,
  );
  expect(await operator.funds.show(key.id)).toMatchObject({ unit: "tokens", budget: 500n, period: "day" });
  const order = { budget: 900n, period: null, reference: `f${made}` };
  expect(await operator.funds.setBudget(key.id, order, anna)).toMatchObject({
    result: "funded",
    funds: { budget: 900n, period: "day" },
  });
});

test("a lone key is adopted and moved, and stays where it may not go", async () => {
  await operator.accounts.topUp(acme, paid(CREDIT, `g${made}`), anna);
  const { key } = await operator.keys.create(KEY_ORDER, anna);
  expect(key.accountId).toBeNull();
  await expect(operator.keys.move(key.id, acme, anna)).rejects.toThrow("tollgate keys adopt");
  expect(await operator.keys.adopt(key.id, acme, anna)).toMatchObject({ changed: true });
  const moved = await operator.keys.move(key.id, `${acme}/Search`, anna);
  expect(moved).toMatchObject({
    changed: true,
    key: { accountId: (await operator.accounts.show(`${acme}/Search`)).account.id },
  });
  expect(await operator.keys.move(key.id, `${acme}/Search`, anna)).toMatchObject({ changed: false });
});

test("suspending an account is seen in all below it, and is told once", async () => {
  const { accounts } = operator;
  expect(await accounts.changeStatus(acme, "suspend", anna)).toMatchObject({
    changed: true,
    account: { status: "suspended" },
  });
  expect(await accounts.changeStatus(acme, "suspend", anna)).toMatchObject({ changed: false });
  expect((await accounts.show(`${acme}/Search`)).account).toMatchObject({ status: "active", state: "suspended" });
  await expect(accounts.changeStatus(acme, "enable", anna)).rejects.toThrow("it is suspended");
  expect(told.filter(([event]) => event === "accountChanged")).toHaveLength(3);
  expect(await accounts.changeStatus(acme, "resume", anna)).toMatchObject({ changed: true });
});

test("a walk through all pages meets every account once, each before those below it", async () => {
  await operator.accounts.create({ name: "Search 2", parent: acme, kind: "team" }, anna);
  await operator.accounts.create({ name: "Ann", parent: `${acme}/Search`, kind: "person" }, anna);
  const { data } = await everyPage(({ after }) => operator.accounts.list({ limit: 2, after }));
  const titles = data.map(({ title }) => title).filter((title) => title.split("/")[0] === acme);
  expect(titles).toEqual([acme, `${acme}/Search`, `${acme}/Search/Ann`, `${acme}/Search 2`]);
  expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
});

test("a change that is refused changes nothing, and a new place and a new name are one change", async () => {
  const { accounts } = operator;
  for (const [name, parent] of [
    ["Ads", acme],
    ["Search", `${acme}/Ads`],
    ["Maps", `${acme}/Ads`],
  ] as const)
    await accounts.create({ name, parent, kind: "account" }, anna);
  const { account } = await accounts.show(`${acme}/Search`);
  told = [];

  await expect(accounts.update(account.id, { parent: `${acme}/Ads`, name: "Maps" }, anna)).rejects.toThrow(
    `${acme}/Ads/Maps`,
  );
  expect((await accounts.show(account.id)).account.title).toBe(`${acme}/Search`);
  expect(told).toEqual([]);

  // Each alone would be refused: there is a Search below Ads, and an Ads below the organisation.
  const both = await accounts.update(account.id, { parent: `${acme}/Ads`, name: "Ads" }, anna);
  expect(both.title).toBe(`${acme}/Ads/Ads`);
  expect(told).toMatchObject([["accountChanged", { change: "moved and renamed" }]]);
});

test("a first payment that is refused opens no purse", async () => {
  const { accounts, funds, keys } = operator;
  const { key } = await keys.create({ ...KEY_ORDER, account: `${acme}/Search` }, anna);
  await accounts.create({ name: "Ads", parent: acme, kind: "team" }, anna);
  await accounts.topUp(`${acme}/Ads`, paid(CREDIT, `f${made}`), anna);
  const less = { amount: -CREDIT, kind: "adjust", reference: `g${made}` } as const;

  await expect(accounts.topUp(`${acme}/Search`, paid(CREDIT, `f${made}`), anna)).rejects.toThrow(
    `already used for a payment to account ${acme}/Ads. Nothing was booked.`,
  );
  await expect(accounts.topUp(`${acme}/Search`, less, anna)).rejects.toThrow("has only 0 credits available");
  expect((await accounts.show(`${acme}/Search`)).account.counters).toEqual([]);
  await expect(funds.topUp(key.id, paid(CREDIT, `f${made}`), anna)).rejects.toThrow("Nothing was booked.");
  await expect(funds.topUp(key.id, less, anna)).rejects.toThrow("has only 0 credits available");
  expect((await funds.show(key.id)).counters).toEqual([]);
});

test("an account that is moved keeps all below it, and goes neither under itself nor too deep", async () => {
  const { accounts } = operator;
  for (const [name, parent] of [
    ["Ads", acme],
    ["Ann", `${acme}/Search`],
    ["Laptop", `${acme}/Search/Ann`],
  ] as const)
    await accounts.create({ name, parent, kind: "account" }, anna);
  await expect(accounts.update(`${acme}/Search`, { parent: `${acme}/Search/Ann` }, anna)).rejects.toThrow(
    "is below the one you want to move",
  );
  await expect(accounts.update(`${acme}/Search`, { parent: `${acme}/Ads` }, anna)).rejects.toThrow("5 deep");
  const ann = await accounts.update(`${acme}/Search/Ann`, { parent: `${acme}/Ads` }, anna);
  expect(ann.title).toBe(`${acme}/Ads/Ann`);
  expect((await accounts.show(`${acme}/Ads`)).below.map(({ name }) => name)).toEqual(["Ann", "Laptop"]);
});
