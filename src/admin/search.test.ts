import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../tests/support/admin-app.ts";
import { createId } from "../core/ids.ts";
import type { Database } from "../db/database.ts";
import { createPeopleStore } from "../people/people-store.ts";
import { createTokenSecret } from "../entrance/person-secret.ts";
import { createTokenStore } from "../entrance/token/token-store.ts";

const KEYS = 10_000;
const OLDEST = "10000000-0000-7000-8000-000000000001";
const OF_A_PERSON = "30000000-0000-7000-8000-000000000001";
const PERSON = "20000000-0000-7000-8000-000000000001";
const ID = "('10000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";

const BATCH = 1_000;
/** Keys without an account, one label in a thousand; the oldest is the last of the list. */
const KEY = `insert into key (id, bucket, mode, label)
  select ${ID}, 7, 'credit', case when n = 1 then 'Night Batch' when n % 1000 = 0 then '100 percent' end from generate_series($1::int, $2::int) n`;
const SECRET = `insert into key_secret (digest, key_id, bucket, prefix)
  select sha256(n::text::bytea), ${ID}, 7, 'tgc_a03' || lpad(n::text, 5, '0') from generate_series($1::int, $2::int) n`;
const ANNA = `insert into person (id, email, name, created_at) values ('${PERSON}', 'anna@acme.example', 'Anna', now())`;
const SESSION = `insert into key (id, bucket, mode, label, person_id) values ('${OF_A_PERSON}', 7, 'credit', 'night session', '${PERSON}')`;

let database: Database;
let admin: AdminApp;
let made = 0;
beforeAll(async () => {
  database = await emptyDatabase();
  for (let first = 1; first <= KEYS; first += BATCH)
    for (const sql of [KEY, SECRET]) await database.query(sql, [first, first + BATCH - 1]);
  for (const sql of [ANNA, SESSION]) await database.query(sql);
  admin = buildAdmin(database);
  for (const path of ["Acme", "Acme/Search", "Acme/Search/50% off", "Umbra", "Umbra/Research"]) {
    const names = path.split("/");
    const parent = names.slice(0, -1).join("/") || null;
    await admin.ask("POST", "/admin/v1/accounts", { name: names.at(-1), parent, kind: "team" });
  }
  for (const [account, label] of [
    ["Acme/Search", "crawler"],
    ["Umbra/Research", "reader"],
    ["Acme/Search/50% off", "a_b"],
    ["Acme", "axb"],
  ])
    await admin.ask("POST", "/admin/v1/keys", { mode: "credit", account, label });
}, 180_000);
afterAll(async () => {
  await admin.app.close();
  await database.close();
});

type Rows = { data: { id: string; label: string | null; path: string }[]; next: string | null };

async function list(what: "keys" | "accounts", query: Record<string, string>, secret?: string): Promise<Rows> {
  const path = `/admin/v1/${what}?${new URLSearchParams(query).toString()}`;
  const reply = await admin.ask("GET", path, undefined, secret);
  expect(reply.statusCode).toBe(200);
  return reply.json<Rows>();
}

const labels = async (search: string, secret?: string) =>
  (await list("keys", { search }, secret)).data.map(({ label }) => label);
const paths = async (search: string, secret?: string) =>
  (await list("accounts", { search }, secret)).data.map(({ path }) => path);

async function leadOf(path: string): Promise<string> {
  const [account] = (await list("accounts", { search: path.split("/").at(-1) ?? "" })).data.filter(
    (found) => found.path === path,
  );
  const [id, tokenId] = [createId(Date.now() + ++made), createId(Date.now() + ++made)];
  const grants = [{ role: "owner" as const, accountId: account?.id ?? "" }];
  const person = { id, email: `${id}@acme.example`, name: "lead", accountId: null, passwordHash: null, grants };
  await createPeopleStore(database).insert({ ...person, source: "given", atMs: Date.now() });
  const { secret, digest, prefix } = createTokenSecret();
  const token = { id: tokenId, digest, prefix, personId: id, name: "a test", sessionId: null, role: null };
  const now = Date.now();
  await createTokenStore(database).insert({ ...token, accountId: null, createdAtMs: now, expiresAtMs: now + 9e6 });
  return secret;
}

test(`of ${KEYS} keys the one on the last page is found by its label, in capitals or not`, async () => {
  expect((await list("keys", { search: "night" })).data.map(({ id }) => id)).toEqual([OLDEST]);
  expect(await labels("T BATC")).toEqual(["Night Batch"]);
});

test("keys are found by their id, by the prefix of any secret, and by the name of their account", async () => {
  const rotated = await admin.ask("POST", `/admin/v1/keys/${OLDEST}/rotate`, { overlap_ms: 60_000 });

  expect(await labels("7000-8000-000000000001")).toEqual(["Night Batch"]);
  expect(await labels("TGC_A0300001")).toEqual(["Night Batch"]);
  expect(await labels(rotated.json<{ key: { prefix: string } }>().key.prefix)).toEqual(["Night Batch"]);
  expect(await labels("sEARch")).toEqual(["reader", "crawler"]);
});

test("accounts are found by their own name, in the order of the list", async () => {
  expect(await paths("sEARch")).toEqual(["Acme/Search", "Umbra/Research"]);
  expect(await paths("acme")).toEqual(["Acme"]);
  expect(await paths("nobody")).toEqual([]);
});

test("what is searched for has no wildcards", async () => {
  expect(await labels("100%")).toEqual([]);
  expect(await labels("100 p")).toHaveLength(KEYS / 1_000);
  expect(await labels("a_b")).toEqual(["a_b"]);
  expect(await labels("50%")).toEqual(["a_b"]);
  expect(await labels("\\")).toEqual([]);
  expect(await paths("%")).toEqual(["Acme/Search/50% off"]);
});

test("what is found comes in pages", async () => {
  const found: string[] = [];
  let after: string | null = null;
  do {
    const page: Rows = await list("keys", { search: "100 P", limit: "4", ...(after !== null && { after }) });
    found.push(...page.data.map(({ id }) => id));
    after = page.next;
  } while (after !== null);
  expect(new Set(found).size).toBe(KEYS / 1_000);
  expect(found).toEqual(found.toSorted((one, other) => (one < other ? 1 : -1)));

  const first = await list("accounts", { search: "search", limit: "1" });
  const second = await list("accounts", { search: "search", limit: "1", after: first.next ?? "" });
  expect([...first.data, ...second.data].map(({ path }) => path)).toEqual(["Acme/Search", "Umbra/Research"]);
  expect(second.next).toBeNull();
});

test("the longest page that can be asked for is followed by the next", async () => {
  const first = await list("keys", { limit: "1000" });
  const second = await list("keys", { limit: "1000", after: first.next ?? "" });

  expect([first.data.length, second.data.length]).toEqual([1_000, 1_000]);
  expect((second.data[0]?.id ?? "") < (first.data.at(-1)?.id ?? "")).toBe(true);
});

test("a lead finds nothing outside their accounts", async () => {
  const lead = await leadOf("Acme/Search");

  expect(await labels("er", lead)).toEqual(["crawler"]);
  expect(await paths("e", lead)).toEqual(["Acme/Search"]);
  expect(await labels("night", lead)).toEqual([]);
  expect(await labels("acme", lead)).toEqual([]);
});

test.each(["", "x".repeat(101)])("a search of %# is refused: it has 1 to 100 characters", async (search) => {
  for (const what of ["keys", "accounts"]) {
    const reply = await admin.ask("GET", `/admin/v1/${what}?search=${search}`);
    expect([reply.statusCode, reply.json<{ error: { param: string } }>().error.param]).toEqual([400, "search"]);
  }
});
