import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ENGINES } from "../../tests/ledger/engines.ts";
import { until } from "../../tests/support/until.ts";
import type { Database } from "../db/database.ts";
import { createCatalogueStore } from "./catalogue-store.ts";
import type { CatalogueStore, DescribedModel, Provider } from "./model.ts";

/** Longer than a line of base64 as PostgreSQL writes it. */
const sealed = { keyId: "0123456789abcdef", box: Buffer.alloc(200, 7).toString("base64") };
const later = { keyId: "fedcba9876543210", box: Buffer.alloc(90, 9).toString("base64") };
const acme: Provider = { name: "acme", baseUrl: "https://api.example.com/v1", credentialRef: "stored" };
const spare: Provider = { name: "spare", baseUrl: "https://spare.example.com/v1", credentialRef: "env:SPARE_KEY" };
const route = {
  upstreamModel: "m-1",
  dialect: "chat",
  conformant: true,
  priority: 0,
  weight: 1,
  connectTimeoutMs: 1_000,
  firstByteTimeoutMs: 2_000,
  idleTimeoutMs: 3_000,
} as const;
const model: DescribedModel = {
  id: "m",
  ownedBy: "acme",
  provider: "acme",
  displayName: null,
  tagline: null,
  contextWindow: null,
  maxOutputTokens: 4_096,
  outputCeiling: null,
  outputFloor: 512,
  tokenFactor: 1,
  capabilities: {},
  price: null,
  upcomingPrices: [],
  routes: [
    { ...route, provider: "acme" },
    { ...route, provider: "spare" },
  ],
};

for (const { name, reason, open } of ENGINES) {
  describe.skipIf(reason !== null)(
    `stored credentials on ${name}${reason === null ? "" : `: skipped, ${reason}`}`,
    () => {
      let engine: Awaited<ReturnType<typeof open>>;
      let database: Database;
      let store: CatalogueStore;
      beforeAll(async () => {
        engine = await open();
        ({ database } = engine);
        store = createCatalogueStore(database);
      });
      beforeEach(async () => {
        await database.script("truncate provider, model, price, route");
        await store.addProvider({ ...acme, sealedCredential: sealed }, "keep");
      });
      afterAll(() => engine?.close());

      const storedOf = async (provider: string) =>
        (await store.listProviders()).find((found) => found.name === provider)?.sealedCredential;

      test("the routes of a provider bring its sealed credential along, bit for bit, and those of others none", async () => {
        await store.apply({ providers: [spare], models: [model] });

        const [loaded] = await store.load(Date.now());

        expect(loaded?.routes.map(({ provider, sealedCredential }) => ({ provider, sealedCredential }))).toEqual([
          { provider: "acme", sealedCredential: sealed },
          { provider: "spare", sealedCredential: null },
        ]);
      });

      test("a file that calls the credential stored keeps the one that is, and moves it to no other host", async () => {
        expect(await store.apply({ providers: [acme], models: [] })).toEqual([]);
        await store.apply({ providers: [{ ...acme, baseUrl: "https://api.example.com/v2" }], models: [] });
        expect(await storedOf("acme")).toEqual(sealed);

        const moved = { ...acme, baseUrl: "https://elsewhere.example.com/v1" };
        const refusal = "The stored credential of acme is valid only for https://api.example.com";
        await expect(store.apply({ providers: [moved], models: [] })).rejects.toThrow(refusal);
        await expect(store.addProvider(moved, "replace")).rejects.toThrow(refusal);
        await store.addProvider({ ...moved, sealedCredential: later }, "replace");
        expect(await storedOf("acme")).toEqual(later);
      });

      test("a file may call a credential stored before it has been", async () => {
        await store.apply({ providers: [{ ...acme, name: "early" }], models: [] });

        expect(await storedOf("early")).toBeNull();
      });

      test("another credential takes the place of a stored one only when that is meant", async () => {
        const again = { ...acme, sealedCredential: later };

        await expect(store.addProvider(again, "keep")).rejects.toThrow("To change it, use --replace");
        expect(await storedOf("acme")).toEqual(sealed);
        expect(await store.addProvider(again, "replace")).toEqual([
          { kind: "provider", name: "acme", change: "changed" },
        ]);
        expect(await storedOf("acme")).toEqual(later);
      });

      test("a credential that is found elsewhere from now on leaves nothing behind", async () => {
        await store.addProvider({ ...acme, credentialRef: "env:ACME_KEY" }, "replace");

        expect(await database.query("select credential_key_id, credential_box from provider")).toEqual([
          { credential_key_id: null, credential_box: null },
        ]);
      });

      test("all are sealed anew or none, and those that need not be stay as they are", async () => {
        await store.addProvider({ ...acme, name: "other", sealedCredential: later }, "keep");
        const fails = store.resealCredentials(({ provider }) => {
          if (provider === "other") throw new Error("no such key");
          return later;
        });
        await expect(fails).rejects.toThrow("no such key");
        expect(await storedOf("acme")).toEqual(sealed);

        const seen: string[] = [];
        await store.resealCredentials(({ provider, baseUrl, sealedCredential }) => {
          seen.push(`${provider} ${baseUrl} ${sealedCredential.keyId}`);
          return provider === "acme" ? later : null;
        });
        expect(seen).toEqual([`acme ${acme.baseUrl} ${sealed.keyId}`, `other ${acme.baseUrl} ${later.keyId}`]);
        expect(await storedOf("acme")).toEqual(later);
        expect(await storedOf("other")).toEqual(later);
      });

      test("a credential that changed is told like any change of the catalogue", async () => {
        let told = 0;
        const notified = (): void => void told++;
        const subscription = await database.listen(["tollgate_catalogue"], { notified, refresh: () => undefined });
        await store.addProvider({ ...acme, sealedCredential: later }, "replace");
        await until(() => told === 1, "the change is told");
        await store.resealCredentials(() => sealed);
        await until(() => told === 2, "the new key is told");
        await subscription.close();
      });

      test.each([
        "update provider set credential_box = null",
        "update provider set credential_key_id = null",
        "update provider set credential_ref = 'none'",
        "update provider set credential_key_id = 'sk-a-pasted-secret'",
        "update provider set credential_box = 'short'",
      ])("the database refuses half a credential: %s", async (sql) => {
        await expect(database.query(sql)).rejects.toMatchObject({ code: "23514" });
      });
    },
  );
}
