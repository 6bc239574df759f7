import { afterAll, beforeAll, expect, test } from "vitest";
import type { Database } from "../../../src/db/database.ts";
import { createPostgres } from "../../../src/db/postgres/postgres.ts";
import type { AuditEntry } from "../../../src/operator/audit/audit.ts";
import { KEY_ORDER } from "../../support/key-order.ts";
import { freshDatabase } from "../../support/postgres.ts";
import { foldAudit, readAudit, readStructure } from "./fold-audit.ts";
import { monthOf, openYear, type Year } from "./year.ts";

const CREDIT = 1_000_000_000n;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTHS = Array.from({ length: 12 }, (_, month) => Date.UTC(2026, month));
const OLGA = { actor: "olga@acme.example", via: "password", address: "192.0.2.7", requestId: "req_1" } as const;
const LEAD = { actor: "leo@acme.example", via: "sso", address: "192.0.2.8", requestId: "req_2" } as const;
const SCRIPT = { actor: "admin", via: "automation" } as const;
const HOME = "Acme/Search/Ann";
const ANN = "ann@acme.example";

let parts: AsyncDisposableStack;
let database: Database;
let year: Year;
/** The key that nobody's account pays for; and the employee as a person, with their account and key. */
let eve = "";
let ann = { person: "", account: "", key: "" };
/** What was done to whom, as it was done: the story that the log must tell. */
type Whose = "eve" | "ann" | "annsAccount" | "annsKey";
const story: [month: string, actor: string, action: string, of: Whose, outcome: string][] = [];

beforeAll(async () => {
  parts = new AsyncDisposableStack();
  const fresh = parts.adopt(await freshDatabase(), (it) => it.close());
  const pool = { poolSize: 4, connectTimeoutMs: 20_000, statementTimeoutMs: 30_000, onError: () => undefined };
  database = parts.adopt(createPostgres({ url: fresh.url, ...pool }), (it) => it.close());
  year = await openYear(database, { startMs: Date.UTC(2026, 0, 1, 6), seed: 16 });
});
afterAll(() => parts.disposeAsync());

type By = typeof OLGA | typeof LEAD | typeof SCRIPT;
const tell = (by: By, action: string, of: Whose, outcome = "done"): void =>
  void story.push([year.month(), by.actor, action, of, outcome]);

const limitOf = (amount: bigint) => ({ amount, unit: "credit", period: "month", models: null }) as const;
const topUp = (amount: bigint, reference: string) => ({ amount, kind: "purchase", reference }) as const;

/** What becomes of the key and of the employee on the first of each month. */
const EVENTS: (() => Promise<void>)[] = [
  async () => {
    const { accounts, keys, people } = year.operator;
    await accounts.create({ name: "Acme", parent: null, kind: "organisation" }, OLGA);
    await accounts.topUp("Acme", topUp(500n * CREDIT, "invoice 1"), SCRIPT);
    for (const name of ["Search", "Support"]) await accounts.create({ name, parent: "Acme", kind: "team" }, OLGA);
    eve = (await keys.create({ ...KEY_ORDER, label: "Eve", credit: 20n * CREDIT }, OLGA)).key.id;
    tell(OLGA, "key.create", "eve");
    ann.account = (await accounts.create({ name: "Ann", parent: "Acme/Search", kind: "person" }, LEAD)).id;
    tell(LEAD, "account.create", "annsAccount");
    await accounts.setLimit(HOME, limitOf(CREDIT / 20n), LEAD);
    tell(LEAD, "account.set_limit", "annsAccount");
    const hired = { email: ANN, name: "Ann", account: HOME, password: null };
    ann.person = (await people.create({ ...hired, grants: [{ role: "viewer", account: HOME }] }, LEAD)).id;
    tell(LEAD, "person.create", "ann");
    ann.key = (await keys.create({ ...KEY_ORDER, account: HOME, label: "laptop" }, LEAD)).key.id;
    tell(LEAD, "key.create", "annsKey");
  },
  async () => {
    await year.operator.funds.topUp(eve, topUp(5n * CREDIT, "invoice 2"), SCRIPT);
    // The payment is reported a second time.
    await year.operator.funds.topUp(eve, topUp(5n * CREDIT, "invoice 2"), SCRIPT);
    tell(SCRIPT, "key.top_up", "eve");
    tell(SCRIPT, "key.top_up", "eve");
  },
  async () => {
    await year.operator.keys.rotate(eve, { overlapMs: 7 * DAY_MS }, OLGA);
    tell(OLGA, "key.rotate", "eve");
  },
  async () => {
    await year.operator.accounts.setLimit(HOME, limitOf(90n * CREDIT), LEAD);
    tell(LEAD, "account.set_limit", "annsAccount");
    await year.operator.keys.update(eve, { label: "Eve's batch jobs", rpmLimit: 60 }, OLGA);
    tell(OLGA, "key.update", "eve");
  },
  async () => {
    await year.operator.keys.changeStatus(eve, "suspend", OLGA);
    tell(OLGA, "key.status", "eve");
    await expect(year.operator.keys.changeStatus(eve, "enable", OLGA)).rejects.toThrow("suspended");
    tell(OLGA, "key.status", "eve", "refused");
    await year.operator.keys.changeStatus(eve, "resume", OLGA);
    tell(OLGA, "key.status", "eve");
  },
  async () => {
    await year.operator.accounts.update(HOME, { parent: "Acme/Support" }, OLGA);
    tell(OLGA, "account.update", "annsAccount");
    // They lead the team that they come to.
    const lead = { role: "operator", account: "Acme/Support" } as const;
    await year.operator.people.changeGrants(ANN, { add: [lead], remove: [] }, OLGA);
    tell(OLGA, "person.change_grants", "ann");
  },
  async () => {
    const refund = { amount: -2n * CREDIT, kind: "adjust", reference: "refund 1" } as const;
    await year.operator.funds.topUp(eve, refund, OLGA);
    tell(OLGA, "key.top_up", "eve");
    await year.operator.accounts.update("Acme/Support", { name: "Care" }, OLGA);
  },
  async () => {
    await year.operator.keys.rotate(ann.key, { overlapMs: 0 }, LEAD);
    tell(LEAD, "key.rotate", "annsKey");
    await year.operator.keys.setLimit(ann.key, { ...limitOf(1_000n), unit: "tokens" }, LEAD);
    tell(LEAD, "key.set_limit", "annsKey");
    await year.operator.keys.removeLimit(ann.key, { unit: "tokens", period: "month", models: null }, LEAD);
    tell(LEAD, "key.remove_limit", "annsKey");
  },
  async () => {
    await year.operator.notices.setThresholds({ name: eve, left: ["1"] }, OLGA);
    tell(OLGA, "threshold.set", "eve");
  },
  async () => {
    await year.operator.accounts.changeStatus("Acme/Care/Ann", "suspend", LEAD);
    await year.operator.accounts.changeStatus("Acme/Care/Ann", "resume", LEAD);
    tell(LEAD, "account.status", "annsAccount");
    tell(LEAD, "account.status", "annsAccount");
    await year.operator.people.update(ANN, { name: "Ann Adler" }, LEAD);
    tell(LEAD, "person.update", "ann");
  },
  async () => {
    await year.operator.keys.update(eve, { expiresAtMs: Date.UTC(2027, 5) }, OLGA);
    tell(OLGA, "key.update", "eve");
  },
  async () => {
    const { accounts, keys, people } = year.operator;
    await people.remove(ANN, OLGA);
    tell(OLGA, "person.remove", "ann");
    tell(OLGA, "account.status", "annsAccount");
    expect((await accounts.show("Acme/Care/Ann")).account.status).toBe("suspended");
    await expect(people.remove(ann.person, OLGA)).rejects.toThrow("was removed");
    tell(OLGA, "person.remove", "ann", "refused");
    await keys.changeStatus(ann.key, "revoke", LEAD);
    tell(LEAD, "key.status", "annsKey");
    await accounts.close("Acme/Care/Ann", LEAD);
    tell(LEAD, "account.close", "annsAccount");
    await year.operator.keys.changeStatus(eve, "revoke", OLGA);
    tell(OLGA, "key.status", "eve");
    await expect(year.operator.keys.rotate(eve, { overlapMs: 0 }, OLGA)).rejects.toThrow("revoked");
    tell(OLGA, "key.rotate", "eve", "refused");
  },
];

const inStory = (entries: readonly AuditEntry[]): typeof story => {
  const whose = new Map([
    [eve, "eve"],
    [ann.person, "ann"],
    [ann.account, "annsAccount"],
    [ann.key, "annsKey"],
  ] as const);
  return entries.flatMap(({ atMs, actor, action, resource, outcome }) => {
    const of = whose.get(resource.id ?? "");
    return of === undefined ? [] : [[monthOf(atMs), actor, action, of, outcome] as (typeof story)[number]];
  });
};

test("a year of a key and of an employee: the ledger verifies, and the audit log tells the same story", async () => {
  for (const [place, startMs] of MONTHS.entries()) {
    if (place > 0) await year.moveTo(startMs + 6 * HOUR_MS);
    await EVENTS[place]?.();
    const working = place === 11 ? [] : [eve, ann.key];
    for (const day of [9, 20]) {
      await year.moveTo(startMs + day * DAY_MS);
      if (working.length > 0) await year.work(working, { rounds: 1, atOnce: 5 });
    }

    const { mismatches, ok } = await year.operator.books.verify({ key: null, recompute: true }, { actor: "test" });
    expect({ month: year.month(), mismatches, ok }).toEqual({ month: year.month(), mismatches: [], ok: true });
    const entries = await readAudit(year.operator);
    expect(inStory(entries), year.month()).toEqual(story);
    expect(foldAudit(entries), year.month()).toEqual(await readStructure(database));
  }
}, 300_000);

test("the log says when the employee was over budget no more, and the ledger says the same", async () => {
  const [raise] = (await readAudit(year.operator)).filter(
    ({ action, resource, before }) =>
      action === "account.set_limit" &&
      resource.id === ann.account &&
      before !== null &&
      "counters" in before &&
      (before["counters"] as unknown[]).length > 0,
  );
  const months = new Set(year.refused.filter(({ keyId }) => keyId === ann.key).map(({ month }) => month));

  expect(raise).toMatchObject({
    actor: LEAD.actor,
    address: LEAD.address,
    before: { counters: [{ kind: "limit", amount: "0.05" }] },
    after: { counters: [{ kind: "limit", amount: "90" }] },
  });
  expect([...months]).toEqual(["2026-01", "2026-02", "2026-03"]);
  expect(monthOf(raise?.atMs ?? 0)).toBe("2026-04");
});

test.each([
  ["key", "update key set label = $2 where id = $1 returning label", () => eve, "Eve's batch jobs"],
  ["person", "update person set name = $2 where id = $1 returning name", () => ann.person, "Ann Adler"],
])("a change of a %s that went past the audit log is found by folding it", async (_what, sql, id, before) => {
  const told = foldAudit(await readAudit(year.operator));

  await database.query(sql, [id(), "somebody else"]);
  expect(told).not.toEqual(await readStructure(database));

  await database.query(sql, [id(), before]);
  expect(told).toEqual(await readStructure(database));
});
