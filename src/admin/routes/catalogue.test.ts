import { byWord, OPTIONAL_PARTS } from "../../core/money/price.ts";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase } from "../../../tests/support/admin-app.ts";
import { readShippedList } from "../../config/shipped-list.ts";
import { systemClock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";

const acme = { name: "acme", base_url: "https://api.example.com/v1", credential: "none" };
const price = { input: "2.5", output: "10" };
const route = { provider: "acme", upstream_model: "large-1", format: "chat" };
const large = { id: "large", provider: "acme", max_output_tokens: 100, price, routes: [route] };
const described = { providers: [acme], models: [large] };
const listed = { id: "m", upstream_model: "m", format: "chat", context_window: null, max_output_tokens: 10, price };

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
});
afterEach(() => admin.app.close());

type Refused = { error: { code: string; param: string | null; message: string } };
type Changed = { changes: { kind: string; change: string }[] };
type Compared = { applied: boolean; data: { id: string; change: string; before: object | null; after: object }[] };

const post = (where: string, body: unknown) => admin.ask("POST", `/admin/v1/${where}`, body);
const ids = async () =>
  (await admin.ask("GET", "/admin/v1/models?limit=1000")).json<{ data: { id: string }[] }>().data.map(({ id }) => id);

test("a catalogue is made as described, and described again it is as it was", async () => {
  const upcoming = { ...price, input: "3", effective_from: "2090-01-01T00:00:00Z" };
  const whole = { ...described, models: [{ ...large, upcoming_prices: [upcoming], capabilities: { tools: true } }] };

  const first = await post("catalogue", whole);
  const second = await post("catalogue", whole);

  expect(first.json<Changed>().changes.map(({ kind, change }) => `${change} ${kind}`)).toEqual([
    "added provider",
    "added model",
    "added price",
    "changed price",
    "added route",
  ]);
  expect(second.json()).toEqual({ changes: [] });
  expect(admin.told).toHaveLength(5);
});

test("a route to a provider that nobody described is a conflict, and nothing of the description is kept", async () => {
  const reply = await post("catalogue", {
    providers: [acme],
    models: [{ ...large, routes: [{ ...route, provider: "nobody" }] }],
  });

  expect([reply.statusCode, reply.json<Refused>().error.message]).toEqual([
    409,
    'There is no provider "nobody". Add it first.',
  ]);
  expect((await admin.ask("GET", "/admin/v1/providers")).json()).toEqual({ data: [], next: null });
  expect(admin.told).toEqual([]);
});

test.each<[param: string, description: unknown]>([
  ["providers", { providers: [acme, acme] }],
  ["providers.0.base_url", { providers: [{ ...acme, base_url: "nowhere" }] }],
  ["providers.0.name", { providers: [{ ...acme, name: "all" }] }],
  ["models", { ...described, models: [large, large] }],
  ["models.0.routes", { ...described, models: [{ ...large, routes: [] }] }],
  ["models.0.routes", { ...described, models: [{ ...large, routes: [route, route] }] }],
  ["models.0.routes.0.format", { ...described, models: [{ ...large, routes: [{ ...route, format: "bedrock" }] }] }],
  ["models.0.price.input", { ...described, models: [{ ...large, price: { ...price, input: 2.5 } }] }],
  ["models.0.upcoming_prices.0.effective_from", { ...described, models: [{ ...large, upcoming_prices: [price] }] }],
  ["models.0.upcoming_prices", { ...described, models: [{ ...large, upcoming_prices: [dated(), dated()] }] }],
  ["models.0.price.effective_from", { ...described, models: [{ ...large, price: dated("0000-01-01T00:00:00Z") }] }],
  ["models.0.output_ceiling", { ...described, models: [{ ...large, output_ceiling: 5 }] }],
  ["models.0.capabilities", { ...described, models: [{ ...large, capabilities: { x: ["\0"] } }] }],
  ["models.0.capabilities", { ...described, models: [{ ...large, capabilities: { x: ["\ud800"] } }] }],
  ["models.0.capabilities", { ...described, models: [{ ...large, capabilities: { x: { "\ud800": 1 } } }] }],
  ["models.0.capabilities", { ...described, models: [{ ...large, capabilities: nested(11) }] }],
  ["body", { ...described, prices: [] }],
])("a description that is wrong in `%s` is refused", async (param, description) => {
  const reply = await post("catalogue", description);

  expect({ status: reply.statusCode, param: reply.json<Refused>().error.param }).toEqual({ status: 400, param });
  expect(await ids()).toEqual([]);
});

function dated(effective_from = "2090-01-01T00:00:00Z"): object {
  return { ...price, effective_from };
}

function nested(levels: number): object {
  return levels === 0 ? {} : { x: nested(levels - 1) };
}

test("two thousand models are shown, then taken over, and a second time nothing changes", async () => {
  await post("providers", acme);
  admin.told.length = 0;
  const order = {
    provider: "acme",
    models: Array.from({ length: 2_000 }, (_, index) => ({ ...listed, id: `vendor/model-${index}` })),
  };

  const preview = (await post("models/import", order)).json<Compared>();
  const none = await ids();
  const applied = (await post("models/import", { ...order, apply: true })).json<Compared>();
  const again = (await post("models/import", { ...order, apply: true })).json<Compared>();

  expect(preview.data).toHaveLength(2_000);
  expect(preview.data[0]).toEqual({
    id: "vendor/model-0",
    change: "new",
    before: null,
    after: {
      context_window: null,
      max_output_tokens: 10,
      reasoning: null,
      price: {
        ...price,
        ...byWord(OPTIONAL_PARTS, () => null),
        tools: {},
      },
    },
  });
  expect(none).toEqual([]);
  expect(applied).toEqual({ applied: true, data: preview.data });
  expect(new Set(again.data.map(({ change }) => change))).toEqual(new Set(["unchanged"]));
  expect(admin.told).toHaveLength(2_000);
  expect((await ids()).length).toBe(1_000);
});

test("an import says of what it changes how it was, and leaves the models of others alone", async () => {
  await post("catalogue", described);
  await post("providers", { ...acme, name: "other" });
  const order = { provider: "acme", models: [{ ...listed, id: "large", max_output_tokens: 200 }], published: true };

  const compared = (await post("models/import", { ...order, apply: true })).json<Compared>();
  const foreign = (await post("models/import", { ...order, provider: "other", apply: true })).json<Compared>();

  expect(compared.data).toMatchObject([
    { change: "changed", before: { max_output_tokens: 100 }, after: { max_output_tokens: 200 } },
  ]);
  expect(foreign.data).toMatchObject([{ change: "foreign" }]);
  expect((await post("models/import", { ...order, provider: "nobody" })).statusCode).toBe(409);
});

test.each<[param: string, order: unknown]>([
  ["models", { models: [listed, listed] }],
  ["models", { models: Array.from({ length: 5_001 }, (_, index) => ({ ...listed, id: `m${index}` })) }],
  ["models.0.price.output", { models: [{ ...listed, price: { input: "1", output: 1 } }] }],
  ["models.0.max_output_tokens", { models: [{ ...listed, max_output_tokens: null }] }],
  ["apply", { models: [listed], apply: "true" }],
])("an import that is wrong in `%s` is refused", async (param, order) => {
  await post("providers", acme);
  const reply = await post("models/import", { provider: "acme", ...(order as object) });

  expect({ status: reply.statusCode, param: reply.json<Refused>().error.param }).toEqual({ status: 400, param });
  expect(await ids()).toEqual([]);
});

type Listed = Compared & { skipped: { reason: string; models: number; ids: string[] }[]; refused: { id: string }[] };

/** As LiteLLM's file has them: numbers that a float would round. */
const PRICES = `{
  "acme/large": { "litellm_provider": "acme", "mode": "chat", "max_input_tokens": 128000, "max_output_tokens": 4096,
    "input_cost_per_token": 5.9e-07, "output_cost_per_token": 7.9e-07 },
  "acme/free": { "litellm_provider": "acme", "mode": "chat", "max_output_tokens": 10, "input_cost_per_token": 0, "output_cost_per_token": 0 },
  "acme/absurd": { "litellm_provider": "acme", "mode": "chat", "max_output_tokens": 10, "input_cost_per_token": 5, "output_cost_per_token": 5 },
  "other/one": { "litellm_provider": "other", "mode": "chat", "max_output_tokens": 10, "input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06 }
}`;

test("the text of a price list is compared exactly, then taken over; what is left out is named with its reason", async () => {
  await post("providers", acme);
  const order = { provider: "acme", list: PRICES, markup: "1.2", published: true };

  const preview = (await post("models/import/litellm", order)).json<Listed>();
  const none = await ids();
  const applied = (await post("models/import/litellm", { ...order, apply: true })).json<Listed>();

  expect(preview.data).toMatchObject([
    { id: "acme/large", change: "new", before: null, after: { price: { input: "0.708", output: "0.948" } } },
  ]);
  expect(preview.skipped).toEqual(
    expect.arrayContaining([
      { reason: "free", models: 1, ids: ["acme/free"] },
      { reason: "other_vendor", models: 1, ids: ["other/one"] },
    ]),
  );
  expect(preview.refused).toMatchObject([{ id: "acme/absurd" }]);
  expect(none).toEqual([]);
  expect(applied).toEqual({ ...preview, applied: true });
  expect(await ids()).toEqual(["acme/large"]);
});

test("of a list, only the chosen models are compared and applied", async () => {
  await post("providers", acme);
  const listed = (fields: string) =>
    `{ "litellm_provider": "acme", "mode": "chat", "max_output_tokens": 10, ${fields} }`;
  const costs = `"input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06`;
  const list = `{ "one": ${listed(costs)}, "two": ${listed(costs)}, "free": ${listed('"input_cost_per_token": 0')} }`;
  const order = { provider: "acme", list, apply: true };

  const applied = (await post("models/import/litellm", { ...order, ids: ["two"] })).json<Listed>();
  const none = (await post("models/import/litellm", { ...order, ids: [] })).json<Listed>();
  const missing = (await post("models/import/litellm", { ...order, ids: ["one", "free"] })).json<Refused>();

  expect(applied.data).toMatchObject([{ id: "two", change: "new" }]);
  expect(none.data).toEqual([]);
  expect(missing.error).toMatchObject({ code: "invalid_request", param: "ids" });
  expect(missing.error.message).toContain('no model "free"');
  expect(await ids()).toEqual(["two"]);
});

test("without a list, the one that ships with Tollgate is compared; an old one only if that is accepted", async () => {
  const { date } = readShippedList();
  await admin.app.close();
  admin = buildAdmin(database, { clock: { ...systemClock, nowMs: () => Date.parse(date) + 46 * 86_400_000 } });
  await post("providers", { ...acme, name: "groq" });
  const order = { provider: "groq", match: "groq/llama-3.3-70b-versatile" };

  const refused = await post("models/import/litellm", order);
  const { shipped_list: shipped, data } = (
    await post("models/import/litellm", { ...order, accept_old_list: true })
  ).json<Listed & { shipped_list: object }>();

  expect(refused.statusCode).toBe(409);
  expect(refused.json<Refused>().error.message).toMatch(/is of 20\d\d-\d\d-\d\d, 46 days ago.*\(accept_old_list\)/);
  expect(shipped).toEqual({ date, age_days: 46 });
  expect(data).toMatchObject([{ id: "groq/llama-3.3-70b-versatile", change: "new" }]);
});

test.each<[param: string, order: object, says: string]>([
  ["list", { list: '{ "a": {}, "a": {} }' }, "a is given twice; keep one."],
  ["list", { list: "<html>" }, "this is not valid JSON."],
  ["vendor", { vendor: "acne" }, "did you mean acme?"],
  ["markup", { markup: "0" }, "a decimal above zero"],
])("a price list that is wrong in `%s` is refused: %s", async (param, order, says) => {
  await post("providers", acme);
  const { error } = (await post("models/import/litellm", { provider: "acme", list: PRICES, ...order })).json<Refused>();

  expect({ param: error.param, code: error.code }).toEqual({ param, code: "invalid_request" });
  expect(error.message).toContain(says);
});

test("a body past its bound is refused before it is read to the end", async () => {
  const many = (bytes: number) => JSON.stringify({ providers: [], x: "x".repeat(bytes) });

  expect((await post("catalogue", many(8 * 1_048_576))).statusCode).toBe(400);
  expect((await post("models", many(1_048_576))).json<Refused>().error.message).toContain("too large");
});
