import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { emptyDatabase } from "../../../tests/support/admin-app.ts";
import { until } from "../../../tests/support/until.ts";
import { createCatalogueStore } from "../../catalogue/catalogue-store.ts";
import { createPriceCheckStore } from "../../catalogue/price-check-store.ts";
import { systemClock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { type PriceCheckPaces, startPriceCheck } from "./start-price-check.ts";

const modelOf = (input: number) => ({
  litellm_provider: "acme",
  mode: "chat",
  input_cost_per_token: input,
  output_cost_per_token: 2e-6,
  max_input_tokens: 1_000,
  max_output_tokens: 1_000,
});
const listOf = (input: number): string => JSON.stringify({ large: modelOf(input), small: modelOf(1e-6) });
/** No answer of a busy machine takes as long; what hangs is waited for less. */
const BOUNDS = { timeoutMs: 20_000, mostBytes: 10_000 };
/** Checks come one after another; or never again, once one is made. */
const QUICK: PriceCheckPaces = { lookMs: 20, hourMs: 40, leastMs: 0, bounds: BOUNDS };
const HASTY: PriceCheckPaces = { ...QUICK, bounds: { ...BOUNDS, timeoutMs: 300 } };
const ONCE: PriceCheckPaces = { lookMs: 20, hourMs: 3_600_000, leastMs: 300_000, bounds: BOUNDS };

let server: Server;
let url: string;
let say: (response: ServerResponse) => void;
let asked: number;
let database: Database;
beforeAll(async () => {
  server = createServer((_, response) => {
    asked += 1;
    say(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices.json?token=not-to-be-shown`;
  database = await emptyDatabase();
  const store = createCatalogueStore(database);
  await store.apply({
    providers: ["acme", "elsewhere"].map((name) => ({
      name,
      baseUrl: "http://127.0.0.1:9/v1",
      credentialRef: "none",
      unknownMembers: null,
      openMembers: null,
      contextWindow: null,
      traceparent: null,
    })),
    models: [],
  });
  const tariff = {
    inputNano: 1_000_000_000n,
    outputNano: 2_000_000_000n,
    cacheReadNano: null,
    cacheWrite5mNano: null,
    cacheWrite1hNano: null,
    toolCallNano: {},
  };
  const listed = ["large", "small"].map((id) => ({
    id,
    upstreamModel: id,
    dialect: "chat" as const,
    contextWindow: 1_000,
    maxOutputTokens: 1_000,
    reasoning: null,
    tariff,
  }));
  await store.importModels({ provider: "acme", publication: "published", models: listed }, "apply");
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await database.close();
});

const running: { stop: () => Promise<void> }[] = [];
beforeEach(async () => {
  asked = 0;
  await createPriceCheckStore(database).forget();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map(({ stop }) => stop()));
});

function start({ paces = QUICK, providers = "", list = url } = {}) {
  const told = { differs: [] as object[], failed: [] as string[], duties: [] as unknown[], checks: 0 };
  const events = {
    dutyDone: () => undefined,
    dutyFailed: (_duty: string, error: unknown) => void told.duties.push(error),
    priceListDiffers: (note: object) => void told.differs.push(note),
    priceCheckFailed: ({ problem }: { problem: string }) => void told.failed.push(problem),
    priceListChecked: () => void (told.checks += 1),
  };
  const config = { creditUsd: "1", priceCheck: { list, everyHours: 1, providers } };
  const check = startPriceCheck({ config, operatorDatabase: database, events, clock: systemClock }, paces);
  running.push(check);
  return { ...check, told };
}
const shown = () => createPriceCheckStore(database).read();
const prices = () => database.query("select model_id, version from price order by 1, 2");
const json = (text: string) => (response: ServerResponse) => void response.end(text);

test("a list that changes is told once for each change, and changes nothing here", async () => {
  const before = await prices();
  say = json(listOf(1e-6));
  const { told } = start();
  await until(async () => (await shown())?.found?.models === 0, "the first check");
  await until(() => asked > 2, "checks of the same list");
  expect(told.differs).toEqual([]);

  say = json(listOf(3e-6));
  await until(() => told.differs.length > 0, "the difference is told");
  const seen = asked;
  await until(() => asked > seen + 2, "checks of the same difference");
  expect(told.differs).toEqual([
    {
      list: url.replace(/\?.*/, ""),
      models: 1,
      differences: [
        {
          provider: "acme",
          vendor: "acme",
          markup: "1",
          models: [{ id: "large", fields: [{ field: "input", before: "1", after: "3", factor: "3.000" }] }],
        },
      ],
      unlisted: ["elsewhere"],
    },
  ]);

  say = json(listOf(4e-6));
  await until(() => told.differs.length === 2, "another difference is told");
  say = json(listOf(1e-6));
  await until(async () => (await shown())?.found?.models === 0, "the difference is gone");
  expect(told.differs).toHaveLength(2);
  expect(await prices()).toEqual(before);
  expect(told.failed).toEqual([]);
  expect(told.duties).toEqual([]);
});

test("the markup and the vendor's name that the settings give are those of the comparison", async () => {
  say = json(listOf(1e-6).replaceAll('"acme"', '"acme-inc"'));
  start({ providers: "acme=acme-inc*2" });
  await until(async () => (await shown())?.found?.models === 2, "both cost double");

  expect((await shown())?.found?.differences[0]).toMatchObject({ vendor: "acme-inc", markup: "2" });
});

test("of many processes one asks, once in the time, also after a restart, and all know what was found", async () => {
  say = json(listOf(3e-6));
  const first = Array.from({ length: 8 }, () => start({ paces: ONCE }));
  await until(() => first.every(({ told }) => told.checks > 2), "all have looked");
  await until(async () => (await shown())?.found?.models === 1, "one has checked");
  await Promise.all(first.map(({ stop }) => stop()));
  expect(asked).toBe(1);
  expect(first.flatMap(({ told }) => told.differs)).toHaveLength(1);

  const again = start({ paces: ONCE });
  await until(() => again.told.checks > 2, "the one after the restart has looked");
  expect(asked).toBe(1);
  expect(again.told.differs).toEqual([]);
  expect(await shown()).toMatchObject({ found: { models: 1 } });
});

const WRONG: [name: string, problem: RegExp, say: (response: ServerResponse) => void][] = [
  ["answers with an error", /it answered 500/, (response) => void response.writeHead(500).end()],
  ["is huge", /larger than 10,000 bytes/, json(`{"m": "${"x".repeat(50_000)}"}`)],
  ["hangs before its headers", /no answer within 0\.3 seconds/, () => undefined],
  ["hangs within its body", /no answer within 0\.3 seconds/, (response) => void response.write("{")],
  ["breaks off", /can't be read/, (response) => void (response.write('{"large"'), response.destroy())],
  ["is no JSON", /list/, json("<html>not found</html>")],
  ["is JSON of another form", /list/, json("[1, 2]")],
  ["leads elsewhere", /can't be read/, (response) => void response.writeHead(302, { location: "/other" }).end()],
];

test.each(WRONG)(
  "a list that %s is told as a failure, and what was found before stays",
  async (name, problem, answer) => {
    const acme = { providers: "acme" };
    say = json(listOf(3e-6));
    const before = start(acme);
    await until(() => before.told.differs.length === 1, "what differs is found");
    await before.stop();

    say = answer;
    const { told, stop } = start({ ...acme, paces: name.startsWith("hangs") ? HASTY : QUICK });
    await until(() => told.failed.length > 0, "the failure is told");
    expect(told.failed[0]).toMatch(problem);
    expect(told.failed[0]).not.toContain("not-to-be-shown");
    await stop();
    expect(await shown()).toMatchObject({ problem: expect.stringMatching(problem) as string, found: { models: 1 } });
    expect((await shown())?.failingSinceMs).not.toBeNull();

    say = json(listOf(3e-6));
    const after = start(acme);
    await until(async () => (await shown())?.problem === null, "it works again");
    expect(after.told.differs).toEqual([]);
    expect([before, after].flatMap((one) => one.told.duties)).toEqual([]);
  },
);

test("a vendor that the list does not have is a failure where it was named, and else is left out", async () => {
  say = json(listOf(1e-6));
  const { told, stop } = start({ providers: "acme=nobody" });
  await until(() => told.failed.length > 0, "the failure is told");
  expect(told.failed[0]).toContain('The list has no vendor "nobody"');
  await stop();

  start();
  await until(
    async () => (await shown())?.found !== null && (await shown())?.problem === null,
    "what is listed is compared",
  );
  expect((await shown())?.found).toMatchObject({ models: 0, unlisted: ["elsewhere"] });
});

test("a process that stops amid a download ends at once", async () => {
  say = () => undefined;
  const { stop } = start({ paces: { ...ONCE, bounds: { timeoutMs: 60_000 } } });
  await until(() => asked === 1, "it asks");
  await stop();
  expect((await shown())?.problem).toBeNull();
});

test("what is off asks nothing, and forgets what was found", async () => {
  say = json(listOf(3e-6));
  const { told, stop } = start({ paces: ONCE });
  await until(() => told.differs.length === 1, "what differs is found");
  await stop();
  await start({ list: "off" }).stop();

  expect(await shown()).toBeNull();
  expect(asked).toBe(1);
});
