import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "../../tests/support/admin-app.ts";
import { createOperator } from "../app/create-operator.ts";
import { openProviderCredentials } from "../app/catalogue/provider-credentials.ts";
import { systemClock } from "../core/clock.ts";
import { Fault } from "../core/fault.ts";
import type { Role } from "../core/people/role.ts";
import type { Database } from "../db/database.ts";
import { MOST_FAILURES } from "../entrance/sign-in-throttle.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import type { Operator } from "./operator.ts";

const anna = { actor: "anna" };

let database: Database;
let operator: Operator;
beforeAll(async () => {
  database = await emptyDatabase();
  const events = new Proxy({} as OperatorEvents, { get: () => () => undefined });
  const credentials = openProviderCredentials(
    { key: null, previousKey: null, directories: "", allowedReferences: "" },
    {},
  );
  operator = createOperator({ database, credentials, events, clock: systemClock, acceptForeign: "on" });
  await operator.accounts.create({ name: "Acme", parent: null, kind: "organisation" }, anna);
});
afterAll(() => database.close());

const add = (email: string, account: string | null) =>
  operator.people.create({ email, name: null, account, grants: [], password: null }, anna);

test.each([
  ["person", "suspended"],
  ["team", "active"],
  ["account", "active"],
])("removing a person whose account is of kind %s leaves it %s", async (kind, status) => {
  const { id } = await operator.accounts.create({ name: `A ${kind}`, parent: "Acme", kind }, anna);
  const { email } = await add(`${kind}@acme.example`, id);

  expect(await operator.people.remove(email, anna)).toMatchObject({ state: "removed" });

  expect((await operator.accounts.show(id)).account.status).toBe(status);
});

const grantsOf = async (email: string) =>
  (await operator.people.show(email)).grants.map(({ role, account }) => `${role} ${account ?? "everywhere"}`);

test("roles that are given and taken at the same time all end up as asked", async () => {
  const { email } = await add("bo@acme.example", null);
  const change = (add: readonly Role[], remove: readonly Role[]) => {
    const at = (role: Role) => ({ role, account: "Acme" });
    return operator.people.changeGrants(email, { add: add.map(at), remove: remove.map(at) }, anna);
  };
  await change(["billing", "auditor"], []);

  await Promise.all([
    change(["viewer"], []),
    change(["operator"], []),
    change([], ["billing"]),
    change([], ["auditor"]),
  ]);

  expect(await grantsOf(email)).toEqual(["operator Acme", "viewer Acme"]);
  expect(await change(["viewer"], ["billing"])).toMatchObject({ changed: false });
});

test("the role of the last owner everywhere can't be taken", async () => {
  const owner = { role: "owner", account: null } as const;
  const { email } = await add("last@acme.example", null);
  await operator.people.changeGrants(email, { add: [owner], remove: [] }, anna);

  await expect(operator.people.changeGrants(email, { add: [], remove: [owner] }, anna)).rejects.toThrow(
    "This is the last owner everywhere.",
  );
  expect(await grantsOf(email)).toEqual(["owner everywhere"]);
});

test("a lead takes and gives roles of their own accounts alone", async () => {
  const { email } = await add("di@acme.example", null);
  const { id } = await operator.accounts.create({ name: "Led", parent: "Acme", kind: "team" }, anna);
  const lead = { actor: "lead@acme.example", within: [id] };
  const everywhere = [{ role: "viewer", account: null }] as const;
  const above = [{ role: "viewer", account: "Acme" }] as const;

  for (const change of [
    { add: everywhere, remove: [] },
    { add: [], remove: everywhere },
    { add: above, remove: [] },
    { add: [], remove: above },
  ])
    await expect(operator.people.changeGrants(email, change, lead)).rejects.toThrow(/your role holds for/i);
});

test("whoever has a session guesses the password behind it ten times, and then waits even with the right one", async () => {
  const { id, email } = await operator.people.create(
    { email: "cy@acme.example", name: null, account: null, grants: [], password: "correct horse battery staple" },
    anna,
  );
  const self = { actor: email, personId: id, address: "203.0.113.9" };
  const guess = (current: string): Promise<string> =>
    operator.people.setPassword(id, { password: "a longer horse battery staple", current }, self).then(
      () => "set",
      (error: unknown) => (error instanceof Fault ? error.code : "none"),
    );

  const guessed: string[] = [];
  for (let no = 0; no < MOST_FAILURES + 2; no++) guessed.push(await guess(`guess ${no}`));

  expect(new Set(guessed.slice(0, MOST_FAILURES))).toEqual(new Set(["invalid_request"]));
  expect(guessed.slice(MOST_FAILURES)).toEqual(["rate_limit_exceeded", "rate_limit_exceeded"]);
  expect(await guess("correct horse battery staple")).toBe("rate_limit_exceeded");
});
