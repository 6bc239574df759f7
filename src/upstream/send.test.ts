import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ROUTE } from "../../tests/support/generation-stage.ts";
import { systemClock } from "../core/clock.ts";
import type { CallConvention, CallConventions } from "./call-convention.ts";
import { createCountAtProvider } from "./count-at-provider.ts";
import { type Attempt, createDispatch, type DispatchTask } from "./dispatch.ts";
import { createPools } from "./pools.ts";
import { createRouteHealth } from "./route-health.ts";
import type { Route } from "../core/route.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Asked = { request: IncomingMessage; body: string };

/** A server on this machine, and all that it was asked. */
async function listening(answer: RequestListener): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes: Buffer) => (body += bytes.toString()));
    request.on("end", () => {
      asked.push({ request, body });
      answer(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => (server.closeAllConnections(), server.close()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const plain: CallConvention = { path: () => "/converse", credential: (secret) => ({ "x-key": secret }) };

/** Calls to a dialect that is called as the test says. */
function harness(convention: CallConvention, credential: () => string | null = () => "secret") {
  const pools = createPools({ connectionsPerOrigin: 8 });
  closing.push(pools.close);
  const health = createRouteHealth({ clock: systemClock, random: () => 0, onChange: () => undefined });
  const conventions: CallConventions = { bedrock: convention, messages: convention };
  const attempts: Attempt[] = [];
  const dispatch = createDispatch({ pools, credential, health, random: () => 0, clock: systemClock, conventions });
  const count = createCountAtProvider({ pools, credential, health, random: () => 0, clock: systemClock, conventions });
  const ask = (routes: Route[], changes: Partial<DispatchTask> = {}) =>
    dispatch({
      routes,
      answerMode: "streamed",
      bodyFor: () => Buffer.from(`{"say":"é"}`),
      headersFor: () => ({ "x-flag": "on" }),
      deadlineAtMs: systemClock.elapsedMs() + 5_000,
      sink: { isGone: () => false, onGone: () => undefined },
      onAttempt: (attempt) => attempts.push(attempt),
      ...changes,
    });
  const countAt = (route: Route) =>
    count({ routes: [route], bodyFor: () => Buffer.from("{}"), headers: { "x-flag": "on" } });
  return { ask, countAt, attempts };
}

const route = (url: string, changes: Partial<Route> = {}): Route => ({
  ...ROUTE,
  baseUrl: `${url}/model`,
  dialect: "bedrock",
  firstByteTimeoutMs: 1_000,
  ...changes,
});

async function textOf(dispatched: Awaited<ReturnType<ReturnType<typeof harness>["ask"]>>): Promise<string> {
  let text = "";
  return new Promise((resolve) =>
    dispatched?.answer.body.read({
      chunk: (bytes) => (text += bytes.toString()),
      end: () => resolve(`${text} end`),
      fail: ({ message }) => resolve(`${text} ${message}`),
    }),
  );
}

test("a call is signed by itself, over all that is sent, and so is a count", async () => {
  const east = await listening((_request, response) => response.end(`{"input_tokens":7}`));
  const sign: CallConvention["sign"] = (secret, { origin, path, headers, body, nowMs }) => ({
    "x-signature": JSON.stringify([secret, origin, path, headers["x-flag"], body.length, nowMs > 1_700_000_000_000]),
  });
  const { ask, countAt } = harness({ ...plain, sign });
  await ask([route(east.url)]);
  expect(await countAt(route(east.url, { dialect: "messages" }))).toBe(7);

  expect(east.asked.map(({ request }) => JSON.parse(String(request.headers["x-signature"])))).toEqual([
    ["secret", east.url, "/model/converse", "on", 12, true],
    ["secret", east.url, "/model/converse/count_tokens", "on", 2, true],
  ]);
});

test("a secret that is none to sign with is the operator's to mend, and other routes serve", async () => {
  const east = await listening((_request, response) => response.end("whole"));
  const sign: CallConvention["sign"] = (_secret, { headers }) => {
    if (headers["x-flag"] === "on") throw new Error("no two parts");
    return {};
  };
  const { ask, attempts } = harness({ ...plain, sign });
  const other = route(east.url, { id: "other", priority: 1 });
  await ask([route(east.url), other], { headersFor: ({ id }) => (id === "other" ? {} : { "x-flag": "on" }) });

  expect(attempts.map(({ failure }) => failure)).toEqual(["misconfigured", null]);
  expect(east.asked).toHaveLength(1);
});

test("a stream in another framing is one of events to everybody behind, however its bytes are cut", async () => {
  const east = await listening((_request, response) => {
    response.write("one|tw");
    setTimeout(() => response.end("o|three|"), 20);
  });
  const events: CallConvention["events"] = () => {
    let rest = "";
    return (bytes) => {
      const parts = (rest + bytes.toString()).split("|");
      rest = parts.pop() ?? "";
      return Buffer.from(parts.map((part) => `data: ${part}\n\n`).join(""));
    };
  };
  const { ask } = harness({ ...plain, events });

  expect(await textOf(await ask([route(east.url)]))).toBe("data: one\n\ndata: two\n\ndata: three\n\n end");
  expect(await textOf(await ask([route(east.url)], { answerMode: "whole" }))).toBe("one|two|three| end");
});

test("bytes that are not of the framing break the answer off, once, and stop the provider", async () => {
  const { promise: cut, resolve } = Promise.withResolvers<void>();
  const east = await listening((_request, response) => {
    response.on("close", resolve);
    response.write("bad");
  });
  const { ask } = harness({
    ...plain,
    events: () => () => {
      throw new Error("no frame");
    },
  });

  expect(await textOf(await ask([route(east.url)]))).toBe(" the provider's connection broken");
  await cut;
});

/** A row whose secret is exchanged at a server for a token. */
const exchanging = (tokens: string): CallConvention => ({
  ...plain,
  exchange: async (secret, { post, route: { provider } }) => {
    const { status, body } = await post(`${tokens}/token?for=${provider}`, { headers: {}, body: Buffer.from(secret) });
    if (status !== 200) throw new Error(`no token: ${status}`);
    return { secret: body.toString(), lastsMs: 3_600_000 };
  },
});

test("a secret is exchanged once for many calls, also when the catalogue is read again, and is not sent itself", async () => {
  const tokens = await listening((_request, response) => response.end("token-1"));
  const east = await listening((_request, response) => response.end(`{"input_tokens":7}`));
  const { ask, countAt } = harness(exchanging(tokens.url));
  await Promise.all([1, 2, 3].map(() => ask([route(east.url)])));
  await ask([route(east.url)]);
  const counted = route(east.url, { dialect: "messages" });
  expect([await countAt(counted), await countAt({ ...counted })]).toEqual([7, 7]);

  expect(tokens.asked.map(({ request, body }) => [request.url, body])).toEqual([
    ["/token?for=east", "secret"],
    ["/token?for=east", "secret"],
  ]);
  expect(new Set(east.asked.map(({ request }) => request.headers["x-key"]))).toEqual(new Set(["token-1"]));
  expect(east.asked).toHaveLength(6);
});

test("another secret is another token", async () => {
  const tokens = await listening((_request, response) => response.end(`token-${tokens.asked.length}`));
  const east = await listening((_request, response) => response.end("whole"));
  let secret = "old";
  const { ask } = harness(exchanging(tokens.url), () => secret);
  await ask([route(east.url)]);
  secret = "new";
  await ask([route(east.url)]);

  expect(tokens.asked.map(({ body }) => body)).toEqual(["old", "new"]);
  expect(east.asked.map(({ request }) => request.headers["x-key"])).toEqual(["token-1", "token-2"]);
});

test("a token that is refused, or does not come, makes a route misconfigured, and the next is asked", async () => {
  const refusing = await listening((_request, response) => response.writeHead(403).end());
  const silent = await listening(() => undefined);
  const east = await listening((_request, response) => response.end("whole"));
  for (const tokens of [refusing, silent]) {
    const { ask, attempts } = harness(exchanging(tokens.url));
    const first = route(east.url, { firstByteTimeoutMs: 100 });
    const next = route(east.url, { id: "next", priority: 1, firstByteTimeoutMs: 100 });

    await expect(ask([first, next])).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(attempts.map(({ failure, route: { id } }) => [id, failure])).toEqual([
      ["r1", "misconfigured"],
      ["next", "misconfigured"],
    ]);
  }
  expect(east.asked).toHaveLength(0);
});

test("a caller that leaves while its call waits for a token is not waited for", async () => {
  const silent = await listening(() => undefined);
  const east = await listening((_request, response) => response.end("whole"));
  const state = { isGone: false };
  let gone: (() => void) | null = null;
  const { ask, attempts } = harness(exchanging(silent.url));
  const asked = ask([route(east.url)], {
    sink: { isGone: () => state.isGone, onGone: (callback) => (gone = callback) },
  });
  state.isGone = true;
  (gone as (() => void) | null)?.();

  expect(await asked).toBeNull();
  expect(attempts).toEqual([]);
});

test("several whole answers that take too long do not take a route from those it answers meanwhile", async () => {
  const east = await listening((request, response) => {
    if (request.url?.endsWith("streamed")) response.end("data: [DONE]\n\n");
  });
  const { ask, attempts } = harness({ ...plain, path: (answerMode) => `/${answerMode}` });
  const long = Array.from({ length: 6 }, () =>
    ask([route(east.url, { firstByteTimeoutMs: 300 })], { answerMode: "whole" }).catch(() => "too long"),
  );
  const brief = await ask([route(east.url)]);
  brief?.ended({ outcome: null, outputTokens: 0 });
  expect(await Promise.all(long)).toEqual(Array.from({ length: 6 }, () => "too long"));

  expect(attempts.filter(({ failure }) => failure === "timed_out")).toHaveLength(6);
  expect((await ask([route(east.url)]))?.answer.status).toBe(200);
});
