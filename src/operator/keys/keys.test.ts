import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { KEY_ORDER } from "../../../tests/support/key-order.ts";
import { createOperator } from "../../app/create-operator.ts";
import { openProviderCredentials } from "../../app/catalogue/provider-credentials.ts";
import { newKey } from "../../contract/keys.ts";
import { systemClock } from "../../core/clock.ts";
import { everyPage } from "../../core/page.ts";
import type { Database } from "../../db/database.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";
import { validate, type WrittenAs } from "../../wire/validate.ts";
import { type NewKeyOrder, openingFunds } from "./keys.ts";
import type { Operator } from "../operator.ts";

type KeyRequest = WrittenAs<typeof newKey>;

let database: Database;
let operator: Operator;
let told: [event: string, what: object][];
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  told = [];
  const events = new Proxy({} as OperatorEvents, {
    get: (_events, name) => (what: object) => void told.push([String(name), what]),
  });
  const credentials = openProviderCredentials(
    { key: null, previousKey: null, directories: "", allowedReferences: "" },
    {},
  );
  operator = createOperator({ database, credentials, events, clock: systemClock, acceptForeign: "on" });
});

const anna = { actor: "anna", requestId: "req_1" };
const bert = { actor: "bert" };

test("every change of a key is told once, with who made it, and nothing is told where nothing changed", async () => {
  const { keys } = operator;
  const { key } = await keys.create(KEY_ORDER, anna);
  const named = { keyId: key.id, prefix: key.prefix };
  await keys.update(key.id, { label: "new", rpmLimit: 5 }, bert);
  await keys.changeStatus(key.prefix, "suspend", anna);
  await keys.changeStatus(key.prefix, "suspend", bert);
  const { secret } = await keys.rotate(key.id, { overlapMs: 1_000 }, bert);
  await expect(keys.changeStatus(key.id, "enable", bert)).rejects.toThrow("it is suspended");

  expect(told).toEqual([
    ["keyIssued", { ...named, mode: "credit", ...anna }],
    ["keyChanged", { ...named, changed: ["label", "rpm_limit"], ...bert }],
    ["keyStatusChanged", { ...named, status: "suspended", ...anna }],
    ["keyRotated", { ...named, prefix: secret.slice(0, 12), overlapMs: 1_000, ...bert }],
  ]);
});

test("a change of a key's models and provider is logged with who made it, and two at once do not mix", async () => {
  const { keys, catalogue } = operator;
  const model = (id: string) => ({
    id,
    provider: "acme",
    ownedBy: "acme",
    displayName: null,
    tagline: null,
    contextWindow: null,
    maxOutputTokens: 10,
    outputCeiling: null,
    outputFloor: 1,
    tokenFactor: 1,
    capabilities: {},
    price: null,
    upcomingPrices: [],
    acceptedAlarms: [],
    routes: [],
  });
  await catalogue.apply({ providers: [], models: ["a", "b", "c"].map(model) }, anna);
  const { key } = await keys.create({ ...KEY_ORDER, models: ["a"] }, anna);
  told = [];

  await keys.update(key.id, { addModels: ["b"], providerScope: "acme" }, bert);
  const raced = await Promise.allSettled(["b", "a"].map((id) => keys.update(key.id, { removeModels: [id] }, bert)));
  const { models } = (await keys.show(key.id)).key;

  expect(told[0]).toEqual([
    "keyChanged",
    { keyId: key.id, prefix: key.prefix, changed: ["provider_scope", "models"], ...bert },
  ]);
  expect(models).toHaveLength(1);
  expect(raced.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("the journal and the log say who booked what, call by call", async () => {
  const { keys, funds, books } = operator;
  const { key } = await keys.create({ ...KEY_ORDER, credit: 5_000_000_000n }, anna);
  const order = { amount: 500_000_000n, kind: "grant", reference: "gift" } as const;
  await funds.topUp(key.prefix, order, bert);
  await funds.topUp(key.prefix, order, anna);
  const { data } = await books.journal({ kind: "key", name: key.id }, { limit: 10, after: null });

  expect(data.map(({ reference, actor }) => [reference, actor])).toEqual([
    ["gift", "bert"],
    [`create:${key.id}`, "anna"],
  ]);
  const booked = { keyId: key.id, prefix: key.prefix };
  expect(told.filter(([event]) => event === "fundsBooked")).toEqual([
    ["fundsBooked", { ...booked, kind: "purchase", amount: "5", reference: `create:${key.id}`, ...anna }],
    ["fundsBooked", { ...booked, kind: "grant", amount: "0.5", reference: "gift", ...bert }],
  ]);
});

test("a budget is told with its tokens, and a booking that is refused is not told", async () => {
  const { keys, funds } = operator;
  const { key } = await keys.create({ ...KEY_ORDER, mode: "token_budget" }, anna);
  await funds.setBudget(key.id, { budget: 900n, period: "day", reference: "b" }, bert);
  const wrong = funds.topUp(key.id, { amount: 1n, kind: "grant", reference: "c" }, bert);

  await expect(wrong).rejects.toThrow("is a token-budget key");
  expect(told.slice(1)).toEqual([
    ["fundsBooked", { keyId: key.id, prefix: key.prefix, kind: "budget", amount: "900", reference: "b", ...bert }],
  ]);
});

test("a walk through all pages meets every key once, while others are made", async () => {
  const { keys } = operator;
  for (let count = 0; count < 25; count++) await keys.create(KEY_ORDER, anna);
  const before = (await everyPage(keys.list)).data.map(({ id }) => id);

  const walked: string[] = [];
  for (let after: string | null = null; ;) {
    const page = await keys.list({ limit: 4, after });
    walked.push(...page.data.map(({ id }) => id));
    if (page.next === null) break;
    after = page.next;
    await keys.create(KEY_ORDER, bert);
  }

  expect(before.length).toBeGreaterThanOrEqual(25);
  expect(walked).toEqual(before);
});

const ordered = (words: Partial<KeyRequest>): NewKeyOrder => validate(newKey, { mode: "credit", ...words });

test.each<[param: string, words: Partial<KeyRequest>]>([
  ["budget", { mode: "credit", budget: 5 }],
  ["period", { mode: "credit", period: "day" }],
  ["credit", { mode: "credit", credit: "-1" }],
  ["credit", { mode: "credit", credit: "1e3" }],
  ["credit", { mode: "credit", credit: "0.0000000001" }],
  ["credit", { mode: "credit", credit: "1000000000.1" }],
  ["credit", { mode: "token_budget", credit: "5" }],
  ["period", { mode: "token_budget", period: "day" }],
])("what a key cannot start with is refused in `%s`: %j", (param, words) => {
  expect(() => openingFunds(ordered(words))).toThrow(expect.objectContaining({ code: "invalid_request", param }));
});

test("credit is read exactly, and a budget begins anew every month unless said otherwise", () => {
  expect(openingFunds(ordered({ credit: "25.000000001" }))).toEqual({ kind: "credit", amount: 25_000_000_001n });
  expect(openingFunds(ordered({ credit: "0" }))).toBeNull();
  expect(openingFunds(ordered({ mode: "token_budget", budget: 9 }))).toEqual({
    kind: "budget",
    tokens: 9n,
    period: "month",
  });
});

test("of two who keep the same secret at once one gets the key, and the other is told that it is taken", async () => {
  const order: NewKeyOrder = { ...KEY_ORDER, existing: { digest: "5e".repeat(32) } };

  const ended = await Promise.allSettled([operator.keys.create(order, anna), operator.keys.create(order, bert)]);

  expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(ended.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { message: expect.stringContaining("A key has this secret already") as string },
  });
});
