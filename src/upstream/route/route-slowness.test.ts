import { expect, test } from "vitest";
import { RouteSlowness, type Slowness } from "./route-slowness.ts";

function harness() {
  let nowMs = 0;
  const heard: (Slowness | null)[] = [];
  const slowness = new RouteSlowness(
    () => nowMs,
    (one) => heard.push(one),
  );
  const pass = (ms: number): void => void (nowMs += ms);
  const answer = (times: number, waitedMs: number): void => {
    for (let one = 0; one < times; one += 1) {
      pass(150);
      slowness.add(waitedMs);
    }
  };
  const waiting = (count: number, waitedMs: number): void =>
    slowness.look(Array.from({ length: count }, () => ({ beganAtMs: nowMs - waitedMs })));
  return { slowness, heard, pass, answer, waiting };
}

test("a route at a tenth of its pace is slow after four streams, told once, and not slow when it is as usual again", () => {
  const { slowness, heard, answer } = harness();
  answer(40, 300);
  answer(3, 3_000);
  expect(slowness.now()).toBeNull();

  answer(1, 3_000);
  expect(slowness.now()).toMatchObject({ beginsMs: 3_000, usualMs: expect.closeTo(320, -2) });
  answer(20, 3_000);
  answer(10, 300);

  expect(slowness.now()).toBeNull();
  expect(heard).toMatchObject([{ beginsMs: 3_000 }, null]);
});

test("three streams that wait for too long say it before any is answered, and two do not", () => {
  const { slowness, heard, answer, waiting } = harness();
  answer(40, 300);
  waiting(2, 60_000);
  waiting(3, 1_400);
  expect(slowness.now()).toBeNull();

  waiting(3, 1_600);
  expect(slowness.now()).toEqual({ beginsMs: 1_600, usualMs: expect.closeTo(300) });
  answer(1, 3_000);
  expect(heard).toHaveLength(1);
});

test("long prompts now and then, a few milliseconds more, and a route hardly known are not slow", () => {
  const rare = harness();
  for (let turn = 0; turn < 40; turn += 1) {
    rare.answer(5, 300);
    rare.answer(2, 9_000);
  }
  const quick = harness();
  quick.answer(40, 20);
  quick.answer(10, 200);
  const fresh = harness();
  fresh.answer(14, 300);
  fresh.answer(5, 3_000);
  fresh.waiting(9, 60_000);

  expect([rare, quick, fresh].map(({ heard }) => heard)).toEqual([[], [], []]);
});

test("another pace that lasts becomes the usual one, and of a route that is not asked nothing is known", () => {
  const { slowness, pass, answer } = harness();
  answer(40, 300);
  answer(10, 3_000);
  expect(slowness.now()).not.toBeNull();
  pass(61_000);
  expect(slowness.now()).toBeNull();

  for (let hour = 0; hour < 12; hour += 1) {
    pass(3_600_000);
    answer(20, 3_000);
  }
  expect(slowness.now()).toBeNull();
});
