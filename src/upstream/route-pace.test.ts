import { expect, test } from "vitest";
import { createRoutePace } from "./route-pace.ts";

test("a route that nothing is known of is no free pass: it is taken to be fast", () => {
  expect(createRoutePace().value()).toEqual({ tokensPerSecond: 100, firstTokenMs: 0 });
});

test("a route's pace is the middle of what its late streams showed", () => {
  const pace = createRoutePace();
  for (const firstTokenMs of [200, 300, 9_000]) pace.add({ tokens: 500, speakingMs: 10_000, firstTokenMs });

  expect(pace.value()).toEqual({ tokensPerSecond: 50, firstTokenMs: 300 });

  for (let sample = 0; sample < 31; sample++) pace.add({ tokens: 1_000, speakingMs: 10_000, firstTokenMs: 100 });
  expect(pace.value()).toEqual({ tokensPerSecond: 100, firstTokenMs: 100 });
});

test("streams that thought first say how fast the route is, and not when it begins to speak", () => {
  const pace = createRoutePace();
  pace.add({ tokens: 5_060, speakingMs: 50_600, firstTokenMs: null });

  expect(pace.value()).toEqual({ tokensPerSecond: 100, firstTokenMs: 0 });
});

test("very short answers say nothing of speed", () => {
  const pace = createRoutePace();
  pace.add({ tokens: 1, speakingMs: 10_000, firstTokenMs: 100 });
  pace.add({ tokens: 100, speakingMs: 1, firstTokenMs: 100 });

  expect(pace.value().tokensPerSecond).toBe(100);
});
