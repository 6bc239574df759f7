import { expect, test } from "vitest";
import { createRouteBreaker } from "./route-breaker.ts";

function harness(random = () => 0) {
  let nowMs = 0;
  const changes: string[] = [];
  const breaker = createRouteBreaker({ elapsedMs: () => nowMs, random, onChange: (state) => changes.push(state) });
  const fail = (times: number): void => {
    for (let time = 0; time < times; time++) breaker.failed(breaker.began());
  };
  return { breaker, changes, fail, pass: (ms: number) => void (nowMs += ms) };
}

test("five failures in a row open it; four and a success do not", () => {
  const { breaker, changes, fail } = harness();
  fail(4);
  breaker.succeeded(breaker.began());
  fail(4);
  expect(breaker.state()).toBe("closed");

  fail(1);
  expect(breaker.state()).toBe("open");
  expect(changes).toEqual(["open"]);
});

test("after ten seconds one request is the trial, and its success closes it", () => {
  const { breaker, changes, fail, pass } = harness();
  fail(5);
  pass(9_999);
  expect([breaker.state(), breaker.remainingMs()]).toEqual(["open", 1]);
  pass(1);

  expect([breaker.state(), breaker.trial()]).toEqual(["half_open", "none"]);
  const trial = breaker.began();
  expect(breaker.trial()).toBe("waiting");
  breaker.answered(trial);
  expect([breaker.state(), breaker.trial()]).toEqual(["half_open", "answered"]);
  breaker.succeeded(trial);
  expect([breaker.state(), breaker.trial()]).toEqual(["closed", "none"]);
  expect(changes).toEqual(["open", "closed"]);
});

test("every trial that fails doubles the wait, up to five minutes, and a success starts anew", () => {
  const { breaker, fail, pass } = harness();
  fail(5);
  const waits: number[] = [];
  for (let round = 0; round < 7; round++) {
    waits.push(breaker.remainingMs());
    pass(breaker.remainingMs());
    breaker.failed(breaker.began());
  }
  expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);

  pass(breaker.remainingMs());
  breaker.succeeded(breaker.began());
  fail(5);
  expect(breaker.remainingMs()).toBe(10_000);
});

test("chance lengthens the wait by up to a fifth", () => {
  const { breaker, fail } = harness(() => 0.5);
  fail(5);

  expect(breaker.remainingMs()).toBe(11_000);
});

test("calls that began before it opened neither close it nor keep it open", () => {
  const { breaker, fail, pass } = harness();
  const [lucky, unlucky] = [breaker.began(), breaker.began()];
  fail(5);
  breaker.succeeded(lucky);
  expect(breaker.state()).toBe("open");

  pass(10_000);
  breaker.failed(unlucky);
  expect(breaker.state()).toBe("half_open");
});

test("a trial whose caller left is followed by another", () => {
  const { breaker, fail, pass } = harness();
  fail(5);
  pass(10_000);
  breaker.released(breaker.began());

  expect(breaker.trial()).toBe("none");
  breaker.succeeded(breaker.began());
  expect(breaker.state()).toBe("closed");
});

test("where no other route is left, one request tries it three seconds after the last that failed, or six after one that waits", () => {
  const { breaker, fail, pass } = harness();
  fail(5);
  expect(breaker.probeInMs()).toBe(3_000);
  pass(3_000);
  expect([breaker.state(), breaker.probeInMs()]).toEqual(["open", 0]);

  const waiting = breaker.began({ probe: true });
  expect([breaker.trial(), breaker.probeInMs()]).toEqual(["waiting", 6_000]);
  pass(6_000);
  expect(breaker.probeInMs()).toBe(0);

  breaker.failed(breaker.began({ probe: true }));
  expect(breaker.probeInMs()).toBe(3_000);
  breaker.succeeded(waiting);
  expect(breaker.state()).toBe("open");
  pass(3_000);
  breaker.succeeded(breaker.began({ probe: true }));
  expect([breaker.state(), breaker.probeInMs()]).toEqual(["closed", 0]);
});

test("one that went unanswered closes with the first answer, whoever gets it", () => {
  const { breaker, changes } = harness();
  const waiting = breaker.began();
  breaker.unanswered();
  breaker.unanswered();
  expect(breaker.state()).toBe("open");

  breaker.answered(waiting);
  expect(breaker.state()).toBe("closed");
  expect(changes).toEqual(["open", "closed"]);
});
