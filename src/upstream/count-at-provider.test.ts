import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createCountAtProvider } from "./count-at-provider.ts";
import type { RouteStanding } from "./route/order-routes.ts";
import { createPools } from "./pools.ts";
import type { Route } from "../core/catalogue/route.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const NOTHING_KNOWN = { standing: (): RouteStanding => ({ verdict: "ready" }) };

/** Somebody who counts at a provider on this machine that does what the test says. */
async function counter(answer: RequestListener, health: { standing: (route: Route) => RouteStanding } = NOTHING_KNOWN) {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const pools = createPools({ connectionsPerOrigin: 4 });
  closing.push(pools.close);
  const time = { passedMs: 0 };
  const clock = { nowMs: Date.now, elapsedMs: () => performance.now() + time.passedMs };
  const ask = createCountAtProvider({ pools, credential: () => "secret", health, random: () => 0, clock });
  const route: Route = {
    id: "route",
    provider: "east",
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    credentialRef: "env:EAST",
    upstreamModel: "m",
    dialect: "messages",
    conformant: true,
    priority: 0,
    weight: 1,
    connectTimeoutMs: 30_000,
    firstByteTimeoutMs: 500,
    idleTimeoutMs: 500,
    concurrencyLimit: null,
  };
  const task = { bodyFor: () => Buffer.from("{}"), headers: { "anthropic-beta": "flag" } };
  return { time, route, count: (routes: readonly Route[] = [route]) => ask({ ...task, routes }) };
}

const count = async (answer: RequestListener): Promise<number | null> => (await counter(answer)).count();

test("a provider's count is taken, asked for in its own words", async () => {
  let asked: { url: string | undefined; headers: IncomingHttpHeaders } | null = null;
  const tokens = await count((request, response) => {
    asked = { url: request.url, headers: request.headers };
    response.end(`{"input_tokens":2095}`);
  });

  expect(tokens).toBe(2095);
  expect(asked).toMatchObject({
    url: "/v1/messages/count_tokens",
    headers: { "x-api-key": "secret", "anthropic-version": "2023-06-01", "anthropic-beta": "flag" },
  });
});

test.each<[string, RequestListener]>([
  ["refuses", (_request, response) => response.writeHead(400).end(`{"input_tokens":1}`)],
  ["breaks off", (_request, response) => void response.destroy()],
  ["answers something else", (_request, response) => response.end(`{"input_tokens":"12"}`)],
  ["answers no JSON", (_request, response) => response.end("twelve")],
  [
    "answers at great length",
    (_request, response) => response.end(`{"input_tokens":1,"x":"${"x".repeat(4_000_000)}"}`),
  ],
])("a provider that %s has given no count", async (_name, answer) => {
  expect(await count(answer)).toBeNull();
});

test("a provider that says nothing, or never finishes, is given up after three seconds", async () => {
  const startedAtMs = performance.now();
  const counts = await Promise.all([
    count(() => undefined),
    count((_request, response) => void response.write(`{"input_`)),
  ]);

  expect(counts).toEqual([null, null]);
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
});

test.each<RouteStanding>([{ verdict: "open" }, { verdict: "full" }, { verdict: "doubtful", badness: 1 }])(
  "a route that generations are kept from is not asked to count either ($verdict)",
  async (standing) => {
    let calls = 0;
    const { count: ask, route } = await counter(
      (_request, response) => {
        calls++;
        response.end(`{"input_tokens":7}`);
      },
      { standing: ({ id }) => (id === "route" ? standing : { verdict: "ready" }) },
    );

    expect(await ask()).toBeNull();
    expect(calls).toBe(0);
    expect(await ask([route, { ...route, id: "healthy", priority: 1 }])).toBe(7);
  },
);

test("a provider that does not count is not asked again for a minute; one that did not like the request is", async () => {
  const statuses: number[] = [];
  const answering =
    (status: number): RequestListener =>
    (_request, response) => {
      statuses.push(status);
      response.writeHead(status).end(`{"input_tokens":7}`);
    };
  for (const status of [404, 500, 400]) {
    const { count: ask, time } = await counter(answering(status));
    expect([await ask(), await ask()]).toEqual([null, null]);
    time.passedMs += 60_000;
    await ask();
  }

  expect(statuses).toEqual([404, 404, 500, 500, 400, 400, 400]);
});

test("a model that a cloud counts nothing for is not asked about again for a minute", async () => {
  let calls = 0;
  const { count: ask } = await counter((_request, response) => {
    calls++;
    response.writeHead(400, { "x-amzn-errortype": "ValidationException" });
    response.end(`{"message":"The provided model doesn't support counting tokens."}`);
  });

  expect([await ask(), await ask()]).toEqual([null, null]);
  expect(calls).toBe(1);
});

test("a count is read as Bedrock words it, too", async () => {
  expect(await count((_request, response) => response.end(`{"inputTokens":12}`))).toBe(12);
});

test.each<[string, string]>([
  ["with something else", `<html>`],
  ["for ever", `{"input_`],
])("a provider that answers %s rests too, and still does when the catalogue has been read again", async (how, text) => {
  let calls = 0;
  const { count: ask, route } = await counter((_request, response) => {
    calls++;
    if (how === "for ever") response.write(text);
    else response.end(text);
  });
  await ask();
  await ask([{ ...route }]);

  expect(calls).toBe(1);
});
