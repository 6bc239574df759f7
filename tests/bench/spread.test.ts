import { expect, test } from "vitest";
import { spreadOf } from "./spread.ts";

test("the median is the middle, and half of the values lie between the quartiles", () => {
  expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ q1: 2, median: 3, q3: 4 });
  expect(spreadOf([4, 1, 3, 2])).toEqual({ q1: 1.75, median: 2.5, q3: 3.25 });
  expect(spreadOf([7])).toEqual({ q1: 7, median: 7, q3: 7 });
});

test("nothing has no spread", () => {
  expect(spreadOf([])).toBeNull();
});
