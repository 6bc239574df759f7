import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase, OPERATOR_TOKEN } from "../../tests/support/admin-app.ts";
import { createControl } from "../app.ts";
import { credentialSources } from "../config/credential-sources.ts";
import { createSecret } from "../core/secret.ts";
import type { Database } from "../db/database.ts";
import { startSimulator } from "../simulator/simulator.ts";
import { localCatalogue } from "./local-catalogue.ts";
import { openCredentials } from "../credentials/open-credentials.ts";
import type { Catalogue } from "./operator-control.ts";
import { createProviderTools } from "./provider-tools.ts";
import { remoteCatalogue } from "./remote-catalogue.ts";

/** Two databases with the same history: one is spoken to directly, the other through the listener of a gateway. */
let databases: Database[] = [];
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let admin: AdminApp;
let local: Catalogue;
let remote: Catalogue;
beforeAll(async () => {
  const key = createSecret(randomBytes(32).toString("base64"));
  const providerTools = createProviderTools(
    openCredentials({ key, previousKey: null, directories: "" }, credentialSources({})),
  );
  const [near, far] = await Promise.all([emptyDatabase(), emptyDatabase()]);
  databases = [near, far];
  simulator = await startSimulator({});
  local = localCatalogue(createControl(near).catalogue, providerTools);
  admin = buildAdmin(far, { providerTools });
  await admin.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = admin.app.server.address() as AddressInfo;
  remote = remoteCatalogue({ adminUrl: `http://127.0.0.1:${port}`, adminToken: OPERATOR_TOKEN });
}, 120_000);
afterAll(async () => {
  await admin.app.close();
  await simulator.close();
  await Promise.all(databases.map((database) => database.close()));
});

const tariff = {
  inputNano: 2_500_000_001n,
  outputNano: 10_000_000_000n,
  cacheReadNano: 1n,
  cacheWrite5mNano: null,
  cacheWrite1hNano: null,
  toolCallNano: { web_search: 10_000_000n },
};
const route = { provider: "acme", upstreamModel: "sim-fast+tokens=3", dialect: "chat" } as const;
const model = {
  id: "acme/large",
  displayName: null,
  contextWindow: 1_000,
  maxOutputTokens: 100,
  tariff,
  route,
  publication: "published",
} as const;
const acme = () => ({ name: "acme", baseUrl: `${simulator.url}/v1`, credentialRef: "stored", secret: "sk-of-a-test" });
const moved = () => ({ ...acme(), baseUrl: "https://api.example.com/v1" });
const LATER_MS = Date.parse("2090-01-01T00:00:00.123Z");
const described = {
  id: "described",
  ownedBy: "somebody",
  provider: "spare",
  displayName: "Described",
  tagline: "x",
  contextWindow: null,
  maxOutputTokens: null,
  outputCeiling: 500,
  outputFloor: 7,
  tokenFactor: 1.25,
  capabilities: { tools: true, nested: { deep: [1, null] } },
  price: { ...tariff, effectiveFromMs: null },
  upcomingPrices: [{ ...tariff, inputNano: 3n, effectiveFromMs: LATER_MS }],
  routes: [
    {
      provider: "spare",
      upstreamModel: "u",
      dialect: "messages" as const,
      conformant: true,
      priority: 3,
      weight: 0,
      connectTimeoutMs: 1,
      firstByteTimeoutMs: 2,
      idleTimeoutMs: 3,
      concurrencyLimit: 4,
    },
  ],
};
const spare = { name: "spare", baseUrl: "https://api.example.org", credentialRef: "env:SPARE_KEY" };
const listed = { ...route, contextWindow: null, maxOutputTokens: 50, tariff };
const importOrder = {
  provider: "acme",
  publication: "unpublished" as const,
  models: [
    { ...listed, id: "acme/large" },
    { ...listed, id: "acme/new" },
    { ...listed, id: "described" },
  ],
};

const STEPS: [what: string, (catalogue: Catalogue) => Promise<unknown>][] = [
  ["an empty list of providers", (catalogue) => catalogue.listProviders()],
  ["an empty list of models", (catalogue) => catalogue.listModels(Date.now())],
  ["a new provider", (catalogue) => catalogue.addProvider(acme(), "keep")],
  ["another address of it", (catalogue) => catalogue.addProvider({ ...moved(), secret: null }, "keep")],
  ["another address of it, which its credential is not for", (catalogue) => replaceAddress(catalogue)],
  ["a credential again", (catalogue) => catalogue.addProvider(acme(), "replace")],
  ["a new model", (catalogue) => catalogue.addModel(model)],
  ["a model that contradicts", (catalogue) => catalogue.addModel({ ...model, contextWindow: 5 })],
  ["a model of nobody", (catalogue) => catalogue.addModel({ ...model, route: { ...route, provider: "nobody" } })],
  ["another route", (catalogue) => catalogue.addModel(anotherRoute())],
  ["a word on its reasoning", (catalogue) => catalogue.addModel({ ...anotherRoute(), reasoning: false })],
  ["a call", async (catalogue) => timeless(await catalogue.probeProvider("acme", route))],
  ["a call to nobody", (catalogue) => catalogue.probeProvider("nobody", route)],
  ["a description", (catalogue) => catalogue.apply({ providers: [spare], models: [described] })],
  ["the same again", (catalogue) => catalogue.apply({ providers: [spare], models: [described] })],
  ["a price now", (catalogue) => catalogue.changePrice(model.id, { parts: { outputNano: 1n }, fromMs: null })],
  ["a price later", (catalogue) => catalogue.changePrice(model.id, { parts: withoutParts(), fromMs: LATER_MS })],
  ["a price in the past", (catalogue) => catalogue.changePrice(model.id, { parts: { inputNano: 1n }, fromMs: 5 })],
  ["a price of nobody", (catalogue) => catalogue.changePrice("nobody", { parts: { inputNano: 1n }, fromMs: null })],
  ["a book of prices", (catalogue) => catalogue.prices(model.id)],
  ["no book of prices", (catalogue) => catalogue.prices("nobody")],
  ["what an import would do", (catalogue) => catalogue.importModels(importOrder, "preview")],
  ["what an import does", (catalogue) => catalogue.importModels(importOrder, "apply")],
  ["models that are hidden", (catalogue) => catalogue.publish(["acme/large", "acme/new"], "unpublished")],
  ["models that are offered", (catalogue) => catalogue.publish(["acme/large"], "published")],
  ["models of nobody", (catalogue) => catalogue.publish(["nobody"], "published")],
  ["every model", (catalogue) => catalogue.listModels(Date.now())],
  ["every provider", (catalogue) => catalogue.listProviders()],
  ["a new key for credentials", (catalogue) => catalogue.rekeyProviders()],
  ["a route less", (catalogue) => catalogue.removeRoute(model.id, "acme/spare", "keep")],
  ["the last route", (catalogue) => catalogue.removeRoute(model.id, "acme/sim", "keep")],
  ["the last route after all", (catalogue) => catalogue.removeRoute("described", "spare/u", "remove")],
  ["a provider that is needed", (catalogue) => catalogue.removeProvider("acme", "keep")],
  ["a provider less", (catalogue) => catalogue.removeProvider("acme", "withdraw")],
  ["a provider that is gone", (catalogue) => catalogue.removeProvider("acme", "withdraw")],
  ["every model at the end", (catalogue) => catalogue.listModels(Date.now())],
];

const replaceAddress = (catalogue: Catalogue) =>
  catalogue.addProvider({ ...moved(), credentialRef: "stored", secret: null }, "replace");
const anotherRoute = () => ({
  ...model,
  contextWindow: null,
  maxOutputTokens: null,
  tariff: null,
  route: { ...route, upstreamModel: "spare", conformant: true, priority: 2, weight: 3 },
});
const withoutParts = () => ({ cacheReadNano: null, toolCallNano: { web_search: null, code: 5n } });
const timeless = (result: object) => ({ ...result, firstByteMs: null, wholeMs: null });

test("a catalogue behind a gateway answers what its database answers, step by step and refusal by refusal", async () => {
  for (const [what, step] of STEPS) {
    const here = await outcomeOf(step(local));
    const there = await outcomeOf(step(remote));

    // Of a credential and of a route there is less to see from afar.
    expect({ what, outcome: here }).toMatchObject({ what, outcome: there });
  }
  expect(admin.told.filter((line) => line.startsWith("bug"))).toEqual([]);
}, 120_000);

/** What came of a step, without what differs between two databases: ids, and the moment it happened. */
async function outcomeOf(step: Promise<unknown>): Promise<unknown> {
  try {
    return alike(await step);
  } catch (error) {
    return { refused: (error as Error).message.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID") };
  }
}

const A_DAY_MS = 86_400_000;

function alike(value: unknown): unknown {
  if (typeof value === "string") return /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value) ? "ID" : value;
  if (typeof value === "number") return Math.abs(value - Date.now()) < A_DAY_MS ? "NOW" : value;
  if (Array.isArray(value)) return value.map(alike);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, alike(member)]));
}

test("more models than fit a page are all listed, each once", async () => {
  const [, far] = databases;
  await far?.script(`insert into model (id, owned_by, provider)
    select 'many-' || number, 'x', 'x' from generate_series(1, 1500) number`);

  const ids = (await remote.listModels(Date.now())).map(({ id }) => id).filter((id) => id.startsWith("many-"));

  expect(ids).toHaveLength(1_500);
  expect(new Set(ids).size).toBe(1_500);
});
