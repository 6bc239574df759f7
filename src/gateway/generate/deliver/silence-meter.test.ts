import { expect, test } from "vitest";
import { SilenceMeter } from "./silence-meter.ts";

const PACE = { tokensPerSecond: 100, firstTokenMs: 1_000, lateFirstTokenMs: 1_500 };

function meter({ choices = 1 } = {}) {
  const made = new SilenceMeter({ pace: PACE, choices, answeredAtMs: 0 });
  return {
    at: (nowMs: number, seenBytes: number, pausedMs = 0) => {
      made.note(seenBytes, nowMs, pausedMs);
      return made.tokens(nowMs, pausedMs);
    },
    doubted: (nowMs: number) => made.doubtedTokens(nowMs, 0),
  };
}

test("the time before the first token counts, less what is usual without reasoning, and a little for the caller [CAN-16]", () => {
  expect(meter().at(900, 4)).toBe(0);
  expect(meter().at(5_000, 4)).toBe(400 * 0.97 - 1);
  expect(meter().at(5_000, 0)).toBe(400 * 0.97);
  expect(meter({ choices: 3 }).at(5_000, 0)).toBe(3 * 400 * 0.97);
});

test("a first token that may have come late by itself is free, and what is charged then grows from nothing [CAN-16]", () => {
  expect(meter().at(1_500, 0)).toBe(0);
  expect(meter().at(1_600, 0)).toBe(19);
  expect(meter().at(2_000, 0)).toBe(100 * 0.97);
});

test("what is free because it is in doubt is told apart, for the house bears it [CAN-16]", () => {
  expect(meter().doubted(1_000)).toBe(0);
  expect(meter().doubted(1_400)).toBe(40);
  expect(meter().doubted(1_600)).toBe(Math.ceil(60 - 20 * 0.97));
  expect(meter().doubted(11_000)).toBe(30);

  const begun = meter();
  begun.at(1_200, 4);
  expect(begun.doubted(1_300)).toBe(20);
});

test("a model that goes on speaking adds nothing; one that falls silent within its answer does [CAN-16]", () => {
  const { at } = meter();
  at(500, 4);
  for (let spoken = 1; spoken < 40; spoken++) expect(at(500 + spoken * 1_000, 4 + spoken * 4)).toBe(0);

  expect(at(41_000, 160)).toBe(0);
  expect(at(50_500, 160)).toBe(1_000 * 0.97);
  expect(at(50_500, 164)).toBe(1_000 * 0.97 - 1);
});

test("what comes in one piece after a silence was made in it, and is not counted twice [CAN-16]", () => {
  const { at } = meter();
  at(500, 4);

  expect(at(10_500, 4 + 1_000 * 4)).toBe(0);
});

test("the time in which a slow caller kept the provider from being read is no silence of the provider's", () => {
  const { at } = meter();
  at(500, 4);

  expect(at(60_500, 8, 60_000)).toBe(0);
});
