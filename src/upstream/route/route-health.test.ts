import { payerNamed } from "../../core/money/payer.ts";
import { expect, test } from "vitest";
import { createRouteHealth } from "./route-health.ts";
import type { Route } from "../../core/catalogue/route.ts";

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
const SERVER_ERROR = { reason: "server_error", status: 500, coolDownMs: null as number | null };

function harness() {
  let nowMs = 1_000;
  const changes: string[] = [];
  const clock = { nowMs: () => nowMs, elapsedMs: () => nowMs };
  const health = createRouteHealth({
    clock,
    random: () => 0,
    onChange: ({ routeId, state, reason }) => changes.push(`${routeId} ${state} ${reason}`),
  });
  const succeed = (): void => health.begin(ROUTE).ended({ outcome: "completed", outputTokens: 1 });
  const fail = (failure = SERVER_ERROR): void => health.begin(ROUTE).failed(failure);
  return { health, changes, succeed, fail, pass: (ms: number) => void (nowMs += ms) };
}

test("a route that fails half of its calls is doubted, and given another chance when it has rested", () => {
  const { health, succeed, fail, pass } = harness();
  for (let call = 0; call < 10; call++) {
    succeed();
    fail();
  }
  expect(health.standing(ROUTE)).toMatchObject({ verdict: "doubtful" });
  expect(health.report()[0]).toMatchObject({ breaker: "closed", successRate: 2 / 3 });

  pass(60_000);
  expect(health.standing(ROUTE)).toEqual({ verdict: "ready" });
});

test("a few failures among many successes do not make a route doubtful", () => {
  const { health, succeed, fail } = harness();
  for (let call = 0; call < 100; call++) (call % 10 === 0 ? fail : succeed)();

  expect(health.standing(ROUTE)).toEqual({ verdict: "ready" });
});

test("answers that break off open the breaker like calls that never begin", () => {
  const { health, changes, pass, succeed } = harness();
  for (let call = 0; call < 5; call++) {
    const watched = health.begin(ROUTE);
    watched.answered(20);
    watched.ended({ outcome: "upstream_failed", outputTokens: 3 });
  }
  expect(health.standing(ROUTE)).toEqual({ verdict: "open" });
  expect(health.restsMs(ROUTE)).toBe(3_000);
  expect(health.report()[0]?.restsMs).toBe(10_000);

  pass(10_000);
  expect(health.standing(ROUTE)).toEqual({ verdict: "ready" });
  const trial = health.begin(ROUTE);
  expect(health.standing(ROUTE)).toEqual({ verdict: "open" });
  trial.answered(20);
  expect(health.standing(ROUTE)).toMatchObject({ verdict: "doubtful" });
  trial.ended({ outcome: "completed", outputTokens: 3 });
  succeed();
  expect(health.report()[0]?.breaker).toBe("closed");
  expect(changes).toEqual(["r1 open broke_off", "r1 closed answered"]);
});

test("one payer whose answers break off does not take a route from everybody; several show that it is broken", () => {
  const alone = harness();
  const breakOff = (health: typeof alone.health, payer: string): void =>
    health.begin(ROUTE).ended({ outcome: "upstream_failed", outputTokens: 5, payer: payerNamed(payer) });
  for (let call = 0; call < 20; call++) breakOff(alone.health, "k1");
  expect(alone.health.report()[0]).toMatchObject({ breaker: "closed" });

  const many = harness();
  for (let call = 0; call < 5; call++) breakOff(many.health, `k${call}`);
  expect(many.health.report()[0]).toMatchObject({ breaker: "open" });
});

test("a caller that left before anything was said speaks neither for a route nor against it", () => {
  const { health, fail, pass } = harness();
  const leave = (outputTokens: number): void => {
    const watched = health.begin(ROUTE);
    watched.answered(20);
    watched.ended({ outcome: "client_gone", outputTokens });
  };
  for (let call = 0; call < 5; call++) {
    fail();
    if (call < 4) leave(0);
  }
  expect(health.standing(ROUTE)).toEqual({ verdict: "open" });

  pass(10_000);
  leave(0);
  expect(health.report()[0]).toMatchObject({ breaker: "half_open", callsInProgress: 0 });
  leave(1);
  expect(health.report()[0]).toMatchObject({ breaker: "closed", callsInProgress: 0 });
});

test.each([
  ["was answered", "closed"],
  ["was not", "open"],
] as const)(
  "whole answers that take too long shut a route only if nobody else had one: somebody %s, so it is %s",
  (somebody, breaker) => {
    const { health, pass } = harness();
    const long = Array.from({ length: 6 }, () => health.begin(ROUTE));
    pass(30_000);
    const other = health.begin(ROUTE);
    if (somebody === "was answered") other.answered(20);
    other.released();
    pass(30_000);
    for (const call of long) call.failed({ reason: "timed_out", status: null, coolDownMs: null });

    expect(health.report()[0]).toMatchObject({ breaker, callsInProgress: 0, successRate: 10 / 16 });
  },
);

const stream = (payer: string) => ({ payer: payerNamed(payer), streamed: true });

test("what was asked before a route recovered says nothing about it when it fails at last", () => {
  const { health, pass } = harness();
  const hung = Array.from({ length: 20 }, (_, call) => health.begin(ROUTE, stream(`k${call}`)));
  const broken = Array.from({ length: 20 }, () => health.begin(ROUTE));
  for (const call of broken) call.answered(10);
  pass(30_000);
  const well = health.begin(ROUTE, stream("k1"));
  well.answered(300);
  well.ended({ outcome: "completed", outputTokens: 5 });
  pass(30_000);
  for (const call of hung) call.failed({ reason: "timed_out", status: null, coolDownMs: null });
  for (const [index, call] of broken.entries())
    call.ended({ outcome: "upstream_failed", outputTokens: 5, payer: payerNamed(`k${index}`) });

  expect(health.report()[0]).toMatchObject({ breaker: "closed", callsInProgress: 0 });
});

test("a provider that has stopped answering streams is left before they time out, and used again when one begins", () => {
  const { health, changes, pass } = harness();
  health.begin(ROUTE, stream("k0")).answered(500);
  const hung = Array.from({ length: 5 }, (_, call) => health.begin(ROUTE, stream(`k${call % 3}`)));
  pass(14_999);
  expect(health.standing(ROUTE, payerNamed("k9"))).toEqual({ verdict: "ready" });
  pass(1);
  expect(health.standing(ROUTE, payerNamed("k9"))).toEqual({ verdict: "open" });
  expect(health.restsMs(ROUTE)).toBe(3_000);

  hung[0]?.answered(15_000);
  expect(health.standing(ROUTE, payerNamed("k9"))).toEqual({ verdict: "ready" });
  expect(changes).toEqual(["r1 open unanswered", "r1 closed answered"]);
});

type Silence = { payers?: number; calls?: number; streamed?: boolean; known?: boolean; usualMs?: number };

test.each([
  ["two payers", { payers: 2 }],
  ["four streams", { calls: 4 }],
  ["whole responses, which begin with their last word", { streamed: false }],
  ["a route that was never seen to begin", { known: false }],
  ["a route whose streams usually take five seconds to begin", { usualMs: 5_000 }],
] as [string, Silence][])("a route is not left for the silence of %s", (_, silence) => {
  const { payers = 5, calls = 10, streamed = true, known = true, usualMs = 500 } = silence;
  const { health, pass } = harness();
  if (known) health.begin(ROUTE, stream("k0")).answered(usualMs);
  for (let call = 0; call < calls; call++) health.begin(ROUTE, { ...stream(`k${call % payers}`), streamed });
  pass(30_000);

  expect(health.standing(ROUTE, payerNamed("k9"))).toEqual({ verdict: "ready" });
});

test("a route is not left for the silence of some while it answers others", () => {
  const { health, pass } = harness();
  health.begin(ROUTE, stream("k0")).answered(500);
  for (let call = 0; call < 50; call++) health.begin(ROUTE, stream(`k${call}`));
  pass(30_000);
  health.begin(ROUTE, stream("k0")).answered(500);

  expect(health.standing(ROUTE, payerNamed("k9"))).toEqual({ verdict: "ready" });
});

test("a route that fails one or two payers is left to the others, as a last resort and one at a time [MON-48]", () => {
  const { health, pass } = harness();
  const [ann, bob, eve, dan] = ["ann", "bob", "eve", "dan"].map(payerNamed);
  const fail = (payer = ann): void => health.begin(ROUTE).failed({ ...SERVER_ERROR, payer });
  for (let call = 0; call < 5; call++) fail();
  expect(health.standing(ROUTE, ann)).toEqual({ verdict: "open" });
  expect(health.standing(ROUTE)).toEqual({ verdict: "open" });
  expect(health.standing(ROUTE, bob)).toEqual({ verdict: "doubtful", badness: 2 });

  // While one of them waits, the next does not try; once it is answered, they do.
  const first = health.begin(ROUTE);
  expect(health.standing(ROUTE, eve)).toEqual({ verdict: "open" });
  first.answered(10);
  expect(health.standing(ROUTE, eve)).toEqual({ verdict: "doubtful", badness: 2 });
  first.ended({ outcome: "completed", outputTokens: 1, ...(bob && { payer: bob }) });
  expect(health.report()[0]).toMatchObject({ breaker: "closed" });

  // One that fails three payers is given up by all.
  for (let call = 0; call < 5; call++) fail();
  fail(bob);
  expect(health.standing(ROUTE, dan)).toMatchObject({ verdict: "doubtful" });
  fail(eve);
  expect(health.standing(ROUTE, dan)).toEqual({ verdict: "open" });
  pass(60_000);
  expect(health.standing(ROUTE, ann)).toEqual({ verdict: "ready" });
});

test("a route that fails a call of nobody in particular is given up by all", () => {
  const { health, fail } = harness();
  for (let call = 0; call < 5; call++) fail();

  expect(health.standing(ROUTE, payerNamed("bob"))).toEqual({ verdict: "open" });
});

test("a route that asks to be left alone is doubted for that long, and no number of such answers gives it up", () => {
  const { health, fail, pass } = harness();
  for (let call = 0; call < 20; call++) fail({ reason: "rate_limited", status: 429, coolDownMs: 30_000 });

  expect(health.standing(ROUTE)).toMatchObject({ verdict: "doubtful" });
  expect(health.report()[0]).toMatchObject({ breaker: "closed", restsMs: 30_000 });
  pass(30_000);
  expect(health.report()[0]?.restsMs).toBe(0);
});

test("a route at its limit of calls is full until one of them ends, however it ends", () => {
  const { health } = harness();
  const limited = { ...ROUTE, concurrencyLimit: 2 };
  const calls = [health.begin(limited), health.begin(limited)];
  expect(health.standing(limited)).toEqual({ verdict: "full" });

  calls[0]?.released();
  calls[0]?.released();
  expect(health.standing(limited)).toEqual({ verdict: "ready" });
  expect(health.report()[0]?.callsInProgress).toBe(1);
  calls[1]?.ended({ outcome: null, outputTokens: 0 });
  expect(health.report()[0]?.callsInProgress).toBe(0);
});

test("the report has time to first byte, speed and the last five errors, and nothing a provider wrote", () => {
  const { health, fail, pass } = harness();
  for (let call = 0; call < 6; call++) {
    pass(1);
    fail();
    const watched = health.begin(ROUTE);
    watched.answered(40);
    pass(1_000);
    watched.ended({ outcome: "completed", outputTokens: 80 });
  }

  const [route] = health.report();
  expect(route).toMatchObject({ routeId: "r1", provider: "east", firstByteMs: 40, tokensPerSecond: 80 });
  expect(route?.lastErrors).toHaveLength(5);
  expect(route?.lastErrors.at(-1)).toEqual({ reason: "server_error", status: 500, atMs: 6_006 });
});

test("the report has every call since the route was known, and the last changes of its breaker with their reasons", () => {
  const { health, fail, succeed, pass } = harness();
  succeed();
  fail({ reason: "rate_limited", status: 429, coolDownMs: null });
  for (let call = 0; call < 5; call++) fail();
  pass(10_000);
  succeed();

  expect(health.report()[0]).toMatchObject({ knownSinceMs: 1_000, succeeded: 2, failed: 6, rateLimited: 1 });
  expect(health.report()[0]?.changes).toEqual([
    { atMs: 1_000, state: "open", reason: "server_error", untilMs: 11_000, onHearsay: false },
    { atMs: 11_000, state: "closed", reason: "answered", untilMs: null, onHearsay: false },
  ]);

  for (let turn = 0; turn < 40; turn++) {
    for (let call = 0; call < 5; call++) fail();
    pass(10_000);
    succeed();
  }
  expect(health.report()[0]?.changes).toHaveLength(50);
  expect(health.report()[0]?.changes.at(-1)).toMatchObject({ state: "closed" });
});

test("routes that are no longer used are forgotten when there are too many", () => {
  const { health } = harness();
  const busy = health.begin({ ...ROUTE, id: "busy" });
  for (let route = 0; route < 25_000; route++) health.begin({ ...ROUTE, id: `r${route}` }).released();

  expect(health.report().length).toBeLessThanOrEqual(10_000);
  expect(health.report().some(({ routeId }) => routeId === "busy")).toBe(true);
  busy.released();
});
