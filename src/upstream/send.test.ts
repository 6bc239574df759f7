import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ROUTE } from "../../tests/support/generation-stage.ts";
import type { CallCredential } from "../core/catalogue/call-credential.ts";
import { systemClock } from "../core/clock.ts";
import type { CallConvention, CallConventions } from "./call-convention.ts";
import { createCountAtProvider } from "./count-at-provider.ts";
import { type Attempt, createDispatch, type DispatchTask } from "./dispatch.ts";
import { DIALECT_CONVENTIONS } from "./dialect-conventions.ts";
import { createPools } from "./pools.ts";
import { createRouteHealth } from "./route/route-health.ts";
import type { Route } from "../core/catalogue/route.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Asked = { path: string; headers: IncomingHttpHeaders; body: string };

/** A server on this machine, and all that it was asked. */
async function listening(answer: RequestListener): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes: Buffer) => (body += bytes.toString()));
    request.on("end", () => {
      asked.push({ path: request.url ?? "", headers: request.headers, body });
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
function harness(convention: CallConvention, given: CallCredential = "secret") {
  const pools = createPools({ connectionsPerOrigin: 8 });
  closing.push(pools.close);
  const credential = (): CallCredential => given;
  const health = createRouteHealth({ clock: systemClock, random: () => 0, onChange: () => undefined });
  const conventions: CallConventions = { ...DIALECT_CONVENTIONS, chat: convention, messages: convention };
  const attempts: Attempt[] = [];
  const dispatch = createDispatch({ pools, credential, health, random: () => 0, clock: systemClock, conventions });
  const count = createCountAtProvider({ pools, credential, health, random: () => 0, clock: systemClock, conventions });
  const ask = (routes: Route[], changes: Partial<DispatchTask> = {}) =>
    dispatch({
      routes,
      answerMode: "streamed",
      bodyFor: () => Buffer.from(`{"say":"é"}`),
      headersFor: () => ({ "x-flag": "on" }),
      deadlineAtMs: systemClock.elapsedMs() + 60_000,
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
  dialect: "chat",
  firstByteTimeoutMs: 30_000,
  ...changes,
});

test("a call goes where its dialect's row says, with its credential and what it is told for the caller, and so does a count", async () => {
  const east = await listening((_request, response) => response.end(`{"input_tokens":7}`));
  const { ask, countAt } = harness(plain);
  await ask([route(east.url)]);
  expect(await countAt(route(east.url, { dialect: "messages" }))).toBe(7);

  expect(east.asked).toMatchObject([
    { path: "/model/converse", headers: { "x-key": "secret", "x-flag": "on" }, body: `{"say":"é"}` },
    { path: "/model/converse/count_tokens", headers: { "x-key": "secret", "x-flag": "on" }, body: "{}" },
  ]);
});

test("a call is signed as it is sent, and no secret of its dialect's header goes along", async () => {
  const east = await listening((_request, response) => response.end("data: [DONE]\n\n"));
  const signer: CallCredential = {
    sign: ({ method, host, path, headers, body }) =>
      Promise.resolve({ authorization: [method, host, path, headers["x-flag"], body.toString()].join(" ") }),
    renew: () => Promise.resolve(false),
  };
  await harness(plain, signer).ask([route(east.url)]);

  const { host } = new URL(east.url);
  expect(east.asked).toMatchObject([
    { headers: { authorization: expect.stringContaining(`POST ${host} /model/converse on`) } },
  ]);
  expect(east.asked[0]?.headers).not.toHaveProperty("x-key");
});

test.each([
  ["with the next one where there is one", true, 2, 200],
  ["not at all where there is none", false, 1, 502],
] as const)("what is refused as its credential is sent once more %s", async (_title, renews, calls, status) => {
  const east = await listening((request, response) => {
    const isOld = request.headers.authorization === "one";
    response
      .writeHead(isOld ? 403 : 200)
      .end(isOld ? `{"message":"The security token included in the request is expired"}` : "data: [DONE]\n\n");
  });
  let token = "one";
  const signer: CallCredential = {
    sign: () => ({ authorization: token }),
    renew: () => {
      if (renews) token = "two";
      return Promise.resolve(renews);
    },
  };
  const answered = await harness(plain, signer)
    .ask([route(east.url)])
    .then(
      (dispatched) => dispatched?.answer.status,
      () => 502,
    );

  expect([answered, east.asked.length]).toEqual([status, calls]);
});

test("an identity that cannot be had sends nothing, and takes no other route from others", async () => {
  const east = await listening((_request, response) => response.end("data: [DONE]\n\n"));
  const signer: CallCredential = {
    sign: () => Promise.reject(new Error("no answer")),
    renew: () => Promise.resolve(true),
  };
  const { ask, attempts } = harness(plain, signer);

  await expect(ask([route(east.url)])).rejects.toThrow();
  expect(attempts.map(({ failure }) => failure)).toEqual(["misconfigured"]);
  expect(east.asked).toEqual([]);
});

test("an identity that does not come takes no longer than an answer may", async () => {
  const east = await listening((_request, response) => response.end("data: [DONE]\n\n"));
  const { ask, attempts } = harness(plain, {
    sign: () => new Promise(() => undefined),
    renew: () => Promise.resolve(false),
  });

  await expect(ask([route(east.url, { firstByteTimeoutMs: 50 })])).rejects.toThrow();
  expect(attempts.map(({ failure }) => failure)).toEqual(["misconfigured"]);
  expect(east.asked).toEqual([]);
});

test("several whole answers that take too long do not take a route from those it answers meanwhile", async () => {
  const east = await listening((request, response) => {
    if (request.url?.endsWith("streamed")) response.end("data: [DONE]\n\n");
  });
  const { ask, attempts } = harness({ ...plain, path: (answerMode) => `/${answerMode}` });
  const tooShort = { answerMode: "whole", deadlineAtMs: systemClock.elapsedMs() + 300 } as const;
  const long = Array.from({ length: 6 }, () => ask([route(east.url)], tooShort).catch(() => "too long"));
  const brief = await ask([route(east.url)]);
  brief?.ended({ outcome: null, outputTokens: 0 });
  expect(await Promise.all(long)).toEqual(Array.from({ length: 6 }, () => "too long"));

  expect(attempts.filter(({ failure }) => failure === "timed_out")).toHaveLength(6);
  expect((await ask([route(east.url)]))?.answer.status).toBe(200);
});
