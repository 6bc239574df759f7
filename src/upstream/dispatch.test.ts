import { payerNamed } from "../core/money/payer.ts";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, expect, test } from "vitest";
import {
  answerOk,
  closeProviders,
  harness,
  provider,
  readBody,
  refuseWith,
  route,
} from "../../tests/support/dispatch-stage.ts";

afterEach(closeProviders);

test("a call carries the route's path, body and credential, and nothing else [UPS-2]", async () => {
  let body = "";
  const east = await provider((request, response) => {
    request.on("data", (bytes: Buffer) => (body += bytes.toString()));
    request.on("end", () => answerOk(request, response));
  });
  const { dispatch, task, attempts } = harness();
  const dispatched = await dispatch(task(route(east.url, { upstreamModel: "large" })));

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
  const dispatched = await dispatch(task(route(busy.url), route(free.url, { provider: "west" })));

  expect(dispatched?.route.provider).toBe("west");
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

  await expect(dispatch(task(route(strict.url), route(free.url)))).rejects.toMatchObject({ code });
  expect(free.seen).toHaveLength(0);
});

test("a route that can do with less is asked once more, and its refusal counts for nothing [UPS-6]", async () => {
  const error = { type: "invalid_request_error", message: "Encrypted content is not supported.", param: "include" };
  const bodies: string[] = [];
  const east = await provider((request, response) => {
    if (bodies.length === 1) refuseWith(400, error)(request, response);
    else answerOk(request, response);
  });
  const { dispatch, task, attempts } = harness();
  const heard: unknown[] = [];
  const dispatched = await dispatch({
    ...task(route(east.url), route(east.url, { provider: "west" })),
    bodyFor: () => {
      bodies.push("asked");
      return Buffer.from("{}");
    },
    refused: (at, refusal) => heard.push([at.provider, refusal]) === 1,
  });

  expect(dispatched?.route.provider).toBe("east");
  expect(heard).toMatchObject([["east", { kind: "request", message: error.message, param: "include" }]]);
  expect(attempts.map(({ route: { provider: name }, status }) => [name, status])).toEqual([
    ["east", 400],
    ["east", 200],
  ]);
  expect(bodies).toHaveLength(2);
});

test("a route that refuses whatever it is asked is not asked for ever", async () => {
  const strict = await provider(refuseWith(400, { type: "invalid_request_error", message: "No." }));
  const { dispatch, task } = harness();

  await expect(dispatch({ ...task(route(strict.url)), refused: () => true })).rejects.toMatchObject({
    code: "invalid_request",
  });
  expect(strict.seen).toHaveLength(3);
});

test("a redirect is not followed: a provider cannot choose where our credential goes [UPS-7]", async () => {
  const elsewhere = await provider(answerOk);
  const east = await provider(refuseWith(307, {}, { location: `${elsewhere.url}/v1/chat/completions` }));
  const { dispatch, task } = harness();

  await expect(dispatch(task(route(east.url)))).rejects.toMatchObject({ code: "upstream_error" });
  expect(elsewhere.seen).toHaveLength(0);
});

test("when every route is over its capacity the provider is unavailable [UPS-5]", async () => {
  const busy = await provider(refuseWith(429));
  const { dispatch, task } = harness();

  await expect(dispatch(task(route(busy.url), route(busy.url)))).rejects.toMatchObject({
    code: "provider_unavailable",
  });
  expect(busy.seen).toHaveLength(2);
});

test("a provider nobody listens for is passed over", async () => {
  const closed = await provider(answerOk);
  closed.server.close();
  const free = await provider(answerOk);
  const { dispatch, task, attempts } = harness();
  const dispatched = await dispatch(task(route(closed.url), route(free.url)));

  expect(dispatched?.answer.status).toBe(200);
  expect(attempts[0]).toMatchObject({ status: null, failure: "refused" });
  await expect(dispatch(task(route(closed.url)))).rejects.toMatchObject({ code: "provider_unavailable" });
});

test("a stream that does not begin is given up after the route's first-byte time [ERR-20]", async () => {
  const silent = await provider(() => undefined);
  const { dispatch, task, attempts } = harness();
  const startedAtMs = performance.now();

  const hasty = task(route(silent.url, { firstByteTimeoutMs: 100 }));
  await expect(dispatch({ ...hasty, answerMode: "streamed" })).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(attempts[0]).toMatchObject({ failure: "timed_out" });
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
});

test("a stream that goes silent fails after the route's idle time", async () => {
  const silent = await provider((_request, response) => {
    response.writeHead(200);
    response.write("half");
  });
  const { dispatch, task } = harness();
  const dispatched = await dispatch({ ...task(route(silent.url, { idleTimeoutMs: 100 })), answerMode: "streamed" });

  expect(await readBody(dispatched!.answer.body)).toBe("half timed_out");
});

test("a provider that resets the connection has broken off, before its answer or within it", async () => {
  const rude = await provider((request) => request.socket.resetAndDestroy());
  const later = await provider((_request, response: ServerResponse) => {
    response.writeHead(200);
    response.write("half", () => response.socket?.resetAndDestroy());
  });
  const { dispatch, task } = harness();

  await expect(dispatch(task(route(rude.url)))).rejects.toMatchObject({ code: "upstream_error" });
  const dispatched = await dispatch(task(route(later.url)));
  expect(await readBody(dispatched!.answer.body)).toBe("half broken");
});

test("a caller that leaves before the answer takes the call with it, and no other route is tried [CAN-2]", async () => {
  const silent = await provider(() => undefined);
  const free = await provider(answerOk);
  const { dispatch, task, leave, attempts } = harness();
  const asked = once(silent.server, "request");
  const dispatched = dispatch(task(route(silent.url), route(free.url)));
  const [request] = (await asked) as [IncomingMessage];
  const closed = once(request.socket, "close");
  leave();

  expect(await dispatched).toBeNull();
  await closed;
  expect(free.seen).toHaveLength(0);
  expect(attempts).toEqual([]);
});

test("who leaves is known to have been sent nothing for, unless a provider is at work on it", async () => {
  const silent = await provider(() => undefined);
  const busy = await provider(refuseWith(503));
  const heard: string[] = [];
  const leaving = async (
    name: string,
    begin: (stage: ReturnType<typeof harness>) => Promise<unknown>,
  ): Promise<void> => {
    expect(await begin(harness()), name).toBeNull();
  };
  const unsent = (name: string) => ({ onUnsent: () => void heard.push(name) });

  await leaving("at work", async ({ dispatch, task, leave }) => {
    const asked = once(silent.server, "request");
    const dispatched = dispatch({ ...task(route(silent.url)), ...unsent("at work") });
    await asked;
    leave();
    return dispatched;
  });
  await leaving("while its body is written", async ({ dispatch, task, leave }) => {
    const written = Promise.withResolvers<Buffer>();
    const asked = {
      ...task(route(silent.url)),
      bodyFor: () => written.promise,
      ...unsent("while its body is written"),
    };
    const dispatched = dispatch(asked);
    leave();
    written.resolve(Buffer.from("{}"));
    return dispatched;
  });
  await leaving("in line for a connection", async ({ dispatch, task, leave }) => {
    const before = silent.seen.length;
    for (let taken = 0; taken < 4; taken += 1) void dispatch(task(route(silent.url)));
    while (silent.seen.length < before + 4) await once(silent.server, "request");
    const dispatched = dispatch({ ...task(route(silent.url)), ...unsent("in line for a connection") });
    leave();
    return dispatched;
  });
  await leaving("after one that was silent", async ({ dispatch, task, leave }) => {
    const routes = [route(silent.url, { firstByteTimeoutMs: 100 }), route(busy.url, { provider: "west" })];
    const asked = { ...task(...routes), ...unsent("after one that was silent"), answerMode: "streamed" } as const;
    return dispatch({ ...asked, onAttempt: () => leave() });
  });
  await leaving("after a provider failed", async ({ dispatch, task, leave }) => {
    const asked = {
      ...task(route(busy.url), route(silent.url, { provider: "west" })),
      ...unsent("after a provider failed"),
    };
    return dispatch({ ...asked, onAttempt: () => leave() });
  });

  expect(heard).toEqual(["while its body is written", "in line for a connection", "after a provider failed"]);
  expect(silent.seen).toHaveLength(6);
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

  await expect(dispatch(task(route(endless.url)))).rejects.toMatchObject({ code: "upstream_error" });
});

test("a route whose credential cannot be had is passed over; alone, it makes the provider unavailable", async () => {
  const { dispatch, task, attempts } = harness();
  const { url } = await provider(answerOk);

  const dispatched = await dispatch(task(route(url, { credentialRef: "env:UNSET" }), route(url)));

  expect(dispatched?.route.credentialRef).toBe("env:EAST");
  expect(attempts.map(({ failure }) => failure)).toEqual(["misconfigured", null]);
  await expect(dispatch(task(route(url, { credentialRef: "env:UNSET" })))).rejects.toMatchObject({
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
  await dispatch(task(route(url, { dialect })));

  expect(seen[0]).toMatchObject({ url: path, headers });
});

test("headers a caller's format lists reach the provider, over the ones every call has [VER-9]", async () => {
  const { url, seen } = await provider((_request, response) => response.end("{}"));
  const { dispatch, task } = harness();
  const headers = { "anthropic-version": "2026-10-21", "anthropic-beta": "flag" };
  await dispatch({ ...task(route(url, { dialect: "messages" })), headersFor: () => headers });

  expect(seen[0]?.headers).toMatchObject(headers);
});

test("the wait for a first byte ends with the request's own time, whatever the route would grant [ERR-20]", async () => {
  const silent = await provider(() => undefined);
  const { dispatch, task } = harness();
  const startedAtMs = performance.now();
  const patient = route(silent.url, { firstByteTimeoutMs: 60_000 });

  await expect(
    dispatch({ ...task(patient, { ...patient, id: "spare" }), deadlineAtMs: performance.now() + 200 }),
  ).rejects.toMatchObject({ code: "upstream_timeout" });
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
  expect(silent.seen).toHaveLength(1);
});

test("waiting for a free connection counts as waiting for the first byte", async () => {
  const slow = await provider(() => undefined);
  const { dispatch, task } = harness();
  const asked = Array.from({ length: 6 }, () =>
    dispatch({ ...task(route(slow.url, { firstByteTimeoutMs: 200 })), answerMode: "streamed" }).catch(
      (error: unknown) => error,
    ),
  );

  for (const answer of asked) expect(await answer).toMatchObject({ code: "upstream_timeout" });
});

test("calls for which none of our own connections became free say nothing against the route", async () => {
  const waiting: ServerResponse[] = [];
  const slow = await provider((_request, response) => void waiting.push(response));
  const { dispatch, task, health } = harness();
  const patient = route(slow.url, { firstByteTimeoutMs: 10_000 });
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
  const dispatched = await dispatch(task(route(empty.url), route(free.url)));

  expect(await readBody(dispatched!.answer.body)).toBe("whole end");
  expect(attempts.map(({ failure }) => failure)).toEqual(["broken", null]);
});

test("a plain answer may take until the request's own deadline, however long the route waits for the first byte of a stream [ERR-20]", async () => {
  const slow = await provider((request, response) => void setTimeout(() => answerOk(request, response), 1_500));
  const { dispatch, task, attempts } = harness();
  const hasty = route(slow.url, { firstByteTimeoutMs: 100, idleTimeoutMs: 100 });
  const dispatched = await dispatch(task(hasty, route(slow.url)));

  expect(dispatched?.route).toBe(hasty);
  expect(await readBody(dispatched!.answer.body)).toBe("whole end");
  expect(attempts).toHaveLength(1);
  expect(slow.seen).toHaveLength(1);
});

test("a plain answer that begins and then dawdles has the same time", async () => {
  const slow = await provider((_request, response) => {
    response.writeHead(200);
    response.write("half ");
    setTimeout(() => response.end("whole"), 1_500);
  });
  const { dispatch, task } = harness();
  const dispatched = await dispatch(task(route(slow.url, { idleTimeoutMs: 100 })));

  expect(await readBody(dispatched!.answer.body)).toBe("half whole end");
});

test("a route that may still answer is not asked twice: after the deadline of a plain request nobody else is asked [UPS-13]", async () => {
  const [silent, free] = [await provider(() => undefined), await provider(answerOk)];
  const { dispatch, task, attempts } = harness();
  const asked = dispatch({ ...task(route(silent.url), route(free.url)), deadlineAtMs: performance.now() + 300 });

  await expect(asked).rejects.toMatchObject({
    code: "upstream_timeout",
    message: expect.stringContaining("Stream the response") as string,
  });
  expect(attempts).toMatchObject([{ failure: "timed_out" }]);
  expect(free.seen).toHaveLength(0);
});

test("a stream that does not begin within the route's first-byte time is asked of the next route", async () => {
  const [silent, free] = [await provider(() => undefined), await provider(answerOk)];
  const { dispatch, task } = harness();
  const hasty = route(silent.url, { firstByteTimeoutMs: 100 });
  const dispatched = await dispatch({ ...task(hasty, route(free.url, { provider: "west" })), answerMode: "streamed" });

  expect(dispatched?.route.provider).toBe("west");
});

test("a plain request that no connection became free for was never sent, so that the next route is asked", async () => {
  const [slow, free] = [await provider(() => undefined), await provider(answerOk)];
  const { dispatch, task, leave } = harness();
  const full = route(slow.url, { firstByteTimeoutMs: 200 });
  const held = Array.from({ length: 4 }, () => dispatch(task(full)));
  while (slow.seen.length < 4) await once(slow.server, "request");
  const dispatched = await dispatch(task(full, route(free.url, { provider: "west" })));

  expect(dispatched?.route.provider).toBe("west");
  expect(slow.seen).toHaveLength(4);
  leave();
  await Promise.race([Promise.allSettled(held), Promise.resolve()]);
});

test("one payer's long answers do not take a route from everybody", async () => {
  const silent = await provider(() => undefined);
  const { dispatch, task, health } = harness();
  const sole = route(silent.url);
  const ask = (payer: string) =>
    dispatch({ ...task(sole), payer: payerNamed(payer), deadlineAtMs: performance.now() + 50 }).catch(() => null);
  for (let call = 0; call < 6; call++) await ask("one");
  expect(health.report()[0]).toMatchObject({ breaker: "closed" });

  for (const payer of ["two", "three", "four", "five"]) await ask(payer);
  expect(health.report()[0]).toMatchObject({ breaker: "open" });
});
