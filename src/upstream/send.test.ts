import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ROUTE } from "../../tests/support/generation-stage.ts";
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
function harness(convention: CallConvention) {
  const pools = createPools({ connectionsPerOrigin: 8 });
  closing.push(pools.close);
  const credential = (): string => "secret";
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
