import { expect, test } from "vitest";
import { isFlat } from "./flatness.ts";

test("fewer than eight slices are never flat", () => {
  expect(isFlat([100, 100, 100, 100, 100, 100, 100])).toBe(false);
  expect(isFlat([100, 100, 100, 100, 100, 100, 100, 100])).toBe(true);
});

test("a process that still gets quicker is not warm", () => {
  expect(isFlat([400, 300, 250, 230, 220, 210, 205, 200])).toBe(false);
});

test("only the last eight slices decide", () => {
  expect(isFlat([900, 500, 201, 199, 200, 203, 198, 200, 197, 202])).toBe(true);
});

test("one slow or quick slice decides nothing", () => {
  expect(isFlat([200, 200, 200, 900, 200, 200, 50, 200])).toBe(true);
});

test("getting slower is noise, not warming up", () => {
  expect(isFlat([200, 200, 200, 200, 240, 240, 240, 240])).toBe(true);
});
