import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import type { Tariff } from "../core/money/price.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import { createCatalogueStore } from "./catalogue-store.ts";
import type { CatalogueStore, ImportOrder, ModelOrder } from "./model.ts";
import { routeAs } from "./new-model.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000, onError: () => undefined };
const USUAL = { unknownMembers: null, openMembers: null, windowCheck: null, traceparent: null, platform: null };
const acme = { name: "acme", baseUrl: "https://api.example.com/v1", credentialRef: "env:ACME_KEY", ...USUAL };
const spare = { name: "spare", baseUrl: "https://spare.example.com/v1", credentialRef: "none", ...USUAL };
const tariff: Tariff = {
  inputNano: 9_007_199_254_740_993n,
  outputNano: 15_000_000_000n,
  cacheReadNano: 3n,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: {},
};
const route = {
  provider: "acme",
  upstreamModel: "large-1",
  dialect: "chat",
  conformant: false,
  priority: 0,
  weight: 1,
} as const;
const order: ModelOrder = {
  id: "large",
  displayName: null,
  contextWindow: 128_000,
  maxOutputTokens: 8_192,
  tariff,
  route,
  publication: "published",
};
const onlyRoute = { contextWindow: null, maxOutputTokens: null, tariff: null };
const listed: ImportOrder["models"][number] = {
  id: "large",
  upstreamModel: "large-1",
  dialect: "chat",
  contextWindow: 128_000,
  maxOutputTokens: 8_192,
  reasoning: null,
  tariff,
};
const importOf = (...models: ImportOrder["models"][number][]): ImportOrder => ({
  provider: "acme",
  publication: "unpublished",
  models,
});
const LATER = Date.parse("2090-01-01");
const reason = whyUnavailable("15");

describe.skipIf(reason !== null)(`an operator at the catalogue${reason === null ? "" : `: skipped, ${reason}`}`, () => {
  let fresh: FreshDatabase;
  let database: Database;
  let store: CatalogueStore;
  beforeAll(async () => {
    fresh = await freshDatabase({ version: "15" });
    database = createPostgres({ url: fresh.url, ...limits });
    store = createCatalogueStore(database);
  });
  beforeEach(async () => {
    await database.script("truncate provider, model, price, route");
    await store.addProvider(acme, "keep");
    await store.addProvider(spare, "keep");
  });
  afterAll(async () => {
    await database?.close();
    await fresh?.close();
  });

  test("a provider is added once, and another address takes its place only when that is meant", async () => {
    const moved = { ...acme, baseUrl: "https://other.example.com" };

    expect(await store.addProvider(acme, "keep")).toEqual([]);
    await expect(store.addProvider(moved, "keep")).rejects.toThrow("https://api.example.com/v1");
    expect(await store.addProvider(moved, "replace")).toEqual([{ kind: "provider", name: "acme", change: "changed" }]);
    expect(await store.listProviders()).toEqual([
      { ...moved, sealedCredential: null, routes: [] },
      { ...spare, sealedCredential: null, routes: [] },
    ]);
  });

  test("another rule for the context window counts as a change of the provider [LIM-12]", async () => {
    const strict = { ...acme, windowCheck: "strict" as const };

    await expect(store.addProvider(strict, "keep")).rejects.toThrow("Provider acme already exists");
    expect(await store.addProvider(strict, "replace")).toEqual([{ kind: "provider", name: "acme", change: "changed" }]);
    expect(await store.addProvider(strict, "keep")).toEqual([]);
    expect(await store.findProvider("acme")).toMatchObject({ windowCheck: "strict" });
    expect(await store.addProvider(acme, "replace")).toHaveLength(1);
    expect(await store.findProvider("acme")).toMatchObject({ windowCheck: null });
  });

  test("whether a provider is sent the trace context counts as a change of it", async () => {
    const told = { ...acme, traceparent: "send" as const, platform: "bedrock" };

    await expect(store.addProvider(told, "keep")).rejects.toThrow("Provider acme already exists");
    expect(await store.addProvider(told, "replace")).toEqual([{ kind: "provider", name: "acme", change: "changed" }]);
    expect(await store.findProvider("acme")).toMatchObject({ traceparent: "send", platform: "bedrock" });
    expect(await store.addProvider(acme, "replace")).toHaveLength(1);
    expect(await store.findProvider("acme")).toMatchObject({ traceparent: null, platform: null });
  });

  test("an alarm that is accepted for a model is loaded with it, replaced, kept by a catalogue file, and withdrawn", async () => {
    const accepted = { kind: "overrun", reason: "known", actor: "ann", acceptedAtMs: 1, untilMs: null } as const;
    const longer = { ...accepted, reason: "known for longer", untilMs: LATER };
    const other = { ...accepted, kind: "usage_estimated" } as const;
    const loaded = async () => (await store.load(Date.now())).map(({ id, acceptedAlarms }) => ({ id, acceptedAlarms }));
    await store.addModel(order);
    await store.addModel({ ...order, id: "small" });
    for (const one of [accepted, other, longer]) await store.acceptAlarm("large", one);
    await store.addModel({ ...order, ...onlyRoute, reasoning: true });

    expect(await loaded()).toEqual([
      { id: "large", acceptedAlarms: [other, longer] },
      { id: "small", acceptedAlarms: [] },
    ]);
    expect(await store.withdrawAlarm("large", "overrun")).toEqual(longer);
    expect((await loaded())[0]?.acceptedAlarms).toEqual([other]);
    await expect(store.withdrawAlarm("large", "overrun")).rejects.toThrow("not accepted for model large");
    await expect(store.acceptAlarm("nobody", accepted)).rejects.toThrow('no model "nobody"');
  });

  test("a model is added with its price and its first route, and can be called at once", async () => {
    expect((await store.addModel(order)).map(({ kind, change }) => `${kind} ${change}`)).toEqual([
      "model added",
      "price added",
      "route added",
    ]);
    expect(await store.listModels(Date.now())).toMatchObject([
      { id: "large", published: true, obstacles: [], price: tariff, routes: [{ upstreamModel: "large-1" }] },
    ]);
    expect(await store.listProviders()).toMatchObject([
      { name: "acme", routes: [{ modelId: "large", published: true, dialect: "chat", conformant: false }] },
      { name: "spare", routes: [] },
    ]);
  });

  test("another route is added to a model without a word on its price, and never with a contradicting one", async () => {
    await store.addModel(order);
    const second = { ...order, route: { ...route, provider: "spare" } };

    await expect(store.addModel({ ...second, contextWindow: 1 })).rejects.toThrow("a different context window");
    await expect(store.addModel({ ...second, tariff: { ...tariff, outputNano: 1n } })).rejects.toThrow(
      "a different price",
    );
    expect(await store.addModel({ ...second, ...onlyRoute })).toMatchObject([{ kind: "route", change: "added" }]);
    expect(await store.addModel(second)).toEqual([]);
  });

  test("a price with lines is kept as it is said, and programs that know no lines do not sell it", async () => {
    const when = [
      { when: { inputAbove: 272_000 }, nano: {}, toolCallNano: {}, times: 2_000_000_000n, sold: true },
      { when: { inputFrom: 1_000_000 }, nano: {}, toolCallNano: {}, times: null, sold: false },
    ];
    await store.addModel({ ...order, tariff: { ...tariff, outputReasoningNano: 7n, when } });

    expect(await store.load(Date.now())).toMatchObject([{ price: { outputReasoningNano: 7n, when } }]);
    expect(await store.prices("large")).toMatchObject([{ suspendedFor: null, when }]);
    expect(await database.query("select suspended_for is null as sold from price")).toEqual([{ sold: false }]);

    await store.changePrice("large", { parts: { when: [], outputReasoningNano: null }, fromMs: null });
    const [plain] = await store.load(Date.now() + 1_000);
    expect(plain?.price).not.toHaveProperty("when");
    expect(await database.query("select suspended_for as why from price where version = 2")).toEqual([{ why: null }]);
  });

  test("a change that leaves a line without one of its prices is refused with the name of what is missing", async () => {
    const { inputNano, outputNano, cacheReadNano } = { ...tariff, cacheReadNano: 1n };
    const line = {
      when: { inputAbove: 9 },
      nano: { inputNano, outputNano, cacheReadNano },
      toolCallNano: {},
      times: null,
      sold: true,
    };
    await store.addModel({ ...order, tariff: { ...tariff, when: [line] } });

    const change = store.changePrice("large", { parts: { cacheWrite5mNano: 5n }, fromMs: null });

    await expect(change).rejects.toThrow("{ input_above: 9 } has no cache_write_5m");
    expect(await store.prices("large")).toHaveLength(1);
  });

  test("whether a model reasons is said when it is added, or later, and stays beside its other capabilities", async () => {
    const capabilitiesOf = async () => (await store.findModel("large", Date.now()))?.capabilities;
    await store.addModel({ ...order, reasoning: false });
    expect(await capabilitiesOf()).toEqual({ reasoning: false });

    await database.query(`update model set capabilities = '{"reasoning": false, "vision": true}'`);
    expect(await store.addModel({ ...order, ...onlyRoute })).toEqual([]);
    expect(await capabilitiesOf()).toEqual({ reasoning: false, vision: true });

    expect(await store.addModel({ ...order, ...onlyRoute, reasoning: true })).toEqual([
      { kind: "model", name: "large", change: "changed" },
    ]);
    expect(await capabilitiesOf()).toEqual({ reasoning: true, vision: true });
    expect(await store.addModel({ ...order, ...onlyRoute, reasoning: true })).toEqual([]);
    expect(await store.findModel("large", Date.now())).toMatchObject({ price: tariff, contextWindow: 128_000 });
  });

  test("of a route that is added again only what is named changes", async () => {
    await store.addModel({ ...order, route: { ...route, priority: 3 } });
    await database.query("update route set idle_timeout_ms = 7, concurrency_limit = 5");
    const { priority: _, ...unranked } = route;

    const changes = await store.addModel({ ...order, ...onlyRoute, route: { ...unranked, conformant: true } });

    expect(changes).toMatchObject([{ kind: "route", change: "changed" }]);
    expect(await store.listModels(Date.now())).toMatchObject([
      { routes: [{ conformant: true, priority: 3, weight: 1, idleTimeoutMs: 7, concurrencyLimit: 5 }] },
    ]);
  });

  test("what is not whole is refused, and nothing of it is written", async () => {
    await expect(store.addModel({ ...order, ...onlyRoute })).rejects.toThrow("needs a context window");
    await expect(store.addModel({ ...order, route: { ...route, provider: "nobody" } })).rejects.toThrow(
      'no provider "nobody"',
    );
    expect(await store.listModels(Date.now())).toEqual([]);
  });

  test("models are found one by one, and page by page in the order of the whole list", async () => {
    for (const id of ["b", "A", "a/1", "_"]) await store.addModel({ ...order, id });
    const whole = (await store.listModels(Date.now())).map(({ id }) => id);

    const paged: string[] = [];
    for (let after: string | null = null; ;) {
      const page: { id: string }[] = await store.listModels(Date.now(), { after, limit: 1 });
      const last = page.at(-1)?.id;
      if (last === undefined) break;
      paged.push(last);
      after = last;
    }
    expect(paged).toEqual(whole);
    expect(await store.findModel("a/1", Date.now())).toMatchObject({ id: "a/1", published: true, price: tariff });
    expect(await store.findModel("a", Date.now())).toBeNull();
    expect(await store.findProvider("acme")).toMatchObject({ baseUrl: acme.baseUrl, routes: { length: 4 } });
    expect(await store.findProvider("acm")).toBeNull();
  });

  test("publishing says what changed, and an unpublished model is seen by operators alone", async () => {
    await store.addModel(order);

    expect(await store.publish(["large"], "unpublished")).toEqual([{ id: "large", changed: true }]);
    expect(await store.publish(["large"], "unpublished")).toEqual([{ id: "large", changed: false }]);
    expect(await store.load(Date.now())).toEqual([]);
    expect(await store.listModels(Date.now())).toMatchObject([{ published: false, obstacles: ["not published"] }]);
    await expect(store.publish(["large", "nobody"], "published")).rejects.toThrow('no model "nobody"');
    expect(await store.load(Date.now())).toEqual([]);
  });

  test("of a price only what is named changes, and prices to come stay", async () => {
    await store.addModel(order);
    await store.changePrice("large", { parts: { inputNano: 5n }, fromMs: LATER });

    const changes = await store.changePrice("large", { parts: { outputNano: 7n, cacheReadNano: null }, fromMs: null });

    expect(changes).toMatchObject([{ change: "changed", version: 3, before: tariff, after: { outputNano: 7n } }]);
    const [now] = await store.listModels(Date.now() + 1_000);
    expect(now).toMatchObject({
      price: { version: 3, inputNano: tariff.inputNano, outputNano: 7n, cacheReadNano: null },
      upcomingPrices: [{ version: 2, inputNano: 5n, outputNano: tariff.outputNano, effectiveFromMs: LATER }],
    });
    expect(await store.changePrice("large", { parts: { outputNano: 7n }, fromMs: null })).toEqual([]);
  });

  test("a second price for one date takes the place of the first; a date that has passed is refused", async () => {
    await store.addModel(order);
    const at = (inputNano: bigint, fromMs: number) => store.changePrice("large", { parts: { inputNano }, fromMs });
    await at(5n, LATER);
    await at(6n, LATER);
    await at(7n, LATER + 1);

    const [model] = await store.listModels(Date.now());
    expect(model?.upcomingPrices.map(({ inputNano }) => inputNano)).toEqual([6n, 7n]);
    await expect(at(5n, 1_000)).rejects.toThrow("is in the past");
    await expect(store.changePrice("nobody", { parts: {}, fromMs: null })).rejects.toThrow('no model "nobody"');
  });

  test("a route is named by as much as tells it apart, and the last one of a published model stays", async () => {
    await store.addModel(order);
    await store.addModel({ ...order, ...onlyRoute, route: { ...route, upstreamModel: "large-2" } });

    await expect(store.removeRoute("large", "acme/large", "keep")).rejects.toThrow("several routes");
    await expect(store.removeRoute("large", "acme/other", "keep")).rejects.toThrow("acme/large-1 (chat)");
    await expect(store.removeRoute("large", "", "remove")).rejects.toThrow("several routes");
    expect(await store.removeRoute("large", "acme/large-1", "keep")).toMatchObject({
      name: "acme/large-1 (chat)",
      routesLeft: 1,
    });
    await expect(store.removeRoute("large", "acme", "keep")).rejects.toThrow("only route");
    expect(await store.removeRoute("large", "acme", "remove")).toMatchObject({ routesLeft: 0 });
    expect(await store.listModels(Date.now())).toMatchObject([{ obstacles: ["no route"] }]);
  });

  test("a provider that published models need stays, and by force it goes with its routes", async () => {
    await store.addModel(order);
    await store.addModel({ ...order, id: "hidden", publication: "unpublished" });

    await expect(store.removeProvider("acme", "keep")).rejects.toThrow(/routes to acme: large\./);
    expect(await store.removeProvider("acme", "withdraw")).toEqual({
      name: "acme",
      withdrawn: ["hidden via acme/large-1 (chat)", "large via acme/large-1 (chat)"],
      stranded: ["large"],
    });
    await expect(store.removeProvider("acme", "withdraw")).rejects.toThrow('no provider "acme"');
    expect(await store.removeProvider("spare", "keep")).toMatchObject({ withdrawn: [] });
  });

  test("models imported for an address of one format get that, whatever the list calls it", async () => {
    await store.addProvider({ ...acme, baseUrl: "https://mine.services.ai.azure.com/anthropic/v1" }, "replace");
    await store.importModels(importOf(listed), "apply");
    expect(await store.listModels(Date.now())).toMatchObject([{ routes: [{ dialect: "messages" }] }]);
  });

  test("a preview says what an import would do and does none of it; applied twice, it adds no version", async () => {
    const list = importOf(listed, { ...listed, id: "small", maxOutputTokens: 4_096 });

    expect((await store.importModels(list, "preview")).map(({ id, change }) => `${id} ${change}`)).toEqual([
      "large new",
      "small new",
    ]);
    expect(await store.listModels(Date.now())).toEqual([]);
    expect(await store.importModels(list, "apply")).toMatchObject([{ change: "new" }, { change: "new" }]);
    expect((await store.importModels(list, "apply")).map(({ change }) => change)).toEqual(["unchanged", "unchanged"]);
    expect(await database.query("select model_id, version from price order by 1")).toEqual([
      { model_id: "large", version: 1 },
      { model_id: "small", version: 1 },
    ]);
    expect(await store.listModels(Date.now())).toMatchObject([
      { id: "large", published: false, price: tariff, routes: [{ provider: "acme", conformant: false }] },
      { id: "small", maxOutputTokens: 4_096 },
    ]);
  });

  test("an import says that a model reasons, unless the operator has said something else", async () => {
    const reasoning = { ...listed, reasoning: true };
    const told = async () => (await store.listModels(Date.now())).map(({ capabilities }) => capabilities);
    await store.importModels(importOf(reasoning), "apply");
    expect(await told()).toEqual([{ reasoning: true }]);
    expect(await store.importModels(importOf(listed), "apply")).toMatchObject([{ change: "unchanged" }]);

    await database.query(`update model set capabilities = '{"tools": true}'`);
    expect(await store.importModels(importOf(reasoning), "apply")).toMatchObject([{ change: "changed" }]);
    expect(await told()).toEqual([{ reasoning: true, tools: true }]);

    await database.query(`update model set capabilities = '{"reasoning": false}'`);
    expect(await store.importModels(importOf(reasoning), "apply")).toMatchObject([{ change: "unchanged" }]);
    expect(await told()).toEqual([{ reasoning: false }]);
  });

  test("an import changes what the list says and leaves what it does not", async () => {
    await store.addModel({ ...order, displayName: "Large", tariff: { ...tariff, toolCallNano: { search: 5n } } });
    await store.changePrice("large", { parts: { inputNano: 5n }, fromMs: LATER });
    const dearer = { ...listed, contextWindow: 256_000, tariff: { ...tariff, inputNano: 8n, cacheReadNano: null } };

    const [row] = await store.importModels(importOf(dearer), "apply");

    expect(row).toMatchObject({
      change: "changed",
      before: { contextWindow: 128_000, tariff: { inputNano: tariff.inputNano } },
      after: { contextWindow: 256_000, tariff: { inputNano: 8n, cacheReadNano: 3n, toolCallNano: { search: 5n } } },
    });
    expect(await store.listModels(Date.now() + 1_000)).toMatchObject([
      {
        displayName: "Large",
        published: true,
        contextWindow: 256_000,
        price: { version: 3, inputNano: 8n, cacheReadNano: 3n, toolCallNano: { search: 5n } },
        upcomingPrices: [{ version: 2, inputNano: 5n }],
        routes: [{ upstreamModel: "large-1" }],
      },
    ]);
  });

  test("a model of another provider is left alone, and an unknown provider imports nothing", async () => {
    await store.addModel({ ...order, route: { ...route, provider: "spare" } });
    const dearer = { ...listed, tariff: { ...tariff, inputNano: 8n } };

    expect(await store.importModels(importOf(dearer), "apply")).toMatchObject([{ change: "foreign" }]);
    expect(await store.listModels(Date.now())).toMatchObject([{ provider: "spare", price: { version: 1 } }]);
    await expect(store.importModels({ ...importOf(dearer), provider: "nobody" }, "preview")).rejects.toThrow(
      "no provider",
    );
  });

  test("a model that lost a part of its price says so to the operator", async () => {
    await store.addModel(order);
    await database.query("update price set suspended_for = 'tools.search' where model_id = 'large'");

    expect(await store.listModels(Date.now())).toMatchObject([
      { obstacles: ["not on credit: tools.search was used and has no price"] },
    ]);
  });

  test("a model of embeddings needs an input price and no limits, and its routes are of one kind", async () => {
    const embeds: ModelOrder = {
      ...order,
      ...onlyRoute,
      id: "embed",
      tariff: { inputNano: 20_000_000n, outputNano: 0n, toolCallNano: {} },
      route: { ...route, upstreamModel: "embed-1", dialect: "embeddings" },
    };
    await expect(store.addModel({ ...embeds, tariff: null })).rejects.toThrow("It needs an input price.");
    await store.addModel(embeds);
    await expect(store.addModel({ ...embeds, tariff: null, route })).rejects.toThrow(
      "Model embed would make embeddings along some of its routes and generate text along others",
    );
    await store.addModel(order);
    await expect(
      store.addModel({ ...order, ...onlyRoute, route: { ...route, dialect: "embeddings" } }),
    ).rejects.toThrow("Model large would make embeddings along some");

    expect(await store.load(Date.now())).toMatchObject([
      { id: "embed", contextWindow: null, maxOutputTokens: null, routes: [{ dialect: "embeddings" }] },
      { id: "large", routes: [{ dialect: "chat" }] },
    ]);
    expect(await store.findModel("embed", Date.now())).toMatchObject({ obstacles: [] });
    await store.changePrice("embed", { parts: { inputNano: 30_000_000n }, fromMs: null });
    expect(await store.findModel("embed", Date.now())).toMatchObject({
      price: { inputNano: 30_000_000n, outputNano: 0n },
    });
  });

  test("an import adds models of embeddings without a limit of output", async () => {
    const embed = {
      ...listed,
      id: "embed",
      dialect: "embeddings",
      contextWindow: 8_191,
      maxOutputTokens: null,
    } as const;
    await store.importModels(importOf(embed), "apply");
    const again = await store.importModels(importOf(embed), "preview");

    expect(again).toMatchObject([{ id: "embed", change: "unchanged" }]);
    expect(await store.findModel("embed", Date.now())).toMatchObject({
      maxOutputTokens: null,
      routes: [{ dialect: "embeddings" }],
    });
  });

  test("an import leaves a model alone that is of another kind than the list says: its answers would be given away", async () => {
    await store.addModel(order);
    const free = { ...tariff, inputNano: 20_000_000n, outputNano: 0n };
    const embed = { ...listed, dialect: "embeddings", maxOutputTokens: null, tariff: free } as const;

    expect(await store.importModels(importOf(embed), "apply")).toMatchObject([{ id: "large", change: "foreign" }]);
    expect(await store.findModel("large", Date.now())).toMatchObject({ maxOutputTokens: 8_192, price: tariff });
    await store.removeRoute("large", "acme", "remove");
    await store.importModels(importOf(embed), "apply");
    expect(await store.findModel("large", Date.now())).toMatchObject({
      price: { inputNano: 20_000_000n, outputNano: tariff.outputNano },
    });
  });

  test("a model that made embeddings generates nothing until its output has a price", async () => {
    const embeds: ModelOrder = {
      ...order,
      tariff: { inputNano: 20_000_000n, outputNano: 0n, toolCallNano: {} },
      route: { ...route, dialect: "embeddings" },
    };
    await store.addModel(embeds);
    await store.removeRoute("large", "acme", "remove");
    const generates = { ...order, ...onlyRoute };
    const [present] = await store.listModels(Date.now());
    const described = { ...present!, price: null, upcomingPrices: [], routes: [{ ...routeAs(route, null) }] };

    await expect(store.addModel(generates)).rejects.toThrow("Model large has no price for its output");
    await expect(store.apply({ providers: [], models: [described] })).rejects.toThrow("has no price for its output");
    await store.changePrice("large", { parts: { outputNano: 5n }, fromMs: LATER });
    await expect(store.addModel(generates)).rejects.toThrow("Model large has no price for its output");
    await store.changePrice("large", { parts: { outputNano: 5n }, fromMs: null });
    expect(await store.addModel(generates)).toMatchObject([{ kind: "route", change: "added" }]);
  });
});
