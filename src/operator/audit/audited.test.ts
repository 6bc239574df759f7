import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { KEY_ORDER } from "../../../tests/support/key-order.ts";
import { createOperator } from "../../app/create-operator.ts";
import { createAuditStore } from "../../audit/audit-store.ts";
import { openProviderCredentials } from "../../app/catalogue/provider-credentials.ts";
import { systemClock } from "../../core/clock.ts";
import { createId } from "../../core/ids.ts";
import { createSecret } from "../../core/secret/secret.ts";
import type { Database } from "../../db/database.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import type { AskedAudit } from "./audit.ts";
import { AUDIT_TABLE } from "../../contract/audit-table.ts";
import type { Operator } from "../operator.ts";

let database: Database;
let operator: Operator;
let told: string[];
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  told = [];
  const events = new Proxy({} as OperatorEvents, { get: (_events, name) => () => void told.push(String(name)) });
  const key = createSecret(Buffer.alloc(32, 7).toString("base64"));
  const credentials = openProviderCredentials({ key, previousKey: null, directories: "", allowedReferences: "" }, {});
  operator = createOperator({ database, credentials, events, clock: systemClock, acceptForeign: "on" });
});
afterEach(async () => {
  await database.script("drop trigger if exists in_the_way on audit; drop trigger if exists in_the_way on audit_end");
});

const ALL: AskedAudit = {
  limit: 100,
  after: null,
  actor: null,
  action: null,
  outcome: null,
  resource: null,
  account: null,
  fromMs: null,
  toMs: null,
  order: "newest",
  documents: "whole",
};
const ann = {
  actor: "ann@acme.example",
  requestId: "req_1",
  personId: "0199a000-0000-7000-8000-000000000001",
  address: "192.0.2.7",
  via: "password",
} as const;
const read = async (asked: Partial<AskedAudit>, within?: readonly string[]) =>
  (await operator.audit.list({ ...ALL, ...asked }, within === undefined ? {} : { within })).data;

const standsInTheWay = (table: string): Promise<void> =>
  database.script(`
    create or replace function refuse_row() returns trigger language plpgsql as $$ begin raise exception 'disk full'; end $$;
    create trigger in_the_way before insert on ${table} for each row execute function refuse_row()`);

/** How methods are called that change nothing. */
const READS =
  /^(?:list|show|read|report|statement|journal|verify|thresholds|probe|test|find|who|watch|sessions)[A-Z]?\w*$/;

test("every method of an operator that is no read has a line in the audit table", () => {
  const missing = Object.entries(AUDIT_TABLE).flatMap(([group, rows]) =>
    Object.entries(rows as Record<string, unknown>)
      .filter(([method, row]) => row === "read" && !READS.test(method))
      .map(([method]) => `${group}.${method}`),
  );
  const unlisted = Object.entries(operator).flatMap(([group, methods]) =>
    Object.keys(methods)
      .filter((method) => !(method in AUDIT_TABLE[group as keyof Operator]))
      .map((method) => `${group}.${method}`),
  );

  expect({ missing, unlisted }).toEqual({ missing: [], unlisted: [] });
});

test("a change stands in the audit log with who made it, how it was before and how it is after", async () => {
  const { key } = await operator.keys.create({ ...KEY_ORDER, label: "build", credit: 5_000_000_000n }, ann);
  await operator.keys.changeStatus(key.prefix, "suspend", { actor: "cli", via: "cli" });

  const [suspended, created] = await read({ resource: key.id });
  expect(created).toMatchObject({
    actor: ann.actor,
    personId: ann.personId,
    via: "password",
    address: ann.address,
    requestId: ann.requestId,
    action: "key.create",
    outcome: "done",
    code: null,
    resource: { kind: "key", id: key.id, name: key.prefix },
    asked: { mode: "credit", label: "build", credit: { unit: "credit", amount: "5" } },
    before: null,
    after: {
      status: "active",
      label: "build",
      secrets: [{ status: "active" }],
      counters: [{ funded: "5", posted: "5" }],
    },
  });
  expect(suspended).toMatchObject({
    actor: "cli",
    personId: null,
    action: "key.status",
    asked: { change: "suspend" },
    before: { status: "active" },
    after: { status: "suspended" },
  });
  expect(suspended?.endedAtMs).toBeGreaterThanOrEqual(suspended?.atMs ?? 0);
  expect(await read({ resource: key.prefix })).toHaveLength(2);
});

test("what is refused stands in the audit log with the code of the refusal", async () => {
  const { key } = await operator.keys.create(KEY_ORDER, ann);
  await operator.keys.changeStatus(key.id, "revoke", ann);
  await expect(operator.keys.rotate(key.id, { overlapMs: 0 }, ann)).rejects.toThrow("revoked");
  await expect(operator.accounts.update("Nobody", { name: "Somebody" }, ann)).rejects.toThrow("no account");

  const [renamed] = await read({ action: "account.update" });
  const [rotated] = await read({ resource: key.id, outcome: "refused" });
  expect(rotated).toMatchObject({ action: "key.rotate", code: "conflict", before: { status: "revoked" }, after: null });
  expect(renamed).toMatchObject({
    outcome: "refused",
    code: "not_found",
    resource: { kind: "account", id: null, name: "Nobody" },
    asked: { name: "Somebody" },
  });
});

test("nothing is changed when its audit entry cannot be written", async () => {
  const { key } = await operator.keys.create(KEY_ORDER, ann);
  await standsInTheWay("audit");

  await expect(operator.keys.changeStatus(key.id, "revoke", ann)).rejects.toThrow("disk full");
  await expect(operator.accounts.create({ name: "Unseen", parent: null, kind: "organisation" }, ann)).rejects.toThrow();

  expect((await operator.keys.show(key.id)).key.status).toBe("active");
  await expect(operator.accounts.show("Unseen")).rejects.toThrow("no account");
});

test("a change whose end cannot be written is done, and its outcome is unknown to the audit log", async () => {
  const { key } = await operator.keys.create(KEY_ORDER, ann);
  await standsInTheWay("audit_end");
  await operator.keys.changeStatus(key.id, "suspend", ann);

  const [entry] = await read({ resource: key.id });
  expect(entry).toMatchObject({ action: "key.status", outcome: "unknown", after: null, endedAtMs: null });
  expect((await operator.keys.show(key.id)).key.status).toBe("suspended");
  expect(told).toContain("auditEndLost");
});

test.each([
  "update audit set actor = 'nobody'",
  "delete from audit",
  "truncate audit cascade",
  "update audit_end set outcome = 'done'",
  "delete from audit_end",
  "truncate audit_end",
])("the audit log is only added to: %s is refused", async (statement) => {
  await operator.keys.create(KEY_ORDER, ann);

  await expect(database.script(statement)).rejects.toThrow("rows are added, never changed or removed");
});

test("no secret gets into the audit log, also when an operator types one as a name", async () => {
  const made = await operator.keys.create(KEY_ORDER, ann);
  const rotated = await operator.keys.rotate(made.key.id, { overlapMs: 60_000 }, ann);
  const kept = "sk-kept-secret-of-another-product-0123456789";
  await operator.keys.create({ ...KEY_ORDER, existing: { secret: kept } }, ann);
  const terms = {
    unknownMembers: null,
    openMembers: null,
    windowCheck: null,
    traceparent: null,
    platform: null,
    present: "keep",
  } as const;
  const provider = {
    name: "east",
    baseUrl: "https://east.example/v1",
    credentialRef: "stored",
    secret: "plain-credential-77",
    ...terms,
  };
  await operator.providers.add(provider, ann);
  await expect(operator.keys.rotate(made.secret ?? "", { overlapMs: 0 }, ann)).rejects.toThrow();

  const rows = await database.query<{ row: string }>(
    "select row_to_json(a)::text || coalesce(row_to_json(e)::text, '') as row from audit a left join audit_end e using (id)",
  );
  const all = rows.map(({ row }) => row).join("\n");
  for (const secret of [made.secret, rotated.secret, kept, "plain-credential-77"]) expect(all).not.toContain(secret);
  expect(all).toContain('"resource_name":"[…]"');
});

test("however much a change is about, its entry stays within its limit and says what was left out", async () => {
  const wide = Array.from({ length: 3_000 }, (_, number) => `${"m".repeat(190)}${number}`);
  const { key } = await operator.keys.create(KEY_ORDER, ann);
  await database.query("update key set models = $2 where id = $1", [key.id, wide]);
  await operator.keys.update(key.id, { rpmLimit: 5 }, ann);

  const [entry] = await read({ resource: key.id, action: "key.update" });
  const before = JSON.stringify(entry?.before);
  expect(Buffer.byteLength(before)).toBeLessThan(65_536);
  expect(entry?.before).toMatchObject({ rpm_limit: null, cut: { bytes: expect.any(Number) as number } });
  expect(before).toMatch(/"more":\d+/);
});

test("those who were refused at the door stand in the log, many as one entry with a count", async () => {
  const refusal = {
    actor: "anonymous",
    personId: null,
    via: null,
    address: "192.0.2.9",
    requestId: "req_9",
    action: "door.refused",
    resource: { kind: "operation", id: "GET /admin/v1/keys/:key", name: null },
    code: "invalid_credentials",
    asked: null,
  };
  const rows = [1, 41].map((count) => ({ ...refusal, id: createId(Date.now()), count }));
  const store = createAuditStore(database);
  await store.refused(rows);
  await store.refused(rows);

  expect(await read({ action: "door.refused" })).toMatchObject([
    { outcome: "refused", code: "invalid_credentials", address: "192.0.2.9", count: 41 },
    { outcome: "refused", count: 1 },
  ]);
});

test("an operator of a part of the accounts sees what touched that part, and nothing of what it was elsewhere", async () => {
  const root = await operator.accounts.create({ name: "Lead", parent: null, kind: "organisation" }, ann);
  const [east, west] = [
    await operator.accounts.create({ name: "East", parent: root.id, kind: "team" }, ann),
    await operator.accounts.create({ name: "West", parent: root.id, kind: "team" }, ann),
  ];
  const { key } = await operator.keys.create({ ...KEY_ORDER, account: "Lead/East" }, ann);
  await operator.keys.move(key.id, "Lead/West", ann);
  const actionsIn = async (account: string) =>
    (await read({}, [account])).map(({ action, before, after }) => [action, before !== null, after !== null]);

  expect(await actionsIn(west.id)).toEqual([
    ["key.move", false, true],
    ["account.create", false, true],
  ]);
  expect(await actionsIn(east.id)).toEqual([
    ["key.move", true, false],
    ["key.create", false, true],
    ["account.create", false, true],
  ]);
  const [moved, created] = await read({ resource: key.id });
  await expect(operator.audit.show(created?.id ?? "", { within: [west.id] })).rejects.toThrow("no entry with this id");
  const seen = await operator.audit.show(moved?.id ?? "", { within: [west.id] });
  expect(inspect(seen, { depth: 9 })).toContain(west.id);
  expect(inspect(seen, { depth: 9 })).not.toContain("East");
  expect(inspect(seen, { depth: 9 })).not.toContain(east.id);
  const left = await operator.audit.show(moved?.id ?? "", { within: [east.id] });
  expect(inspect(left, { depth: 9 })).not.toContain("West");
  expect(inspect(left, { depth: 9 })).not.toContain(west.id);
  await expect(read({ account: "Lead/West" }, [east.id])).rejects.toMatchObject({ code: "not_found" });
});

test.for(["newest", "oldest"] as const)(
  "pages of what touched an account have every entry once, the %s first, whether many or few entries do",
  async (order) => {
    const account = await operator.accounts.create({ name: `Paged ${order}`, parent: null, kind: "team" }, ann);
    for (const label of ["one", "two", "three"])
      await operator.keys.create({ ...KEY_ORDER, account: account.id, label }, ann);
    const paged: string[] = [];
    for (let after: string | null = null, pages = 0; pages < 9; pages++) {
      const page = await operator.audit.list({ ...ALL, account: account.id, order, limit: 1, after }, {});
      paged.push(...page.data.map(({ id }) => id));
      if (page.next === null) break;
      after = page.next;
    }

    const whole = await read({ account: account.id, order });
    expect(whole.map(({ action }) => action).toSorted()).toEqual([
      "account.create",
      "key.create",
      "key.create",
      "key.create",
    ]);
    expect(whole.map(({ action }) => action).at(order === "newest" ? -1 : 0)).toBe("account.create");
    expect(paged).toEqual(whole.map(({ id }) => id));
    expect(await read({ account: account.id, order, outcome: "refused" })).toEqual([]);
  },
);
