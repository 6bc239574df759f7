import { expect, test } from "vitest";
import { createCallNumbering } from "./number-tool-calls.ts";

const numbersOf = (calls: readonly { index?: number; id?: string }[]): unknown[] => {
  const numbered = createCallNumbering();
  return calls.map((call) => numbered([call])[0]?.["index"]);
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

test("calls in one chunk that have no number are numbered in their order", () => {
  const named = (name: string) => ({ function: { name } });

  expect(createCallNumbering()([named("f"), named("f"), named("g")])).toMatchObject([
    { index: 0 },
    { index: 1 },
    { index: 2 },
  ]);
});

test("calls past all reason keep the number they were given, and are not taken for the last that was known", () => {
  const numbered = createCallNumbering();
  for (let index = 0; index < 10_000; index++) numbered([{ index, id: `c${index}` }]);

  expect(numbered([{ index: 12_345, id: "x" }])).toEqual([{ index: 12_345, id: "x" }]);
  expect(numbered([{ function: { name: "f" } }, {}])).toMatchObject([{ index: 0 }, { index: 1 }]);
  expect(numbered([{ index: 7 }])).toEqual([{ index: 7 }]);
});
