import { expect, test } from "vitest";
import { SilenceMeter } from "./silence-meter.ts";

const PACE = { tokensPerSecond: 50, firstTokenMs: 1_000 };

function meter({ choices = 1 } = {}) {
  const made = new SilenceMeter({ pace: PACE, choices, answeredAtMs: 0 });
  return {
    at: (nowMs: number, answerBytes: number, pausedMs = 0) => {
      made.note(answerBytes, nowMs, pausedMs);
      return made.tokens(nowMs, pausedMs);
    },
  };
}

test("the time before the first token counts, less what is usual without reasoning [CAN-16]", () => {
  expect(meter().at(900, 4)).toBe(0);
  expect(meter().at(5_000, 4)).toBe(4 * 50 - 1);
  expect(meter().at(5_000, 0)).toBe(4 * 50);
  expect(meter({ choices: 3 }).at(5_000, 0)).toBe(3 * 4 * 50);
});

test("a model that goes on speaking adds nothing; one that falls silent within its answer does [CAN-16]", () => {
  const { at } = meter();
  at(500, 4);
  for (let spoken = 1; spoken < 40; spoken++) expect(at(500 + spoken * 1_000, 4 + spoken * 4)).toBe(0);

  expect(at(41_000, 160)).toBe(0);
  expect(at(49_500, 160)).toBe(10 * 50);
  expect(at(49_500, 164)).toBe(10 * 50 - 1);
});

test("what comes in one piece after a silence was made in it, and is not counted twice [CAN-16]", () => {
  const { at } = meter();
  at(500, 4);

  expect(at(10_500, 4 + 500 * 4)).toBe(0);
});

test("the time in which a slow caller kept the provider from being read is no silence of the provider's", () => {
  const { at } = meter();
  at(500, 4);

  expect(at(60_500, 8, 60_000)).toBe(0);
});
