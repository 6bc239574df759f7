import { expect, test } from "vitest";
import { SilenceMeter } from "./silence-meter.ts";
import { timeAway } from "./time-away.ts";

const pace = { tokensPerSecond: 100, firstTokenMs: 0, lateFirstTokenMs: 0 };

test("the time in which a tool of the provider runs is away, and no other", () => {
  let running = false;
  const away = timeAway({ providerRuns: () => ({ toolCalls: {}, inputTokens: 0, running }) }, 1_000);

  expect(away(2_000)).toBe(0);
  running = true;
  expect(away(3_000)).toBe(0);
  expect(away(8_000)).toBe(5_000);
  running = false;
  expect(away(9_000)).toBe(6_000);
  expect(away(20_000)).toBe(6_000);
  expect(timeAway({}, 0)(5_000)).toBe(0);
});

test("a caller that leaves after a search is not charged it as thinking", () => {
  let running = false;
  const away = timeAway({ providerRuns: () => ({ toolCalls: {}, inputTokens: 0, running }) }, 0);
  const meter = new SilenceMeter({ pace, choices: 1, answeredAtMs: 0 });
  meter.note(4, 0, away(0));
  running = true;
  away(100);
  running = false;
  const waitedMs = away(30_100);

  expect(meter.tokens(30_200, waitedMs)).toBe(0);
  expect(meter.tokens(30_200, 0)).toBeGreaterThan(2_000);
});
