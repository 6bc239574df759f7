import { expect, test } from "vitest";
import type { Route } from "../../core/catalogue/route.ts";
import { payerNamed } from "../../core/money/payer.ts";
import { createDraw } from "../../../demo/draw.ts";
import { cases } from "../../../tests/support/cases.ts";
import type { HeardNews, RouteNews } from "../news/route-news.ts";
import { createRouteHealth } from "./route-health.ts";

const ROUTE: Route = {
  id: "r1",
  provider: "east",
  baseUrl: "http://east.invalid/v1",
  credentialRef: "none",
  upstreamModel: "large",
  dialect: "chat",
  conformant: true,
  priority: 0,
  weight: 1,
  connectTimeoutMs: 1,
  firstByteTimeoutMs: 1,
  idleTimeoutMs: 1,
  concurrencyLimit: null,
};
const SERVER_ERROR = { reason: "server_error", status: 500, coolDownMs: null };
const PAUSED = {
  routeId: "r1",
  says: "paused",
  reason: "server_error",
  restsMs: 10_000,
  payers: "many",
  from: "p2",
} satisfies HeardNews;
const TRYING: HeardNews = { routeId: "r1", says: "trying", from: "p2" };
const ANSWERED: HeardNews = { routeId: "r1", says: "answered", from: "p2" };
const LIMITED: HeardNews = { routeId: "r1", says: "limited", restsMs: 20_000, from: "p2" };

function harness(random: () => number = () => 0) {
  let nowMs = 1_000_000;
  const told: RouteNews[] = [];
  const clock = { nowMs: () => nowMs, elapsedMs: () => nowMs };
  const health = createRouteHealth({ clock, random, onChange: () => undefined, tell: (news) => told.push(news) });
  const succeed = (): void => {
    const call = health.begin(ROUTE);
    call.answered(10);
    call.ended({ outcome: "completed", outputTokens: 1 });
  };
  const fail = (times = 1): void => {
    for (let time = 0; time < times; time++) health.begin(ROUTE).failed(SERVER_ERROR);
  };
  const breaker = () => health.report()[0]?.breaker;
  succeed();
  return { health, told, succeed, fail, breaker, pass: (ms: number) => void (nowMs += ms), now: () => nowMs };
}

const verdict = ({ health }: Pick<ReturnType<typeof harness>, "health">) => health.standing(ROUTE).verdict;

test("that others paused a route makes another preferred for ten seconds, and refuses nothing", () => {
  const stage = harness();
  stage.health.heard(PAUSED);
  expect(stage.health.standing(ROUTE)).toEqual({ verdict: "doubtful", badness: 1 });
  expect(stage.breaker()).toBe("closed");

  stage.pass(10_000);
  expect(verdict(stage)).toBe("ready");
});

test("a process whose own calls are answered has done with what others say, and hears none of it for half a minute", () => {
  const stage = harness();
  stage.health.heard(PAUSED);
  stage.succeed();
  stage.health.heard(PAUSED);
  expect(verdict(stage)).toBe("ready");

  stage.pass(30_000);
  stage.health.heard(PAUSED);
  expect(verdict(stage)).toBe("doubtful");
});

test("an answer to what was asked before others paused a route does not speak for it", () => {
  const stage = harness();
  const early = stage.health.begin(ROUTE);
  stage.health.heard(PAUSED);
  early.answered(10);

  expect(verdict(stage)).toBe("doubtful");
});

test("three failures in a row open a breaker where others paused the route, and the change says so", () => {
  const stage = harness();
  stage.health.heard(PAUSED);
  stage.fail(2);
  expect(stage.breaker()).toBe("closed");
  stage.fail();

  expect(stage.breaker()).toBe("open");
  expect(stage.health.report()[0]?.changes).toMatchObject([{ state: "open", reason: "server_error", onHearsay: true }]);
  expect(stage.health.report()[0]?.heard).toMatchObject({ from: "p2", says: "paused", reason: "server_error" });
  expect(stage.told).toEqual([]);
});

test("a breaker that three failures have not opened opens when others say that they paused the route", () => {
  const stage = harness();
  stage.fail(3);
  stage.health.heard(PAUSED);

  expect(stage.breaker()).toBe("open");
});

test("what failed for one or two payers is not held against a route elsewhere", () => {
  const stage = harness();
  stage.fail(4);
  stage.health.heard({ ...PAUSED, payers: "few" });

  expect(stage.breaker()).toBe("closed");
  expect(verdict(stage)).toBe("ready");
});

test("a process tells when a route is paused, for whom, when it tries it, and what came of it", () => {
  const { health, told, pass, fail, succeed } = harness();
  const one = payerNamed("one");
  for (let call = 0; call < 5; call++) health.begin(ROUTE, { payer: one }).failed({ ...SERVER_ERROR, payer: one });
  expect(told).toMatchObject([{ says: "paused", reason: "server_error", restsMs: 10_000, payers: "few" }]);

  for (const payer of ["two", "three"].map(payerNamed))
    health.begin(ROUTE, { payer }).failed({ ...SERVER_ERROR, payer });
  expect(told.slice(1)).toMatchObject([{ says: "paused", payers: "many" }]);

  pass(10_000);
  fail();
  expect(told.slice(2)).toMatchObject([{ says: "trying" }, { says: "paused", restsMs: 20_000 }]);

  pass(20_000);
  succeed();
  expect(told.slice(4)).toEqual([
    { routeId: "r1", says: "trying" },
    { routeId: "r1", says: "answered" },
  ]);
});

test("while another tries a route, and after it has in vain, this process does not; when it has died, it does within seconds", () => {
  const stage = harness();
  stage.fail(5);
  stage.pass(2_900);
  stage.health.heard(TRYING);
  stage.pass(200);
  expect(stage.health.restsMs(ROUTE)).toBeGreaterThan(0);
  stage.health.heard(PAUSED);
  stage.pass(2_500);
  expect(stage.health.restsMs(ROUTE)).toBeGreaterThan(0);
  stage.pass(2_000);
  expect(stage.health.restsMs(ROUTE)).toBe(0);

  stage.health.heard(TRYING);
  expect(stage.health.restsMs(ROUTE)).toBeGreaterThan(3_000);
  stage.pass(5_500);
  expect(stage.health.restsMs(ROUTE)).toBe(0);
});

test("a route that answered another is tried at once by one request, by two more while that one waits, and then no sooner than without a word", () => {
  const stage = harness();
  stage.fail(5);
  stage.pass(500);
  stage.health.heard(ANSWERED);
  expect(stage.health.restsMs(ROUTE)).toBe(500);
  expect(stage.breaker()).toBe("open");

  stage.pass(500);
  expect(verdict(stage)).toBe("ready");
  stage.health.begin(ROUTE);
  for (let more = 0; more < 2; more++) {
    expect(verdict(stage)).toBe("open");
    expect(stage.health.restsMs(ROUTE)).toBe(1_000);
    stage.pass(1_000);
    expect(stage.health.restsMs(ROUTE)).toBe(0);
    stage.health.begin(ROUTE, { probe: true });
  }
  stage.health.heard(ANSWERED);
  expect(verdict(stage)).toBe("open");
  expect(stage.health.restsMs(ROUTE)).toBe(3_000);
  stage.pass(3_000);
  expect(verdict(stage)).toBe("ready");
});

test("what others try after it has answered one of them is not waited for", () => {
  const stage = harness();
  stage.fail(5);
  stage.pass(5_000);
  stage.health.heard(ANSWERED);
  stage.health.heard(TRYING);

  expect(verdict(stage)).toBe("ready");
});

test("another's 429 makes other routes preferred for as long as it was asked for, until this process is answered", () => {
  const stage = harness();
  stage.health.heard(LIMITED);
  stage.pass(19_000);
  expect(verdict(stage)).toBe("doubtful");
  stage.succeed();
  expect(verdict(stage)).toBe("ready");
});

test("a route that this process never used is nothing to hear of", () => {
  const { health } = harness();
  health.heard({ ...PAUSED, routeId: "unknown" });

  expect(health.report()).toHaveLength(1);
});

/** Whatever any role of the database sends, a thousand times a second. */
test.each(Array.from({ length: cases({ gate: 20, long: 200 }) }, (_, seed) => seed))(
  "forged news %i refuse nothing of a route that works, and neither shorten nor lengthen a pause beyond its bounds",
  (seed) => {
    const draw = createDraw(`forged ${seed}`);
    const kinds = [
      PAUSED,
      { ...PAUSED, payers: "few" as const },
      TRYING,
      ANSWERED,
      LIMITED,
      { ...PAUSED, restsMs: 600_000 },
    ];
    const favourite = draw.pick(kinds);
    const forged = (): HeardNews => (draw.chance(0.5) ? favourite : draw.pick(kinds));

    const working = harness(draw.next);
    for (let step = 0; step < 2_000; step++) {
      working.health.heard(forged());
      expect(verdict(working)).not.toBe("open");
      // Two failures among successes are no reason, whatever others say.
      if (step % 7 === 0) working.fail(2);
      else if (step % 7 === 1) working.succeed();
      working.pass(draw.whole(1, 200));
    }

    const failing = harness(draw.next);
    failing.fail(5);
    let triedAtMs = failing.now();
    const gaps: number[] = [];
    while (gaps.length < 40) {
      failing.health.heard(forged());
      failing.pass(draw.whole(1, 100));
      const { verdict: mayUse } = failing.health.standing(ROUTE);
      if (mayUse === "open" && failing.health.restsMs(ROUTE) > 0) continue;
      gaps.push(failing.now() - triedAtMs);
      triedAtMs = failing.now();
      const call = failing.health.begin(ROUTE, { probe: mayUse === "open" });
      // Others hang for ever.
      if (draw.chance(0.5)) call.failed(SERVER_ERROR);
    }
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000);
    // Alone, four within any ten seconds; with the worst of news, two more.
    for (let first = 0; first + 6 < gaps.length; first++)
      expect(gaps.slice(first + 1, first + 7).reduce((sum, gap) => sum + gap, 0)).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(30_200);
  },
);
