import { expect, test } from "vitest";
import { createCallNumbers } from "./number-tool-calls.ts";

const numbersOf = (calls: readonly { index: number; id?: string }[]): number[] => {
  const number = createCallNumbers();
  return calls.map((call) => number({ ...call }).index);
};

test("calls are numbered from 0 in the order they begin, whatever their provider calls them", () => {
  expect(numbersOf([{ index: 1, id: "a" }, { index: 1 }, { index: 7, id: "b" }, { index: 1 }])).toEqual([0, 0, 1, 0]);
});

test("another id under the same number is another call, and the same id is not", () => {
  expect(
    numbersOf([
      { index: 0, id: "a" },
      { index: 0, id: "a" },
      { index: 0, id: "b" },
      { index: 0 },
      { index: 1, id: "c" },
    ]),
  ).toEqual([0, 0, 1, 1, 2]);
});
