import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import { createSecret } from "../../core/secret/secret.ts";
import type { Database } from "../../db/database.ts";
import { startSimulator } from "../../simulator/simulator.ts";

const SECRET = "sk-a-secret-of-this-test-0123456789";
const acme = { name: "acme", base_url: "https://api.example.com/v1", credential: "env:ACME_KEY" };
const route = { provider: "acme", upstream_model: "large-1", format: "chat" };
const large = { id: "large", context_window: 1000, max_output_tokens: 100, price: { input: "1", output: "2" }, route };

let database: Database;
let admin: AdminApp;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.script(
    "alter table price disable trigger user; truncate price, route, model, provider cascade; alter table price enable trigger user",
  );
  admin = buildAdmin(database, { credentialKey: createSecret(randomBytes(32).toString("base64")) });
});
afterEach(() => admin.app.close());

type Refused = { error: { code: string; param: string | null; message: string } };
type Shown = { name: string; credential_key: string | null; routes: { model: string }[] };

const post = (path: string, body: unknown) => admin.ask("POST", `/admin/v1/${path}`, body);
const names = async (query = "") =>
  (await admin.ask("GET", `/admin/v1/providers${query}`))
    .json<{ data: Shown[]; next: string | null }>()
    .data.map(({ name }) => name);

test("a provider is added once, shown as it was added, and told to the log when something changed", async () => {
  const first = await post("providers", { ...acme, base_url: "https://API.example.com/v1///" });
  const again = await post("providers", acme);

  expect(first.statusCode).toBe(201);
  expect(first.json()).toEqual({
    result: "added",
    provider: {
      ...acme,
      credential_key: null,
      credential_problem: "env:ACME_KEY names a variable that is not set.",
      unknown_members: null,
      open_members: null,
      context_window: null,
      traceparent: null,
      platform: null,
      routes: [],
    },
  });
  expect([again.statusCode, again.json<{ result: string }>().result]).toEqual([200, "unchanged"]);
  expect((await admin.ask("GET", "/admin/v1/providers/acme")).json()).toEqual(
    first.json<{ provider: Shown }>().provider,
  );
  expect(admin.told).toEqual(["added provider acme"]);
});

test("another address of a provider that is there is a conflict unless it is to replace the first", async () => {
  await post("providers", acme);
  const moved = { ...acme, base_url: "https://api.example.org/v1" };

  const refused = await post("providers", moved);
  const replaced = await post("providers", { ...moved, replace: true });

  expect([refused.statusCode, refused.json<Refused>().error.code]).toEqual([409, "conflict"]);
  expect(refused.json<Refused>().error.message).toContain("Provider acme already exists");
  expect([replaced.statusCode, replaced.json<{ result: string }>().result]).toEqual([200, "changed"]);
});

test("a credential that is sent is sealed, and neither shown, nor logged, nor stored as it was", async () => {
  const reply = await post("providers", { ...acme, credential: "stored", secret: SECRET });
  const list = await admin.ask("GET", "/admin/v1/providers");
  const [row] = await database.query<{ row: string }>("select provider::text as row from provider");

  expect(reply.json<{ provider: Shown }>().provider).toMatchObject({
    credential: "stored",
    credential_key: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    credential_problem: null,
  });
  for (const text of [reply.body, list.body, row?.row ?? "", admin.told.join()]) expect(text).not.toContain(SECRET);
  expect(list.body).not.toContain("box");
});

test("a credential that cannot be sealed, for want of a key, is refused with the way out, and nothing is kept", async () => {
  const keyless = buildAdmin(database);
  const reply = await keyless.ask("POST", "/admin/v1/providers", { ...acme, credential: "stored", secret: SECRET });
  const rekey = await keyless.ask("POST", "/admin/v1/providers/rekey", {});
  await keyless.app.close();

  expect(reply.statusCode).toBe(409);
  expect(reply.json<Refused>().error.message).toContain("openssl rand -base64 32");
  expect(rekey.statusCode).toBe(409);
  expect(await names()).toEqual([]);
  expect(keyless.told).toEqual([]);
});

test("stored credentials are given the newest key, and told which have it already", async () => {
  await post("providers", { ...acme, credential: "stored", secret: SECRET });

  const reply = await post("providers/rekey", {});

  expect(reply.json()).toMatchObject({ resealed: [], current: ["acme"], unopened: [] });
});

test("a provider is tried where its credential can be had, and a wrong place is said and not a bug", async () => {
  const simulator = await startSimulator({});
  const here = { ...acme, base_url: `${simulator.url}/v1` };
  await post("providers", { ...here, credential: "stored", secret: SECRET });
  await post("providers", { ...here, name: "lost", credential: "env:NOT_SET_ANYWHERE" });
  const target = { upstream_model: "sim-fast+tokens=3", format: "chat" };

  const tried = await post("providers/acme/test", target);
  const lost = await post("providers/lost/test", target);
  await simulator.close();

  expect(tried.json()).toMatchObject({ ok: true, status: 200, usage: { output_tokens: 3 }, broken_rules: [] });
  expect([lost.statusCode, lost.json<Refused>().error.message]).toEqual([
    409,
    "env:NOT_SET_ANYWHERE names a variable that is not set.",
  ]);
  expect((await post("providers/nobody/test", target)).statusCode).toBe(404);
});

test("a provider that published models need stays, until its routes are to go with it", async () => {
  await post("providers", acme);
  await post("models", large);

  const refused = await admin.ask("DELETE", "/admin/v1/providers/acme");
  const removed = await admin.ask("DELETE", "/admin/v1/providers/acme?routes=withdraw");
  const gone = await admin.ask("DELETE", "/admin/v1/providers/acme");

  expect([refused.statusCode, refused.json<Refused>().error.message]).toEqual([
    409,
    expect.stringContaining("Published models have routes to acme: large."),
  ]);
  expect(removed.json()).toEqual({ name: "acme", withdrawn: ["large via acme/large-1 (chat)"], stranded: ["large"] });
  expect([gone.statusCode, gone.json<Refused>().error.code]).toEqual([404, "not_found"]);
  expect(admin.told.slice(-2)).toEqual(["removed provider acme", "removed route large via acme/large-1 (chat)"]);
});

test("providers are listed by name, page by page", async () => {
  for (const name of ["b", "c", "a"]) await post("providers", { ...acme, name });
  const page = async (query: string) =>
    (await admin.ask("GET", `/admin/v1/providers?${query}`)).json<{ data: Shown[]; next: string | null }>();

  expect(await names()).toEqual(["a", "b", "c"]);
  const first = await page("limit=2");
  expect(first).toMatchObject({ data: [{ name: "a" }, { name: "b" }], next: expect.any(String) as string });
  await admin.ask("DELETE", "/admin/v1/providers/b");
  expect(await page(`limit=2&after=${first.next}`)).toMatchObject({ data: [{ name: "c" }], next: null });
});

test.each<[param: string, order: unknown]>([
  ["body", undefined],
  ["body", []],
  ["name", { ...acme, name: "" }],
  ["name", { ...acme, name: "all" }],
  ["name", { ...acme, name: "a b" }],
  ["name", { ...acme, name: "x".repeat(65) }],
  ["base_url", { ...acme, base_url: "ftp://example.com" }],
  ["base_url", { ...acme, base_url: `https://user:${SECRET}@example.com` }],
  ["base_url", { ...acme, base_url: `https://example.com/?key=${SECRET}` }],
  ["base_url", { ...acme, base_url: `https://example.com/${"x".repeat(2000)}` }],
  ["credential", { ...acme, credential: SECRET }],
  ["credential", { ...acme, credential: `file:/${"x".repeat(1000)}` }],
  ["credential", { ...acme, secret: SECRET }],
  ["secret", { ...acme, credential: "stored", secret: "two words" }],
  ["secret", { ...acme, credential: "stored", secret: "" }],
  ["secret", { ...acme, credential: "stored", secret: "x".repeat(16_385) }],
  ["replace", { ...acme, replace: "yes" }],
  ["body", { ...acme, extra: 1 }],
])("a provider that is wrong in `%s` is refused, and a secret in it is not repeated: %j", async (param, order) => {
  const reply = await post("providers", order);

  expect({ status: reply.statusCode, param: reply.json<Refused>().error.param }).toEqual({ status: 400, param });
  expect(reply.body).not.toContain(SECRET);
  expect(await names()).toEqual([]);
});

test.each(["limit=0", "limit=1001", "after=nobody", "order=old"])("the page %s is refused", async (query) => {
  expect((await admin.ask("GET", `/admin/v1/providers?${query}`)).statusCode).toBe(400);
});

test("well-known providers are listed with their addresses and formats", async () => {
  const { data } = (await admin.ask("GET", "/admin/v1/provider-presets")).json<{ data: object[] }>();

  expect(data).toContainEqual({
    name: "anthropic",
    base_url: "https://api.anthropic.com/v1",
    credential: "env:ANTHROPIC_API_KEY",
    format: "messages",
    platform: null,
  });
});

test("a route in a format that only a later version speaks is left out, here as among the routes of its model", async () => {
  await post("providers", acme);
  await post("models", large);
  await database.query("update route set dialect = 'bedrock'");

  const list = await admin.ask("GET", "/admin/v1/providers");
  const one = await admin.ask("GET", "/admin/v1/providers/acme");

  expect([list.statusCode, list.json<{ data: Shown[] }>().data[0]?.routes]).toEqual([200, []]);
  expect([one.statusCode, one.json<Shown>().routes]).toEqual([200, []]);
  expect((await admin.ask("GET", "/admin/v1/models/large")).json()).toMatchObject({ routes: [] });
});
