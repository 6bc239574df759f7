import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freshDatabase, type FreshDatabase, whyUnavailable } from "../../tests/support/postgres.ts";
import { byPart, OPTIONAL_PARTS, TARIFF_PARTS } from "../core/money/price.ts";
import type { Database } from "../db/database.ts";
import { createPostgres } from "../db/postgres/postgres.ts";
import { createCatalogueStore } from "./catalogue-store.ts";
import type { CatalogueDescription, CatalogueStore } from "./model.ts";

const limits = { poolSize: 4, connectTimeoutMs: 5_000, statementTimeoutMs: 5_000, onError: () => undefined };

const route = {
  provider: "acme",
  upstreamModel: "acme-large",
  dialect: "chat",
  conformant: true,
  priority: 0,
  weight: 1,
  connectTimeoutMs: 1_000,
  firstByteTimeoutMs: 2_000,
  idleTimeoutMs: 3_000,
  concurrencyLimit: 64,
  region: "eu",
} as const;
const price = {
  ...byPart(OPTIONAL_PARTS, () => null),
  inputNano: 9_007_199_254_740_993n,
  outputNano: 15_000_000_000n,
  cacheReadNano: 0n,
  cacheWrite5mNano: null,
  cacheWrite1hNano: 7n,
  toolCallNano: { web_search: 9_007_199_254_740_993n },
};
const model = {
  id: "large",
  ownedBy: "acme",
  provider: "acme",
  displayName: "Large",
  tagline: null,
  contextWindow: 200_000,
  maxOutputTokens: null,
  outputCeiling: 8_192,
  outputFloor: 512,
  tokenFactor: 1.15,
  capabilities: { vision: true },
  price: { ...price, effectiveFromMs: null },
  upcomingPrices: [],
  routes: [route],
};
const provider = {
  name: "acme",
  baseUrl: "https://api.example.com/v1",
  credentialRef: "env:ACME_KEY",
  unknownMembers: "drop" as const,
  openMembers: ["top_k", "reasoning*"],
  windowCheck: "strict" as const,
  traceparent: "send" as const,
  platform: "azure:2024-10-21",
};
const description: CatalogueDescription = { providers: [provider], models: [model] };

for (const version of ["15", "newest"] as const) {
  const reason = whyUnavailable(version);
  describe.skipIf(reason !== null)(
    `the catalogue on PostgreSQL ${version}${reason === null ? "" : `: skipped, ${reason}`}`,
    () => {
      let fresh: FreshDatabase;
      let database: Database;
      let store: CatalogueStore;
      beforeAll(async () => {
        fresh = await freshDatabase({ version });
        database = createPostgres({ url: fresh.url, ...limits });
        store = createCatalogueStore(database);
      });
      beforeEach(() => database.script("truncate provider, model, price, route"));
      afterAll(async () => {
        await database?.close();
        await fresh?.close();
      });

      test("a route in a format that only a later version speaks is no route here", async () => {
        await store.apply({
          ...description,
          models: [{ ...model, routes: [route, { ...route, upstreamModel: "later" }] }],
        });
        await database.script("update route set dialect = 'bedrock' where upstream_model = 'later'");

        const [loaded] = await store.load(Date.now());
        expect(loaded?.routes.map(({ upstreamModel }) => upstreamModel)).toEqual(["acme-large"]);
      });

      test("what is described is loaded again, amounts to the last nano-credit", async () => {
        const changes = await store.apply(description);

        expect(changes).toEqual([
          { kind: "provider", name: "acme", change: "added" },
          { kind: "model", name: "large", change: "added" },
          {
            kind: "price",
            name: "large",
            change: "added",
            version: 1,
            effectiveFromMs: 0,
            before: null,
            after: { ...price, version: 1, effectiveFromMs: 0 },
          },
          { kind: "route", name: "large via acme/acme-large (chat)", change: "added" },
        ]);
        expect(await store.load(Date.now())).toEqual([
          {
            ...model,
            acceptedAlarms: [],
            createdAtMs: expect.any(Number),
            price: { ...price, version: 1, effectiveFromMs: 0 },
            routes: [
              {
                ...route,
                id: expect.any(String),
                baseUrl: provider.baseUrl,
                credentialRef: provider.credentialRef,
                unknownMembers: provider.unknownMembers,
                openMembers: provider.openMembers,
                windowCheck: provider.windowCheck,
                traceparent: provider.traceparent,
                platform: provider.platform,
                sealedCredential: null,
              },
            ],
          },
        ]);
      });

      test("every part of a price is kept, each in its own place", async () => {
        const parts = byPart(TARIFF_PARTS, (part) => BigInt(TARIFF_PARTS.indexOf(part)) + 9_007_199_254_740_993n);
        const priced = { ...parts, toolCallNano: {}, effectiveFromMs: null };
        await store.apply({ providers: [provider], models: [{ ...model, price: priced }] });

        expect((await store.load(Date.now()))[0]?.price).toMatchObject(parts);
      });

      test("a description that says what already is changes nothing", async () => {
        await store.apply(description);

        expect(await store.apply(description)).toEqual([]);
      });

      test("what changed is changed in place, and a changed price becomes the next version from now on", async () => {
        await store.apply(description);
        const beforeMs = Date.now();

        const changes = await store.apply({
          providers: [{ ...provider, baseUrl: "https://other.example.com" }],
          models: [
            {
              ...model,
              tagline: "new",
              tokenFactor: 1.2,
              price: { ...model.price, cacheReadNano: null },
              routes: [{ ...route, weight: 5 }],
            },
          ],
        });

        expect(changes.map(({ kind, change }) => `${kind} ${change}`)).toEqual([
          "provider changed",
          "model changed",
          "price changed",
          "route changed",
        ]);
        const [now] = await store.load(Date.now() + 1_000);
        const [then] = await store.load(beforeMs - 60_000);
        expect(now).toMatchObject({
          tagline: "new",
          tokenFactor: 1.2,
          price: { version: 2, cacheReadNano: null },
          routes: [{ weight: 5 }],
        });
        expect(then).toMatchObject({ price: { version: 1, cacheReadNano: 0n } });
      });

      test("what is not described stays", async () => {
        await store.apply(description);

        await store.apply({ providers: [], models: [{ ...model, id: "small", price: null, routes: [] }] });

        expect(await store.load(Date.now())).toMatchObject([
          { id: "large", price: { version: 1 }, routes: [{ provider: "acme" }] },
          { id: "small", price: null, routes: [] },
        ]);
      });

      test("of several prices the one in force is the latest begun, and of those begun together the newest", async () => {
        await store.apply(description);
        await database.query(`
        insert into price (model_id, version, effective_from, input_nano, output_nano) values
          ('large', 2, '2030-01-01Z', 2, 2), ('large', 3, '2030-01-01Z', 3, 3), ('large', 4, '2029-01-01Z', 4, 4)`);
        const versionAt = async (date: string) => (await store.load(Date.parse(date)))[0]?.price?.version;

        expect(await versionAt("2028-12-31")).toBe(1);
        expect(await versionAt("2029-06-01")).toBe(4);
        expect(await versionAt("2030-01-01")).toBe(3);
      });

      test("a model that is not published is not loaded, and applying does not publish it", async () => {
        await store.apply(description);
        await database.query("update model set published = false");

        await store.apply({ ...description, models: [{ ...model, tagline: "still hidden" }] });

        expect(await store.load(Date.now())).toEqual([]);
      });

      test("routes come in order of priority, then heaviest first", async () => {
        const routes = [
          { ...route, upstreamModel: "spare", priority: 2, weight: 9 },
          { ...route, upstreamModel: "light", priority: 1, weight: 1 },
          { ...route, upstreamModel: "heavy", priority: 1, weight: 3 },
        ];
        await store.apply({ providers: [provider], models: [{ ...model, routes }] });

        const [loaded] = await store.load(Date.now());

        expect(loaded?.routes.map(({ upstreamModel }) => upstreamModel)).toEqual(["heavy", "light", "spare"]);
      });

      test("a description with one impossible part is refused whole", async () => {
        const impossible: CatalogueDescription[] = [
          { providers: [{ ...provider, credentialRef: "sk-a-pasted-secret" }], models: [] },
          { providers: [provider], models: [{ ...model, maxOutputTokens: 8_192 }] },
          { providers: [provider], models: [{ ...model, outputFloor: 0 }] },
          { providers: [provider], models: [{ ...model, tokenFactor: 0 }] },
          { providers: [provider], models: [{ ...model, price: { ...model.price, inputNano: -1n } }] },
          { providers: [provider], models: [{ ...model, routes: [{ ...route, weight: -1 }] }] },
        ];
        for (const wrong of impossible) {
          await expect(store.apply(wrong)).rejects.toMatchObject({ code: expect.stringMatching(/^23/) });
        }
        const nowhere = { ...model, routes: [{ ...route, provider: "unknown" }] };
        await expect(store.apply({ providers: [provider], models: [nowhere] })).rejects.toThrow(
          'There is no provider "unknown"',
        );

        expect(await database.query("select name from provider")).toEqual([]);
      });

      test("a price to come is loaded beside the one in force, and withdrawn when it is described no more", async () => {
        const soonMs = Date.parse("2090-01-01");
        const upcomingPrices = [{ ...price, inputNano: 5n, effectiveFromMs: soonMs }];
        const scheduled = { ...description, models: [{ ...model, upcomingPrices }] };
        await store.apply(scheduled);

        expect(await store.apply(scheduled)).toEqual([]);
        expect(await store.load(Date.now())).toMatchObject([
          { price: { version: 1 }, upcomingPrices: [{ version: 2, inputNano: 5n, effectiveFromMs: soonMs }] },
        ]);
        expect(await store.load(soonMs)).toMatchObject([{ price: { version: 2 }, upcomingPrices: [] }]);

        expect(await store.apply(description)).toMatchObject([{ kind: "price", change: "withdrawn", version: 2 }]);
        expect(await store.load(soonMs)).toMatchObject([{ price: { version: 1 }, upcomingPrices: [] }]);
        expect(await store.prices("large")).toMatchObject([
          { version: 1, withdrawnAtMs: null, toolCallNano: price.toolCallNano },
          { version: 2, withdrawnAtMs: expect.any(Number) as number },
        ]);
      });

      test("a price that an earlier version took off sale stays off until another one is in force", async () => {
        await store.apply(description);
        await database.query("update price set suspended_for = 'tools.code_execution' where model_id = 'large'");

        expect(await store.load(Date.now())).toMatchObject([{ id: "large", price: null }]);
        expect(await store.prices("large")).toMatchObject([{ version: 1, suspendedFor: "tools.code_execution" }]);
        expect(await store.apply(description)).toEqual([]);

        const toolCallNano = { ...price.toolCallNano, code_execution: 0n };
        await store.apply({ providers: [], models: [{ ...model, price: { ...model.price, toolCallNano } }] });
        expect(await store.load(Date.now() + 1_000)).toMatchObject([{ price: { version: 2 } }]);
      });

      test("a model that was never priced has an empty book, and an unknown one has none", async () => {
        await store.apply({ providers: [provider], models: [{ ...model, price: null }] });

        expect(await store.prices("large")).toEqual([]);
        expect(await store.prices("unknown")).toBeNull();
      });

      test.each([
        "update price set input_nano = 1",
        "update price set effective_from = '2090-01-01', withdrawn_at = now()",
        "update price set withdrawn_at = now()",
        "update price set suspended_for = 'a', version = 2",
        "delete from price",
        `insert into price values ('large', 9, now(), 1, 1, 1, 1, 1, '{"search": 5}')`,
        `insert into price values ('large', 9, now(), 1, 1, 1, 1, 1, '{"search": "-5"}')`,
        `insert into price values ('large', 9, now(), 1, 1, 1, 1, 1, '["5"]')`,
      ])("the price book refuses: %s", async (sql) => {
        await store.apply(description);

        await expect(database.query(sql)).rejects.toMatchObject({ code: "23514" });
      });

      test("eight processes that apply the same description at once make one price", async () => {
        await Promise.all(Array.from({ length: 8 }, () => store.apply(description)));

        expect(await database.query("select version from price")).toEqual([{ version: 1 }]);
      });

      test("every change is announced once it is committed", async () => {
        const { promise: heard, resolve } = Promise.withResolvers<string>();
        const subscription = await database.listen(["tollgate_catalogue"], {
          notified: (channel) => resolve(channel),
          refresh: () => undefined,
        });

        await store.apply(description);

        expect(await heard).toBe("tollgate_catalogue");
        await subscription.close();
      });
    },
  );
}
