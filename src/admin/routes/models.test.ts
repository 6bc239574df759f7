import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import type { Database } from "../../db/database.ts";

const acme = { name: "acme", base_url: "https://api.example.com/v1", credential: "none" };
const route = { provider: "acme", upstream_model: "large-1", format: "chat" };
const price = { input: "2.500000001", output: "10" };
const large = { id: "acme/large-1", context_window: 1000, max_output_tokens: 100, price, route };
const path = `models/${encodeURIComponent(large.id)}`;

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
  admin = buildAdmin(database);
  await post("providers", acme);
  admin.told.length = 0;
});
afterEach(() => admin.app.close());

type Refused = { error: { code: string; param: string | null; message: string } };
type Shown = { id: string; published: boolean; obstacles: string[]; routes: { id: string }[]; price: object };
type Page = { data: Shown[]; next: string | null };
type Changed = { changes: { kind: string; change: string; before: object | null; after: object | null }[] };

const post = (where: string, body: unknown) => admin.ask("POST", `/admin/v1/${where}`, body);
const get = (where: string) => admin.ask("GET", `/admin/v1/${where}`);
const models = async (query = "") => (await get(`models${query}`)).json<Page>();

test("a model is added with price and route, and shown with everything that is known of it but a credential", async () => {
  const reply = await post("models", { ...large, display_name: "Large" });
  const shown = (await get(path)).json<Shown>();

  expect(reply.statusCode).toBe(201);
  expect(reply.json<Changed>().changes.map(({ kind, change }) => `${change} ${kind}`)).toEqual([
    "added model",
    "added price",
    "added route",
  ]);
  expect(shown).toMatchObject({
    id: "acme/large-1",
    display_name: "Large",
    owned_by: "acme",
    published: true,
    obstacles: [],
    context_window: 1000,
    price: { version: 1, input: "2.500000001", output: "10", cache_read: null, tools: {} },
    upcoming_prices: [],
    routes: [{ provider: "acme", upstream_model: "large-1", weight: 1, connect_timeout_ms: 5000 }],
  });
  expect(JSON.stringify(shown)).not.toMatch(/credential|base_url/);
  expect(admin.told).toEqual([
    "added model acme/large-1",
    "added price acme/large-1",
    "added route acme/large-1 via acme/large-1 (chat)",
  ]);
});

test("another route to a model needs no more than the route, and the same again changes nothing", async () => {
  await post("models", large);
  const more = { id: large.id, route: { ...route, format: "messages", priority: 1 } };

  const added = await post("models", more);
  const again = await post("models", more);

  expect([added.statusCode, added.json<Changed>().changes.length]).toEqual([200, 1]);
  expect(again.json()).toEqual({ changes: [] });
  expect((await get(path)).json<Shown>().routes).toHaveLength(2);
});

test("whether a model reasons is said with it or later, shown among its capabilities, and changed by nothing else", async () => {
  const capabilities = async () => (await get(path)).json<{ capabilities: object }>().capabilities;
  await post("models", large);
  const only = { id: large.id, route };

  expect(await capabilities()).toEqual({});
  expect((await post("models", { ...only, reasoning: false })).json()).toMatchObject({
    changes: [{ kind: "model", change: "changed" }],
  });
  expect((await post("models", only)).json()).toEqual({ changes: [] });
  expect(await capabilities()).toEqual({ reasoning: false });
  expect((await post("models", { ...only, reasoning: "no" })).json<Refused>().error.param).toBe("reasoning");
});

test("what contradicts a model, or lacks what a new one needs, or names no provider, is a conflict in words", async () => {
  await post("models", large);

  const replies = [
    await post("models", { ...large, context_window: 5 }),
    await post("models", { id: "new", route }),
    await post("models", { ...large, id: "new", route: { ...route, provider: "nobody" } }),
  ];

  expect(replies.map(({ statusCode }) => statusCode)).toEqual([409, 409, 409]);
  expect(replies.map((reply) => reply.json<Refused>().error.message)).toEqual([
    expect.stringContaining("a different context window"),
    expect.stringContaining("needs a context window"),
    expect.stringContaining('There is no provider "nobody"'),
  ]);
});

test("a price is changed part by part, at once or from a date on, and every version is in the book", async () => {
  await post("models", { ...large, price: { ...price, tools: { web_search: "0.01" } } });
  const prices = `${path}/prices`;

  const now = await post(prices, { output: "12", tools: { web_search: null } });
  const later = await post(prices, { input: "3", effective_from: "2090-01-01T00:00:00+01:00" });
  const past = await post(prices, { input: "3", effective_from: "2020-01-01T00:00:00Z" });
  const book = (await get(prices)).json<{ data: object[] }>().data;

  expect(now.json()).toMatchObject({
    changes: [{ before: { output: "10", tools: { web_search: "0.01" } }, after: { output: "12", tools: {} } }],
  });
  expect(later.json()).toMatchObject({ changes: [{ version: 3, effective_from: "2089-12-31T23:00:00.000Z" }] });
  expect([past.statusCode, past.json<Refused>().error.message]).toEqual([
    409,
    expect.stringContaining("is in the past"),
  ]);
  expect(book).toMatchObject([
    { version: 1, effective_from: "1970-01-01T00:00:00.000Z", input: "2.500000001", withdrawn_at: null },
    { version: 2, output: "12", suspended_for: null },
    { version: 3, input: "3", output: "12" },
  ]);
  expect((await get(path)).json()).toMatchObject({ price: { version: 2 }, upcoming_prices: [{ version: 3 }] });
});

test("models are published and withdrawn together or not at all", async () => {
  await post("models", { ...large, published: false });
  await post("models", { ...large, id: "other" });
  admin.told.length = 0;

  const published = await post("models/publish", { models: [large.id, "other"] });
  const refused = await post("models/unpublish", { models: ["other", "nobody"] });

  expect(published.json()).toEqual({
    data: [
      { id: large.id, changed: true, warnings: [] },
      { id: "other", changed: false, warnings: [] },
    ],
  });
  expect([refused.statusCode, refused.json<Refused>().error.message]).toEqual([
    404,
    'There is no model "nobody" in the catalogue.',
  ]);
  expect((await models()).data.map((model) => model.published)).toEqual([true, true]);
  expect(admin.told).toEqual([`published model ${large.id}`]);
});

test("models are published by pattern, and a provider without a usable credential is a warning", async () => {
  await post("providers", { ...acme, name: "keyless", credential: "env:NOT_SET_ANYWHERE" });
  await post("models", { ...large, published: false });
  await post("models", { ...large, id: "acme/small", route: { ...route, provider: "keyless" }, published: false });
  await post("models", { ...large, id: "other", published: false });
  type Done = { data: { id: string; warnings: string[] }[] };

  const published = (await post("models/publish", { models: ["acme/*", "acme/smal?"] })).json<Done>().data;
  const nothing = await post("models/publish", { models: ["other", "groq/*"] });
  const states = (await models()).data.map((model) => `${model.id} ${model.published}`);
  const withdrawn = (await post("models/unpublish", { models: ["acme/*"] })).json<Done>().data;

  expect(published.map(({ id, warnings }) => [id, warnings.join()])).toEqual([
    ["acme/large-1", ""],
    ["acme/small", expect.stringMatching(/^no usable credential for provider keyless: .*NOT_SET_ANYWHERE/)],
  ]);
  expect([nothing.statusCode, nothing.json<Refused>().error.message]).toEqual([
    404,
    'No model matches "groq/*". Nothing was changed.',
  ]);
  expect(states).toEqual(["acme/large-1 true", "acme/small true", "other false"]);
  expect(withdrawn.map(({ id, warnings }) => [id, warnings])).toEqual([
    ["acme/large-1", []],
    ["acme/small", []],
  ]);
});

test("the last route of a published model stays unless it is said that it may go", async () => {
  await post("models", large);
  const [found] = (await get(path)).json<Shown>().routes;
  const remove = (name: string, query = "") =>
    admin.ask("DELETE", `/admin/v1/${path}/routes/${encodeURIComponent(name)}${query}`);

  expect((await remove("nobody/x")).statusCode).toBe(404);
  expect((await remove(found?.id ?? "")).statusCode).toBe(409);
  expect((await remove("acme/large-1", "?last=remove")).json()).toMatchObject({ id: found?.id, routes_left: 0 });
  expect((await models()).data[0]?.obstacles).toEqual(["no route"]);
});

test("models are listed page by page, and a page says what to go on after", async () => {
  for (const id of ["b", "c", "a"]) await post("models", { ...large, id });

  const first = await models("?limit=2");
  expect(first).toMatchObject({ data: [{ id: "a" }, { id: "b" }], next: expect.any(String) as string });
  expect(await models(`?limit=2&after=${first.next}`)).toMatchObject({ data: [{ id: "c" }], next: null });
});

test("versions of a price are listed page by page, oldest first", async () => {
  await post("models", large);
  for (const input of ["3", "4"]) await post(`${path}/prices`, { input });
  const page = async (query: string) =>
    (await get(`${path}/prices?${query}`)).json<{ data: { version: number }[]; next: string | null }>();

  const first = await page("limit=2");
  expect(first.data.map(({ version }) => version)).toEqual([1, 2]);
  const second = await page(`limit=2&after=${first.next}`);
  expect(second.data.map(({ version }) => version)).toEqual([3]);
  expect(second.next).toBeNull();
});

const longest = "m".repeat(200);

test("the longest id there may be is found by its path, and one that is not there is not found", async () => {
  await post("models", { ...large, id: longest });

  expect((await get(`models/${longest}`)).statusCode).toBe(200);
  expect((await get(`models/${"%25".repeat(200)}`)).statusCode).toBe(404);
  for (const where of ["models/nobody", "models/nobody/prices", "models/%00", "models/%00/prices", "providers/%00"]) {
    expect((await get(where)).statusCode).toBe(404);
  }
  expect((await post("models/nobody/prices", { input: "1" })).statusCode).toBe(404);
  expect((await admin.ask("DELETE", `/admin/v1/models/${longest}/routes/%00`)).statusCode).toBe(404);
});

test.each<[param: string, order: unknown]>([
  ["id", { ...large, id: "" }],
  ["id", { ...large, id: "a b" }],
  ["id", { ...large, id: `${longest}m` }],
  ["display_name", { ...large, display_name: "\0" }],
  ["display_name", { ...large, display_name: "\udc00" }],
  ["context_window", { ...large, context_window: 0 }],
  ["max_output_tokens", { ...large, max_output_tokens: 2 ** 31 }],
  ["price.input", { ...large, price: { ...price, input: 2.5 } }],
  ["price.input", { ...large, price: { ...price, input: "2,5" } }],
  ["price.input", { ...large, price: { ...price, input: "1e3" } }],
  ["price.input", { ...large, price: { ...price, input: "-1" } }],
  ["price.input", { ...large, price: { ...price, input: "1000000.1" } }],
  ["price.input", { ...large, price: { ...price, input: "0.0000000001" } }],
  ["price.output", { ...large, price: { input: "1" } }],
  ["price.tools.x", { ...large, price: { ...price, tools: { x: null } } }],
  ["price.tools", { ...large, price: { ...price, tools: Object.fromEntries(manyTools()) } }],
  ["route", { ...large, route: undefined }],
  ["route.format", { ...large, route: { ...route, format: "morse" } }],
  ["route.upstream_model", { ...large, route: { ...route, upstream_model: "x".repeat(501) } }],
  ["route.weight", { ...large, route: { ...route, weight: -1 } }],
  ["published", { ...large, published: 1 }],
  ["body", { ...large, nano: 1 }],
])("a model that is wrong in `%s` is refused: %j", async (param, order) => {
  const reply = await post("models", order);

  expect({ status: reply.statusCode, param: reply.json<Refused>().error.param }).toEqual({ status: 400, param });
  expect(await models()).toEqual({ data: [], next: null });
});

function manyTools(): [string, string][] {
  return Array.from({ length: 101 }, (_, index) => [`tool_${index}`, "1"]);
}

test.each<[param: string, change: unknown]>([
  ["body", {}],
  ["body", { effective_from: "2090-01-01T00:00:00Z" }],
  ["input", { input: null }],
  ["input", { input: 1 }],
  ["cache_read", { cache_read: "x" }],
  ["effective_from", { input: "1", effective_from: "tomorrow" }],
  ["effective_from", { input: "1", effective_from: "9999-12-31T23:59:59-00:01" }],
  ["tools.\ud800", { tools: { "\ud800": "1" } }],
  ["body", { version: 5 }],
])("a change of price that is wrong in `%s` is refused: %j", async (param, change) => {
  await post("models", large);
  const reply = await post(`${path}/prices`, change);

  expect({ status: reply.statusCode, param: reply.json<Refused>().error.param }).toEqual({ status: 400, param });
});

test.each<[where: string, body: unknown]>([
  ["models/publish", {}],
  ["models/publish", { models: [] }],
  ["models/unpublish", { models: "large" }],
  ["models/unpublish", { models: Array.from({ length: 5_001 }, () => "m") }],
])("%s of nothing, or of too much, is refused", async (where, body) => {
  expect((await post(where, body)).statusCode).toBe(400);
});
