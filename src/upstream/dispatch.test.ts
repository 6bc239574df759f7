import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type Attempt, createDispatch, type DispatchTask } from "./dispatch.ts";
import { createPools } from "./pools.ts";
import { createRouteHealth } from "./route-health.ts";
import type { Target } from "./upstream.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A provider on this machine that does what the test says, and how often it was asked. */
async function provider(answer: RequestListener): Promise<{ url: string; seen: IncomingMessage[]; server: Server }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, server };
}

let targets = 0;
const target = (url: string, changes: Partial<Target> = {}): Target => ({
  id: `route-${++targets}`,
  provider: "east",
  baseUrl: `${url}/v1`,
  credentialRef: "env:EAST",
  upstreamModel: "m",
  dialect: "chat",
  conformant: true,
  priority: targets,
  weight: 1,
  connectTimeoutMs: 500,
  firstByteTimeoutMs: 500,
  idleTimeoutMs: 500,
  concurrencyLimit: null,
  ...changes,
});

function harness() {
  const state = { isGone: false, skippedMs: 0 };
  const clock = { nowMs: Date.now, elapsedMs: () => performance.now() + state.skippedMs };
  const changes: string[] = [];
  const health = createRouteHealth({
    clock,
    random: () => 0,
    onChange: ({ state: to, reason }) => changes.push(`${to} ${reason}`),
  });
  const pools = createPools({ connectionsPerOrigin: 4 });
  closing.push(pools.close);
  const attempts: Attempt[] = [];
  let gone: (() => void) | null = null;
  const dispatch = createDispatch({
    pools,
    credential: ({ credentialRef }) => {
      if (credentialRef === "env:UNSET") throw new Error("names a variable that is not set");
      return "sk-east-secret";
    },
    health,
    random: Math.random,
    clock,
  });
  const task = (...list: Target[]): DispatchTask => ({
    targets: list,
    operation: "whole",
    bodyFor: ({ upstreamModel }) => Buffer.from(JSON.stringify({ model: upstreamModel })),
    headersFor: () => ({}),
    deadlineAtMs: clock.elapsedMs() + 10_000,
    sink: { isGone: () => state.isGone, onGone: (callback) => (gone = callback) },
    onAttempt: (attempt) => attempts.push(attempt),
  });
  const leave = (): void => {
    state.isGone = true;
    gone?.();
  };
  const skip = (ms: number): void => void (state.skippedMs += ms);
  return { dispatch, task, attempts, leave, health, changes, skip };
}

const refuseWith =
  (status: number, error: object = {}, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error }));
  };
const answerOk: RequestListener = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end("whole");
};

/** Reads a body to its end or its failure. */
const readBody = (body: NonNullable<Awaited<ReturnType<ReturnType<typeof createDispatch>>>>["answer"]["body"]) =>
  new Promise<string>((resolve) => {
    let text = "";
    body.read({
      chunk: (bytes) => (text += bytes.toString()),
      end: () => resolve(`${text} end`),
      fail: (error) => resolve(`${text} ${"reason" in error ? String(error.reason) : error.message}`),
    });
  });

test("a call carries the route's path, body and credential, and nothing else [UPS-2]", async () => {
  let body = "";
  const east = await provider((request, response) => {
    request.on("data", (bytes: Buffer) => (body += bytes.toString()));
    request.on("end", () => answerOk(request, response));
  });
  const { dispatch, task, attempts } = harness();
  const dispatched = await dispatch(task(target(east.url, { upstreamModel: "large" })));

  expect(dispatched?.answer.status).toBe(200);
  expect(await readBody(dispatched!.answer.body)).toBe("whole end");
  expect(east.seen[0]?.url).toBe("/v1/chat/completions");
  expect(Object.keys(east.seen[0]?.headers ?? {}).sort()).toEqual(
    ["authorization", "connection", "content-length", "content-type", "host", "user-agent"].sort(),
  );
  expect(east.seen[0]?.headers.authorization).toBe("Bearer sk-east-secret");
  expect(JSON.parse(body)).toEqual({ model: "large" });
  expect(attempts).toMatchObject([{ number: 1, status: 200, failure: null }]);
});

test.each([401, 403, 408, 429, 500, 502, 503, 529])("after a %i the next route is tried [UPS-4]", async (status) => {
  const [busy, free] = [await provider(refuseWith(status)), await provider(answerOk)];
  const { dispatch, task, attempts } = harness();
  const dispatched = await dispatch(task(target(busy.url), target(free.url, { provider: "west" })));

  expect(dispatched?.target.provider).toBe("west");
  expect(attempts.map(({ number, status: seen }) => [number, seen])).toEqual([
    [1, status],
    [2, 200],
  ]);
  expect([busy.seen.length, free.seen.length]).toEqual([1, 1]);
});

test.each([
  [400, "invalid_request"],
  [404, "upstream_error"],
])("after a %i nobody else is asked: the caller is told %s [UPS-6] [UPS-7]", async (status, code) => {
  const error = { type: "invalid_request_error", message: "temperature is out of range" };
  const [strict, free] = [await provider(refuseWith(status, error)), await provider(answerOk)];
  const { dispatch, task } = harness();

  await expect(dispatch(task(target(strict.url), target(free.url)))).rejects.toMatchObject({ code });
  expect(free.seen).toHaveLength(0);
});

test("a redirect is not followed: a provider cannot choose where our credential goes [UPS-7]", async () => {
  const elsewhere = await provider(answerOk);
  const east = await provider(refuseWith(307, {}, { location: `${elsewhere.url}/v1/chat/completions` }));
  const { dispatch, task } = harness();

  await expect(dispatch(task(target(east.url)))).rejects.toMatchObject({ code: "upstream_error" });
  expect(elsewhere.seen).toHaveLength(0);
});

test("when every route is over its capacity the provider is unavailable [UPS-5]", async () => {
  const busy = await provider(refuseWith(429));
  const { dispatch, task } = harness();

  await expect(dispatch(task(target(busy.url), target(busy.url)))).rejects.toMatchObject({
    code: "provider_unavailable",
  });
  expect(busy.seen).toHaveLength(2);
});

test("a provider nobody listens for is passed over", async () => {
  const closed = await provider(answerOk);
  closed.server.close();
  const free = await provider(answerOk);
  const { dispatch, task, attempts } = harness();
  const dispatched = await dispatch(task(target(closed.url), target(free.url)));

  expect(dispatched?.answer.status).toBe(200);
  expect(attempts[0]).toMatchObject({ status: null, failure: "refused" });
  await expect(dispatch(task(target(closed.url)))).rejects.toMatchObject({ code: "provider_unavailable" });
});

test("a provider that says nothing is given up after the route's first-byte time [ERR-20]", async () => {
  const silent = await provider(() => undefined);
  const { dispatch, task, attempts } = harness();
  const startedAtMs = performance.now();

  await expect(dispatch(task(target(silent.url, { firstByteTimeoutMs: 100 })))).rejects.toMatchObject({
    code: "upstream_timeout",
  });
  expect(attempts[0]).toMatchObject({ failure: "timed_out" });
  expect(performance.now() - startedAtMs).toBeLessThan(3_000);
});

test("a provider that goes silent within its answer fails the body after the route's idle time", async () => {
  const silent = await provider((_request, response) => {
    response.writeHead(200);
    response.write("half");
  });
  const { dispatch, task } = harness();
  const dispatched = await dispatch(task(target(silent.url, { idleTimeoutMs: 100 })));

  expect(await readBody(dispatched!.answer.body)).toBe("half timed_out");
});

test("a provider that resets the connection has broken off, before its answer or within it", async () => {
  const rude = await provider((request) => request.socket.resetAndDestroy());
  const later = await provider((_request, response: ServerResponse) => {
    response.writeHead(200);
    response.write("half", () => response.socket?.resetAndDestroy());
  });
  const { dispatch, task } = harness();

  await expect(dispatch(task(target(rude.url)))).rejects.toMatchObject({ code: "upstream_error" });
  const dispatched = await dispatch(task(target(later.url)));
  expect(await readBody(dispatched!.answer.body)).toBe("half broken");
});

test("a caller that leaves before the answer takes the call with it, and no other route is tried [CAN-2]", async () => {
  const silent = await provider(() => undefined);
  const free = await provider(answerOk);
  const { dispatch, task, leave, attempts } = harness();
  const asked = once(silent.server, "request");
  const dispatched = dispatch(task(target(silent.url), target(free.url)));
  const [request] = (await asked) as [IncomingMessage];
  const closed = once(request.socket, "close");
  leave();

  expect(await dispatched).toBeNull();
  await closed;
  expect(free.seen).toHaveLength(0);
  expect(attempts).toEqual([]);
});

test("an error that never ends is cut off, and the caller is told in time", async () => {
  const endless = await provider((_request, response) => {
    response.writeHead(400);
    const pour = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20)));
      response.once("drain", pour);
    };
    pour();
  });
  const { dispatch, task } = harness();

  await expect(dispatch(task(target(endless.url)))).rejects.toMatchObject({ code: "upstream_error" });
});

test("routes of a dialect nobody can call yet are left out; with none left the provider is unavailable", async () => {
  const free = await provider(answerOk);
  const { dispatch, task, attempts } = harness();

  await expect(dispatch(task(target(free.url, { dialect: "gemini" })))).rejects.toMatchObject({
    code: "provider_unavailable",
  });
  expect(attempts).toEqual([]);
});

test("a route whose credential cannot be had is passed over; alone, it makes the provider unavailable", async () => {
  const { dispatch, task, attempts } = harness();
  const { url } = await provider(answerOk);

  const dispatched = await dispatch(task(target(url, { credentialRef: "env:UNSET" }), target(url)));

  expect(dispatched?.target.credentialRef).toBe("env:EAST");
  expect(attempts.map(({ failure }) => failure)).toEqual(["misconfigured", null]);
  await expect(dispatch(task(target(url, { credentialRef: "env:UNSET" })))).rejects.toMatchObject({
    code: "provider_unavailable",
  });
});

test.each([
  ["chat", "/v1/chat/completions", { authorization: "Bearer sk-east-secret" }],
  ["responses", "/v1/responses", { authorization: "Bearer sk-east-secret" }],
  ["messages", "/v1/messages", { "x-api-key": "sk-east-secret", "anthropic-version": "2023-06-01" }],
] as const)("a provider that speaks %s is addressed as it expects", async (dialect, path, headers) => {
  const { url, seen } = await provider((_request, response) => response.end("{}"));
  const { dispatch, task } = harness();
  await dispatch(task(target(url, { dialect })));

  expect(seen[0]).toMatchObject({ url: path, headers });
});

test("headers a caller's format lists reach the provider, over the ones every call has [VER-9]", async () => {
  const { url, seen } = await provider((_request, response) => response.end("{}"));
  const { dispatch, task } = harness();
  const headers = { "anthropic-version": "2026-10-21", "anthropic-beta": "flag" };
  await dispatch({ ...task(target(url, { dialect: "messages" })), headersFor: () => headers });

  expect(seen[0]?.headers).toMatchObject(headers);
});

test("the wait for a first byte ends with the request's own time, whatever the route would grant [ERR-20]", async () => {
  const silent = await provider(() => undefined);
  const { dispatch, task } = harness();
  const startedAtMs = performance.now();
  const patient = target(silent.url, { firstByteTimeoutMs: 60_000 });

  await expect(
    dispatch({ ...task(patient, { ...patient, id: "spare" }), deadlineAtMs: performance.now() + 200 }),
  ).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(performance.now() - startedAtMs).toBeLessThan(3_000);
  expect(silent.seen).toHaveLength(1);
});

test("waiting for a free connection counts as waiting for the first byte", async () => {
  const slow = await provider(() => undefined);
  const { dispatch, task } = harness();
  const asked = Array.from({ length: 6 }, () =>
    dispatch(task(target(slow.url, { firstByteTimeoutMs: 200 }))).catch((error: unknown) => error),
  );

  for (const answer of asked) expect(await answer).toMatchObject({ code: "upstream_timeout" });
});

test("calls for which none of our own connections became free say nothing against the route", async () => {
  const waiting: ServerResponse[] = [];
  const slow = await provider((_request, response) => void waiting.push(response));
  const { dispatch, task, health } = harness();
  const patient = target(slow.url, { firstByteTimeoutMs: 10_000 });
  const held = Array.from({ length: 4 }, () => dispatch(task(patient)));
  while (waiting.length < 4) await once(slow.server, "request");
  for (let call = 0; call < 5; call++) {
    await expect(dispatch(task({ ...patient, firstByteTimeoutMs: 50 }))).rejects.toMatchObject({
      code: "upstream_timeout",
    });
  }
  for (const response of waiting) response.end("whole");
  await Promise.all(held);

  expect(health.report()[0]).toMatchObject({ breaker: "closed", successRate: 1, callsInProgress: 4 });
});

test("an answer of success that breaks off before its first byte is asked of the next route", async () => {
  const empty = await provider((_request, response) => {
    response.writeHead(200);
    response.flushHeaders();
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
  });
  const free = await provider(answerOk);
  const { dispatch, task, attempts } = harness();
  const dispatched = await dispatch(task(target(empty.url), target(free.url)));

  expect(await readBody(dispatched!.answer.body)).toBe("whole end");
  expect(attempts.map(({ failure }) => failure)).toEqual(["broken", null]);
});

test("the last attempt is the third, however many routes there are", async () => {
  const broken = await provider(refuseWith(500));
  const { dispatch, task, attempts } = harness();

  await expect(dispatch(task(...Array.from({ length: 5 }, () => target(broken.url))))).rejects.toMatchObject({
    code: "upstream_error",
  });
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3]);
});

test("a sole route is asked once more after a reset, and not after an error", async () => {
  let calls = 0;
  const moody = await provider((request, response) =>
    ++calls === 1 ? request.socket.resetAndDestroy() : answerOk(request, response),
  );
  const broken = await provider(refuseWith(500));
  const { dispatch, task } = harness();

  expect((await dispatch(task(target(moody.url))))?.answer.status).toBe(200);
  await expect(dispatch(task(target(broken.url)))).rejects.toMatchObject({ code: "upstream_error" });
  expect(broken.seen).toHaveLength(1);
});

test("a refusal whose body dawdles does not hold up the next route", async () => {
  const dawdler = await provider((_request, response) => {
    response.writeHead(500);
    response.flushHeaders();
  });
  const free = await provider(answerOk);
  const { dispatch, task } = harness();
  const startedAtMs = performance.now();
  const dispatched = await dispatch(task(target(dawdler.url), target(free.url)));

  expect(dispatched?.answer.status).toBe(200);
  expect(performance.now() - startedAtMs).toBeLessThan(3_000);
});

test("a dead provider is out of the plan after five failures, and back when a real request succeeds there", async () => {
  let alive = false;
  const moody = await provider((request, response) => (alive ? answerOk : refuseWith(500))(request, response));
  const free = await provider(answerOk);
  const { dispatch, task, changes, skip } = harness();
  const [first, second] = [target(moody.url), target(free.url)];
  const ask = async (): Promise<string> => {
    const dispatched = await dispatch(task(first, second));
    dispatched?.ended({ outcome: "completed", outputTokens: 1 });
    return dispatched?.target.id ?? "";
  };
  for (let call = 0; call < 20; call++) expect(await ask()).toBe(second.id);
  expect(moody.seen).toHaveLength(5);

  skip(10_000);
  expect(await ask()).toBe(second.id);
  expect(moody.seen).toHaveLength(6);
  alive = true;
  skip(20_000);
  expect(await ask()).toBe(first.id);
  expect(changes).toEqual(["open server_error", "open server_error", "closed answered"]);
});

test("when every route is left alone the caller is told at once, and for how long", async () => {
  const broken = await provider(refuseWith(500));
  const { dispatch, task, attempts } = harness();
  const sole = target(broken.url);
  for (let call = 0; call < 5; call++) await dispatch(task(sole)).catch(() => undefined);

  await expect(dispatch(task(sole))).rejects.toMatchObject({
    code: "provider_unavailable",
    retryAfterSeconds: 10,
    detail: { reason: "breaker_open" },
  });
  expect(attempts).toHaveLength(5);
});

test("no gloomy guess refuses a request: a sole route that is over its capacity is asked all the same", async () => {
  let calls = 0;
  const busy = await provider((request, response) =>
    (++calls <= 10 ? refuseWith(429, {}, { "retry-after": "60" }) : answerOk)(request, response),
  );
  const { dispatch, task } = harness();
  const sole = target(busy.url);
  for (let call = 0; call < 10; call++) await dispatch(task(sole)).catch(() => undefined);

  expect((await dispatch(task(sole)))?.answer.status).toBe(200);
});

test("a route that asks to be left alone is passed over meanwhile", async () => {
  const busy = await provider(refuseWith(429, {}, { "retry-after": "30" }));
  const free = await provider(answerOk);
  const { dispatch, task, skip } = harness();
  const pair = [target(busy.url), target(free.url)];
  const ask = async () => (await dispatch(task(...pair)))?.ended({ outcome: "completed", outputTokens: 1 });
  for (let call = 0; call < 5; call++) await ask();
  expect(busy.seen).toHaveLength(1);

  skip(30_000);
  await ask();
  expect(busy.seen).toHaveLength(2);
});

test("a route at its limit of calls is passed over, and when all are the caller is told", async () => {
  const free = await provider(answerOk);
  const { dispatch, task } = harness();
  const [first, second] = [target(free.url, { concurrencyLimit: 1 }), target(free.url, { concurrencyLimit: 1 })];
  const open = await dispatch(task(first, second));
  expect((await dispatch(task(first, second)))?.target.id).toBe(second.id);
  await expect(dispatch(task(first, second))).rejects.toMatchObject({
    code: "provider_unavailable",
    detail: { reason: "concurrency_limit" },
  });

  open?.ended({ outcome: "completed", outputTokens: 1 });
  expect((await dispatch(task(first, second)))?.target.id).toBe(first.id);
});

test("requests a provider rightly refuses never take its route from others", async () => {
  const error = { type: "invalid_request_error", message: "temperature is out of range" };
  const strict = await provider(refuseWith(400, error));
  const { dispatch, task, health } = harness();
  const sole = target(strict.url);
  for (let call = 0; call < 20; call++) {
    await expect(dispatch(task(sole))).rejects.toMatchObject({ code: "invalid_request" });
  }

  expect(health.report()[0]).toMatchObject({ breaker: "closed", successRate: 1, callsInProgress: 0 });
});

test("when the routes of the first group fail, the next group is asked, and a sole route is not asked twice before it", async () => {
  const dead = await provider((request) => request.socket.destroy());
  const well = await provider(answerOk);
  const { dispatch, task, attempts } = harness();
  const other = target(well.url, { dialect: "messages" });

  const dispatched = await dispatch({ ...task(target(dead.url)), otherTargets: () => [[other]] });

  expect(dispatched?.target).toBe(other);
  expect(attempts.map(({ failure }) => failure)).toEqual(["broken", null]);
  expect(well.seen[0]?.url).toBe("/v1/messages");
});
