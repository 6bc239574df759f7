import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminApp, buildAdmin, emptyDatabase, OPERATOR_TOKEN } from "../../tests/support/admin-app.ts";
import { createOperator } from "../app/create-operator.ts";
import { openProviderCredentials } from "../app/catalogue/provider-credentials.ts";
import type { By } from "../core/people/by.ts";
import { systemClock } from "../core/clock.ts";
import { everyPage } from "../core/page.ts";
import { createSecret } from "../core/secret/secret.ts";
import type { Database } from "../db/database.ts";
import type { Operator } from "../operator/operator.ts";
import { startSimulator } from "../simulator/simulator.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import { remoteOperator } from "./remote-operator.ts";

const NO_MEDIA = {
  inputAudioNano: null,
  inputImageNano: null,
  inputVideoNano: null,
  cacheReadAudioNano: null,
  outputAudioNano: null,
  outputImageNano: null,
};

/** Two databases with the same history: one is spoken to directly, the other through the listener of a gateway. */
let databases: Database[] = [];
let simulator: Awaited<ReturnType<typeof startSimulator>>;
let admin: AdminApp;
let local: Operator;
let remote: Operator;
/** What was told of the changes here, with who made them. */
const told: string[] = [];
const by: By = { actor: "cli" };
beforeAll(async () => {
  const credentialKey = createSecret(randomBytes(32).toString("base64"));
  const [near, far] = await Promise.all([emptyDatabase(), emptyDatabase()]);
  databases = [near, far];
  simulator = await startSimulator({});
  const events = {
    catalogueChanged: ({ actor, changes }) =>
      told.push(...changes.map(({ kind, name, change }) => `${actor}: ${change} ${kind} ${name}`)),
  } as Pick<OperatorEvents, "catalogueChanged"> as OperatorEvents;
  const credentials = openProviderCredentials(
    { key: credentialKey, previousKey: null, directories: "", allowedReferences: "" },
    {},
  );
  local = createOperator({ database: near, credentials, events, clock: systemClock, acceptForeign: "off" });
  admin = buildAdmin(far, { credentialKey });
  await admin.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = admin.app.server.address() as AddressInfo;
  remote = remoteOperator({ adminUrl: `http://127.0.0.1:${port}`, adminToken: OPERATOR_TOKEN });
});
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
  ...NO_MEDIA,
  outputReasoningNano: null,
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
const acme = () => ({
  name: "acme",
  baseUrl: `${simulator.url}/v1`,
  credentialRef: "stored",
  secret: "sk-of-a-test",
  unknownMembers: null,
  openMembers: ["top_k"],
  windowCheck: "strict" as const,
  traceparent: "send" as const,
  platform: "azure:2024-10-21",
  present: "keep" as const,
});
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
const listed = { ...route, contextWindow: null, maxOutputTokens: 50, reasoning: true, tariff };
const importOrder = {
  provider: "acme",
  publication: "unpublished" as const,
  models: [
    { ...listed, id: "acme/large" },
    { ...listed, id: "acme/new" },
    { ...listed, id: "described" },
  ],
};

type Step = (operator: Pick<Operator, "providers" | "catalogue">) => Promise<unknown>;

const STEPS: [what: string, Step][] = [
  ["an empty list of providers", ({ providers }) => everyPage(providers.list)],
  ["an empty list of models", ({ catalogue }) => everyPage(catalogue.listModels)],
  ["a new provider", ({ providers }) => providers.add(acme(), by)],
  ["a provider", ({ providers }) => providers.show("acme")],
  ["another address of it", ({ providers }) => providers.add({ ...moved(), secret: null }, by)],
  ["another address of it, which its credential is not for", replaceAddress],
  ["a credential again", ({ providers }) => providers.add({ ...acme(), present: "replace" }, by)],
  ["a new model", ({ catalogue }) => catalogue.addModel(model, by)],
  ["a model that contradicts", ({ catalogue }) => catalogue.addModel({ ...model, contextWindow: 5 }, by)],
  ["a model of nobody", ({ catalogue }) => catalogue.addModel({ ...model, route: { ...route, provider: "no" } }, by)],
  ["another route", ({ catalogue }) => catalogue.addModel(anotherRoute(), by)],
  ["a word on its reasoning", ({ catalogue }) => catalogue.addModel({ ...anotherRoute(), reasoning: false }, by)],
  ["a call", async ({ providers }) => timeless(await providers.probe("acme", route))],
  ["a call to nobody", ({ providers }) => providers.probe("nobody", route)],
  ["a description", ({ catalogue }) => catalogue.apply({ providers: [spare], models: [described] }, by)],
  ["the same again", ({ catalogue }) => catalogue.apply({ providers: [spare], models: [described] }, by)],
  ["a price now", ({ catalogue }) => catalogue.changePrice(model.id, { parts: { outputNano: 1n }, fromMs: null }, by)],
  [
    "a price later",
    ({ catalogue }) => catalogue.changePrice(model.id, { parts: withoutParts(), fromMs: LATER_MS }, by),
  ],
  ["a price in the past", ({ catalogue }) => catalogue.changePrice(model.id, { parts: dearer, fromMs: 5 }, by)],
  ["a price of nobody", ({ catalogue }) => catalogue.changePrice("nobody", { parts: dearer, fromMs: null }, by)],
  ["a book of prices", ({ catalogue }) => catalogue.listPrices(model.id, { limit: 100, after: null })],
  ["its first page", ({ catalogue }) => catalogue.listPrices(model.id, { limit: 1, after: null })],
  ["no book of prices", ({ catalogue }) => catalogue.listPrices("nobody", { limit: 100, after: null })],
  ["what an import would do", ({ catalogue }) => catalogue.importModels({ ...importOrder, mode: "preview" }, by)],
  ["what an import does", ({ catalogue }) => catalogue.importModels({ ...importOrder, mode: "apply" }, by)],
  ["models that are hidden", ({ catalogue }) => catalogue.publish("unpublish", ["acme/large", "acme/new"], by)],
  ["models that are offered", ({ catalogue }) => catalogue.publish("publish", ["acme/large"], by)],
  ["models of nobody", ({ catalogue }) => catalogue.publish("publish", ["nobody"], by)],
  ["an alarm that is accepted", ({ catalogue }) => catalogue.acceptAlarm(model.id, estimated(LATER_MS), by)],
  ["another reason for it", ({ catalogue }) => catalogue.acceptAlarm(model.id, estimated(null), by)],
  ["an alarm accepted in the past", ({ catalogue }) => catalogue.acceptAlarm(model.id, estimated(5), by)],
  ["an alarm of nobody", ({ catalogue }) => catalogue.acceptAlarm("nobody", estimated(null), by)],
  ["every model", ({ catalogue }) => everyPage(catalogue.listModels)],
  ["a page of models", ({ catalogue }) => catalogue.listModels({ limit: 1, after: null })],
  ["one model", ({ catalogue }) => catalogue.showModel(model.id)],
  ["no model", ({ catalogue }) => catalogue.showModel("nobody")],
  ["an alarm less", ({ catalogue }) => catalogue.withdrawAlarm(model.id, "usage_estimated", by)],
  ["an alarm that is not accepted", ({ catalogue }) => catalogue.withdrawAlarm(model.id, "overrun", by)],
  ["every provider", ({ providers }) => everyPage(providers.list)],
  ["a page of providers", ({ providers }) => providers.list({ limit: 1, after: null })],
  ["a page of no list", ({ providers }) => providers.list({ limit: 1, after: "nothing" })],
  ["a new key for credentials", ({ providers }) => providers.rekey(by)],
  ["a route less", ({ catalogue }) => catalogue.removeRoute(model.id, "acme/spare", "keep", by)],
  ["the last route", ({ catalogue }) => catalogue.removeRoute(model.id, "acme/sim", "keep", by)],
  ["the last after all", ({ catalogue }) => catalogue.removeRoute("described", "spare/u", "remove", by)],
  ["a provider that is needed", ({ providers }) => providers.remove("acme", "keep", by)],
  ["a provider less", ({ providers }) => providers.remove("acme", "withdraw", by)],
  ["a provider that is gone", ({ providers }) => providers.remove("acme", "withdraw", by)],
  ["every model at the end", ({ catalogue }) => everyPage(catalogue.listModels)],
];

function replaceAddress({ providers }: Pick<Operator, "providers">) {
  return providers.add({ ...moved(), secret: null, present: "replace" }, by);
}
const dearer = { inputNano: 1n };
const estimated = (untilMs: number | null) => ({ kind: "usage_estimated" as const, reason: "it sends none", untilMs });
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

    // Of a price there is less to see from afar.
    expect({ what, outcome: here }).toMatchObject({ what, outcome: there });
  }
  expect(admin.told.filter((line) => line.startsWith("bug"))).toEqual([]);
});

test("every change is told to the log with who made it, also when no gateway is between", () => {
  expect(told).toEqual(admin.told.map((line) => `cli: ${line}`));
  expect(told).toContain("cli: added provider acme");
  expect(told).toContain("cli: removed route acme/large via acme/sim-fast+tokens=3 (chat)");
  expect(new Set(told.map((line) => line.split(" ")[1]))).toEqual(
    new Set(["added", "changed", "published", "unpublished", "removed", "accepted", "withdrawn"]),
  );
});

/** What came of a step, without what differs between two databases: ids, the moment it happened, and who asked. */
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
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === "actor" ? "SOMEBODY" : alike(member)]),
  );
}

test("more models than fit a page are all listed, each once", async () => {
  const [, far] = databases;
  await far?.script(`insert into model (id, owned_by, provider)
    select 'many-' || number, 'x', 'x' from generate_series(1, 1500) number`);

  const { data } = await everyPage(remote.catalogue.listModels);
  const ids = data.map(({ id }) => id).filter((id) => id.startsWith("many-"));

  expect(ids).toHaveLength(1_500);
  expect(new Set(ids).size).toBe(1_500);
});
