import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import type { Database } from "../../db/database.ts";
import type { FundedKeyJson } from "../../contract/funds.ts";

let database: Database;
let admin: AdminApp;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  admin = buildAdmin(database);
});
afterEach(() => admin.app.close());

type Made = { key: { id: string; prefix: string; status: string }; secret: string };
type Refused = { error: { code: string; type: string; param: string | null; message: string } };

const make = async (order: object): Promise<Made> => (await admin.ask("POST", "/admin/v1/keys", order)).json<Made>();
const post = (path: string, body?: unknown) => admin.ask("POST", `/admin/v1/keys/${path}`, body);
const get = (path: string) => admin.ask("GET", `/admin/v1/keys/${path}`);

test("a key is made with what it starts with, booked once under its own id", async () => {
  const { key } = await make({ mode: "credit", credit: "25.000000001" });
  const { key: tokens } = await make({ mode: "token_budget", budget: 500, period: "day" });

  expect((await get(`${key.id}/funds`)).json()).toMatchObject({
    unit: "credit",
    balance: "25.000000001",
    budget: null,
  });
  expect((await get(`${tokens.id}/funds`)).json()).toMatchObject({ unit: "tokens", budget: "500", period: "day" });
  expect((await get(`${key.id}/journal`)).json()).toMatchObject({
    data: [{ kind: "purchase", credits: "25.000000001", reference: `create:${key.id}`, actor: "admin" }],
  });
});

test("a key whose money cannot be booked is not made", async () => {
  const keys = async () => (await admin.ask("GET", "/admin/v1/keys")).json<{ data: object[] }>().data.length;
  const before = await keys();
  await database.script("alter function fund_v1 rename to fund_v1_gone");
  const reply = await admin.ask("POST", "/admin/v1/keys", { mode: "credit", credit: "1" });
  await database.script("alter function fund_v1_gone rename to fund_v1");

  expect(reply.statusCode).toBe(500);
  expect(await keys()).toBe(before);
});

test("a top-up is booked once per reference, and the same reference never means two things", async () => {
  const { key } = await make({ mode: "credit" });
  const topUp = { amount: "5", reference: "invoice 1" };

  const replies = [await post(`${key.prefix}/topups`, topUp), await post(`${key.prefix}/topups`, topUp)];
  const other = await post(`${key.prefix}/topups`, { ...topUp, amount: "6" });

  expect(replies.map((reply) => [reply.statusCode, reply.json<FundedKeyJson>().result])).toEqual([
    [201, "funded"],
    [200, "already"],
  ]);
  expect(replies[1]?.json<FundedKeyJson>().funds.balance).toBe("5");
  expect({ status: other.statusCode, ...other.json<Refused>().error }).toMatchObject({ status: 409, code: "conflict" });
  expect((await get(`${key.id}/funds`)).json()).toMatchObject({ balance: "5" });
});

test("a payment is booked to one key, and the refusal names it; a grant's reference is each key's own", async () => {
  const [one, two] = [await make({ mode: "credit" }), await make({ mode: "credit" })];
  const topUp = { amount: "5", reference: "pi_123" };
  await post(`${one.key.id}/topups`, topUp);

  const refused = await post(`${two.key.id}/topups`, topUp);
  expect({ status: refused.statusCode, ...refused.json<Refused>().error }).toMatchObject({
    status: 409,
    message: `Reference pi_123 was already used for a payment to key ${one.key.id}. Nothing was booked. Use a new reference for each payment.`,
  });
  expect((await post(`${two.key.id}/topups`, { ...topUp, kind: "grant" })).statusCode).toBe(201);
});

test("a budget's reference stands for its period, too", async () => {
  const { key } = await make({ mode: "token_budget" });
  const statuses: number[] = [];
  for (const period of ["day", "day", "week"])
    statuses.push((await post(`${key.id}/budget`, { budget: 9, period, reference: "a" })).statusCode);

  expect(statuses).toEqual([201, 200, 409]);
});

test("an adjustment takes what is there and not more", async () => {
  const { key } = await make({ mode: "credit", credit: "2" });
  const adjust = (amount: string, reference: string) => post(`${key.id}/topups`, { amount, reference, kind: "adjust" });

  expect((await adjust("-1.5", "a")).json<FundedKeyJson>().funds.balance).toBe("0.5");
  const refused = await adjust("-0.6", "b");
  expect(refused.statusCode).toBe(409);
  expect(refused.json<Refused>().error.message).toContain("has only 0.5 credits available");
});

test("money goes to keys of its kind alone", async () => {
  const credit = await make({ mode: "credit" });
  const tokens = await make({ mode: "token_budget" });

  expect((await post(`${tokens.key.id}/topups`, { amount: "1", reference: "a" })).statusCode).toBe(409);
  expect((await post(`${credit.key.id}/budget`, { budget: 1, reference: "a" })).statusCode).toBe(409);
});

test("a budget keeps the period of the key unless it names another", async () => {
  const { key } = await make({ mode: "token_budget", budget: 5, period: "week" });
  const budgeted = async (body: object) => (await post(`${key.id}/budget`, body)).json<FundedKeyJson>().funds;

  expect(await budgeted({ budget: 9, reference: "a" })).toMatchObject({ budget: "9", period: "week" });
  expect(await budgeted({ budget: 9, period: "none", reference: "b" })).toMatchObject({
    period: "none",
    period_ends_at: null,
  });
});

test.each<[param: string, path: string, body: unknown]>([
  ["amount", "topups", { reference: "a" }],
  ["amount", "topups", { amount: 5, reference: "a" }],
  ["amount", "topups", { amount: "0", reference: "a" }],
  ["amount", "topups", { amount: "-1", reference: "a" }],
  ["amount", "topups", { amount: "1e9", reference: "a" }],
  ["amount", "topups", { amount: "1000000000.1", reference: "a" }],
  ["kind", "topups", { amount: "1", kind: "refund", reference: "a" }],
  ["reference", "topups", { amount: "1" }],
  ["reference", "topups", { amount: "1", reference: "" }],
  ["reference", "topups", { amount: "1", reference: "#void:x" }],
  ["reference", "topups", { amount: "1", reference: "a\0" }],
  ["reference", "topups", { amount: "1", reference: "x".repeat(201) }],
  ["budget", "budget", { budget: 1.5, reference: "a" }],
  ["budget", "budget", { budget: 2 ** 60, reference: "a" }],
  ["period", "budget", { budget: 1, period: "year", reference: "a" }],
  ["overlap_ms", "rotate", { overlap_ms: -1 }],
  ["overlap_ms", "rotate", { overlap_ms: "1h" }],
])("what is wrong in `%s` of %s is refused and changes nothing: %j", async (param, path, body) => {
  const { key } = await make({ mode: "credit" });
  const reply = await post(`${key.id}/${path}`, body);

  expect({ status: reply.statusCode, param: reply.json<Refused>().error.param }).toEqual({ status: 400, param });
  expect((await get(`${key.id}/funds`)).json()).toMatchObject({ balance: "0" });
});

test("a key goes from state to state as it may, and a way that is barred names the state [KEY-2] [KEY-3] [KEY-5]", async () => {
  const { key } = await make({ mode: "credit" });
  const change = async (word: string): Promise<[number, string]> => {
    const reply = await post(`${key.id}/${word}`);
    const { key: after, error } = reply.json<Partial<Made & Refused>>();
    return [reply.statusCode, after?.status ?? error?.message ?? ""];
  };

  expect(await change("suspend")).toEqual([200, "suspended"]);
  expect(await change("suspend")).toEqual([200, "suspended"]);
  expect(await change("disable")).toEqual([409, expect.stringContaining("it is suspended")]);
  expect(await change("enable")).toEqual([409, expect.stringContaining("it is suspended")]);
  expect(await change("resume")).toEqual([200, "active"]);
  expect(await change("disable")).toEqual([200, "disabled"]);
  expect(await change("resume")).toEqual([409, expect.stringContaining("it is disabled")]);
  expect(await change("enable")).toEqual([200, "active"]);
  expect(await change("revoke")).toEqual([200, "revoked"]);
  for (const word of ["suspend", "resume", "disable", "enable"]) {
    expect(await change(word)).toEqual([409, expect.stringContaining("it is revoked")]);
  }
  expect(admin.told.slice(1).map((line) => line.split(" ")[0])).toEqual([
    "suspended",
    "active",
    "disabled",
    "active",
    "revoked",
  ]);
  expect((await post(`${key.id}/rotate`)).statusCode).toBe(409);
  expect((await admin.ask("PATCH", `/admin/v1/keys/${key.id}`, { label: "x" })).statusCode).toBe(409);
});

test("a date in the past expires a key and a later one revives it [KEY-6] [KEY-7]", async () => {
  const { key } = await make({ mode: "credit", rpm_limit: 5, label: "before" });
  const patch = async (changes: object) => (await admin.ask("PATCH", `/admin/v1/keys/${key.id}`, changes)).json<Made>();

  expect((await patch({ expires_at: "2020-01-01T00:00:00Z" })).key).toMatchObject({ status: "expired", rpm_limit: 5 });
  expect((await patch({ expires_at: null, rpm_limit: null })).key).toMatchObject({
    status: "active",
    rpm_limit: null,
    label: "before",
  });
  expect((await admin.ask("PATCH", `/admin/v1/keys/${key.id}`, {})).statusCode).toBe(400);
});

test("a rotation shows the new secret once, and its key by every prefix it ever had [KEY-18] [KEY-22]", async () => {
  const { key } = await make({ mode: "credit", credit: "3" });
  const reply = await post(`${key.prefix}/rotate`, { overlap_ms: 60_000 });
  const { secret, secrets } = reply.json<Made & { secrets: { prefix: string; expires_at: string | null }[] }>();

  expect(reply.statusCode).toBe(201);
  expect(secret.slice(0, 7)).toBe(key.prefix.slice(0, 7));
  expect(secrets.map(({ prefix, expires_at: at }) => [prefix, at !== null])).toEqual([
    [secret.slice(0, 12), false],
    [key.prefix, true],
  ]);
  for (const prefix of [key.prefix, secret.slice(0, 12)]) {
    expect((await get(`${prefix}/funds`)).json()).toMatchObject({ balance: "3" });
  }
  expect((await get(key.id)).body).not.toContain(secret.slice(12));
});

test("the books are verified, all or of one key", async () => {
  const { key } = await make({ mode: "credit", credit: "3" });
  const verify = (body: object) => admin.ask("POST", "/admin/v1/ledger/verify", body);

  expect((await verify({})).json()).toMatchObject({ ok: true, mismatches: [] });
  expect((await verify({ key: key.prefix })).json()).toMatchObject({ ok: true, keys: 1, fundings: 1 });
  await database.query("update balance set posted = posted + 1 where key_id = $1", [key.id]);
  expect((await verify({})).json()).toMatchObject({ ok: false, mismatches: [{ key_id: key.id }] });
  await database.query("update balance set posted = posted - 1 where key_id = $1", [key.id]);
  await verify({ key: key.prefix, recompute: true });

  const { whole, recent } = (await admin.ask("GET", "/admin/v1/ledger/verifications")).json<{
    whole: object;
    recent: object[];
  }>();
  expect(whole).toMatchObject({ ok: false, mismatches: 1, key_id: null, actor: "admin", truncated: false });
  expect(recent.slice(0, 4)).toMatchObject([
    { ok: true, key_id: key.id, recompute: true, keys: 1 },
    whole,
    { ok: true, key_id: key.id, recompute: false, fundings: 1 },
    { ok: true, key_id: null, mismatches: 0 },
  ]);
});

test("what gateways verified by themselves is listed with the days and what differs in them", async () => {
  const list = async () =>
    (await admin.ask("GET", "/admin/v1/ledger/verifications")).json<{ continuous: { listed: object[] } }>().continuous;
  expect(await list()).toMatchObject({ verified_at: null, mismatches: 0, days: 0, pending: 0, found: [] });

  const differs = {
    keyId: null,
    accountId: null,
    counter: null,
    column: "charges of 2026-01-05",
    expected: "2",
    found: "1",
  };
  await database.script(`
    insert into verified_day (day, until, charges, digest, verified_at, took_ms, mismatches, found)
    values ('2026-01-05', '2026-01-06Z', 2, '\\x0102', '2026-01-07T12:00:00Z', 5, 1, '[${JSON.stringify(differs)}]');
    update verification_turn set verified_at = '2026-01-07T12:00:01Z'`);
  const found = await list();
  await database.script("delete from verified_day; update verification_turn set verified_at = null");

  expect(found).toMatchObject({ verified_at: "2026-01-07T12:00:01.000Z", mismatches: 1, days: 1, pending: 0 });
  expect(found.listed.filter((day) => "digest" in day && day.digest !== null)).toEqual([
    {
      day: "2026-01-05",
      charges: 2,
      digest: "0102",
      looked_at: "2026-01-07T12:00:00.000Z",
      took_ms: 5,
      mismatches: 1,
      in_progress: false,
      found: [
        { key_id: null, account_id: null, counter: null, column: "charges of 2026-01-05", expected: "2", found: "1" },
      ],
    },
  ]);
});

test("a verification whose result cannot be written down returns it all the same", async () => {
  await database.script("alter table verification rename to away");
  const reply = await admin.ask("POST", "/admin/v1/ledger/verify", {});
  await database.script("alter table away rename to verification");

  expect([reply.statusCode, reply.json<{ ok: boolean }>().ok]).toEqual([200, true]);
  expect(admin.told).toContain("not recorded by admin");
});

test("an empty body is none, whatever its content type says", async () => {
  expect((await admin.ask("POST", "/admin/v1/ledger/verify", "")).statusCode).toBe(200);
  expect((await admin.ask("POST", "/admin/v1/keys", "")).statusCode).toBe(400);
});

test("two verifications do not run at once", async () => {
  const both = await Promise.all([0, 1].map(() => admin.ask("POST", "/admin/v1/ledger/verify", {})));

  expect(both.map(({ statusCode }) => statusCode).toSorted((one, other) => one - other)).toEqual([200, 409]);
});

test("what a key does not have, or nobody knows, is said with the right status", async () => {
  for (const path of ["nobody", "%00", "%27%3B--", "x".repeat(90), "nobody/funds", "nobody/journal", "nobody/usage"]) {
    expect((await get(path)).statusCode).toBe(404);
  }
  expect((await post("nobody/topups", { amount: "1", reference: "a" })).statusCode).toBe(404);
  expect((await admin.ask("POST", "/admin/v1/ledger/verify", { key: "nobody" })).statusCode).toBe(404);
  const { key } = await make({ mode: "credit" });
  expect((await get(`${key.id}/usage?days=367`)).statusCode).toBe(400);
  expect((await get(`${key.id}/journal?after=x`)).statusCode).toBe(400);
  expect((await get(`${key.id}/usage?days=2`)).json()).toMatchObject({
    days: [{ credits: "0" }, { credits: "0" }],
    groups: [],
  });
});
