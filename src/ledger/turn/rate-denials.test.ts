import { expect, test } from "vitest";
import { createRateDenials } from "./rate-denials.ts";

test("a key is refused until the time the ledger named, and not a moment longer", () => {
  let nowMs = 0;
  const denials = createRateDenials({ elapsedMs: () => nowMs });
  denials.note("k", { forMs: 3_000, askedAtMs: 0 });
  nowMs = 2_999;
  expect(denials.remainingMs("k")).toBe(1);
  nowMs = 3_000;
  expect(denials.remainingMs("k")).toBe(0);
  expect(denials.remainingMs("other")).toBe(0);
});

test("a key that has changed is asked for again", () => {
  const denials = createRateDenials({ elapsedMs: () => 0 });
  denials.note("a", { forMs: 9, askedAtMs: 0 });
  denials.note("b", { forMs: 9, askedAtMs: 0 });
  denials.forget("a");
  expect([denials.remainingMs("a"), denials.remainingMs("b")]).toEqual([0, 9]);
  denials.forget(null);
  expect(denials.remainingMs("b")).toBe(0);
});

test("the memory is bounded: the oldest gives way", () => {
  const denials = createRateDenials({ elapsedMs: () => 0 });
  for (let n = 0; n <= 100_000; n++) denials.note(String(n), { forMs: 9, askedAtMs: 0 });
  expect([denials.remainingMs("0"), denials.remainingMs("1"), denials.remainingMs("100000")]).toEqual([0, 9, 9]);
});

test("the time the ledger took to answer does not make the wait longer [HDR-6]", () => {
  const denials = createRateDenials({ elapsedMs: () => 500 });
  denials.note("k", { forMs: 3_000, askedAtMs: 100 });
  expect(denials.remainingMs("k")).toBe(2_600);
});
