import { afterEach, expect, test } from "vitest";
import type { Route } from "../core/catalogue/route.ts";
import { answerOk, closeProviders, harness, provider, refuseWith, route } from "../../tests/support/dispatch-stage.ts";

afterEach(closeProviders);

test("the last attempt is the third, however many routes there are", async () => {
  const broken = await provider(refuseWith(500));
  const { dispatch, task, attempts } = harness();

  await expect(dispatch(task(...Array.from({ length: 5 }, () => route(broken.url))))).rejects.toMatchObject({
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

  expect((await dispatch(task(route(moody.url))))?.answer.status).toBe(200);
  await expect(dispatch(task(route(broken.url)))).rejects.toMatchObject({ code: "upstream_error" });
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
  const dispatched = await dispatch(task(route(dawdler.url), route(free.url)));

  expect(dispatched?.answer.status).toBe(200);
  expect(performance.now() - startedAtMs).toBeLessThan(20_000);
});

test("a dead provider is out of the plan after five failures, and back when a real request succeeds there", async () => {
  let alive = false;
  const moody = await provider((request, response) => (alive ? answerOk : refuseWith(500))(request, response));
  const free = await provider(answerOk);
  const { dispatch, task, changes, skip } = harness();
  const [first, second] = [route(moody.url), route(free.url)];
  const ask = async (): Promise<string> => {
    const dispatched = await dispatch(task(first, second));
    dispatched?.ended({ outcome: "completed", outputTokens: 1 });
    return dispatched?.route.id ?? "";
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
  const sole = route(broken.url);
  for (let call = 0; call < 5; call++) await dispatch(task(sole)).catch(() => undefined);

  await expect(dispatch(task(sole))).rejects.toMatchObject({
    code: "provider_unavailable",
    retryAfterSeconds: 3,
    detail: { reason: "breaker_open" },
  });
  expect(attempts).toHaveLength(5);
});

test("when every route is left alone, one request tries each of them every few seconds, the best first, and its success brings it back", async () => {
  let alive = false;
  const moody = await provider((request, response) => (alive ? answerOk : refuseWith(500))(request, response));
  const broken = await provider(refuseWith(500));
  const { dispatch, task, skip } = harness();
  const routes = [route(broken.url, { priority: 2 }), route(moody.url, { priority: 1 })];
  const ask = (): Promise<number | string> =>
    dispatch(task(...routes)).then(
      (dispatched) => {
        dispatched?.ended({ outcome: "completed", outputTokens: 1 });
        return dispatched?.answer.status ?? 0;
      },
      ({ code }: { code: string }) => code,
    );
  while ((await ask()) !== "provider_unavailable");
  const asked = moody.seen.length;

  skip(3_000);
  expect([await ask(), moody.seen.length]).toEqual(["upstream_error", asked + 1]);
  expect([await ask(), moody.seen.length]).toEqual(["upstream_error", asked + 1]);
  expect(await ask()).toBe("provider_unavailable");
  alive = true;
  skip(3_000);
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200]);
});

test("a payer who must leave a route alone asks the next one, and is told for how long when there is none", async () => {
  const first = await provider(answerOk);
  const second = await provider(answerOk);
  const { dispatch, task } = harness();
  const [one, other] = [route(first.url), route(second.url)];
  const restsMs = ({ id }: Route): number => (id === one.id ? 90_000 : 0);

  expect((await dispatch({ ...task(one, other), restsMs }))?.route.id).toBe(other.id);
  expect(first.seen).toHaveLength(0);
  await expect(dispatch({ ...task(one), restsMs })).rejects.toMatchObject({
    code: "provider_unavailable",
    retryAfterSeconds: 90,
    detail: { reason: "lost_work" },
  });
  expect((await dispatch(task(one)))?.answer.status).toBe(200);
});

test("no gloomy guess refuses a request: a sole route that is over its capacity is asked all the same", async () => {
  let calls = 0;
  const busy = await provider((request, response) =>
    (++calls <= 10 ? refuseWith(429, {}, { "retry-after": "60" }) : answerOk)(request, response),
  );
  const { dispatch, task } = harness();
  const sole = route(busy.url);
  for (let call = 0; call < 10; call++) await dispatch(task(sole)).catch(() => undefined);

  expect((await dispatch(task(sole)))?.answer.status).toBe(200);
});

test("a route that asks to be left alone is passed over meanwhile", async () => {
  const busy = await provider(refuseWith(429, {}, { "retry-after": "30" }));
  const free = await provider(answerOk);
  const { dispatch, task, skip } = harness();
  const pair = [route(busy.url), route(free.url)];
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
  const [first, second] = [route(free.url, { concurrencyLimit: 1 }), route(free.url, { concurrencyLimit: 1 })];
  const open = await dispatch(task(first, second));
  expect((await dispatch(task(first, second)))?.route.id).toBe(second.id);
  await expect(dispatch(task(first, second))).rejects.toMatchObject({
    code: "provider_unavailable",
    detail: { reason: "concurrency_limit" },
  });

  open?.ended({ outcome: "completed", outputTokens: 1 });
  expect((await dispatch(task(first, second)))?.route.id).toBe(first.id);
});

test("requests a provider rightly refuses never take its route from others", async () => {
  const error = { type: "invalid_request_error", message: "temperature is out of range" };
  const strict = await provider(refuseWith(400, error));
  const { dispatch, task, health } = harness();
  const sole = route(strict.url);
  for (let call = 0; call < 20; call++) {
    await expect(dispatch(task(sole))).rejects.toMatchObject({ code: "invalid_request" });
  }

  expect(health.report()[0]).toMatchObject({ breaker: "closed", successRate: 1, callsInProgress: 0 });
});

test("when the routes of the first group fail, the next group is asked, and a sole route is not asked twice before it", async () => {
  const dead = await provider((request) => request.socket.destroy());
  const well = await provider(answerOk);
  const { dispatch, task, attempts } = harness();
  const other = route(well.url, { dialect: "messages" });

  const dispatched = await dispatch({ ...task(route(dead.url)), otherRoutes: () => [[other]] });

  expect(dispatched?.route).toBe(other);
  expect(attempts.map(({ failure }) => failure)).toEqual(["broken", null]);
  expect(well.seen[0]?.url).toBe("/v1/messages");
});
