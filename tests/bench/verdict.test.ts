import { expect, test } from "vitest";
import { type Figure, figureOf } from "./figure.ts";
import { missesOf } from "./verdict.ts";

function figure(id: string, bare: number, tollgate: number): Figure {
  const samples = [
    { subject: "bare", value: bare, invalid: null },
    { subject: "tollgate", value: tollgate, invalid: null },
  ] as const;
  return figureOf({ id, title: id, unit: "", better: "higher", samples });
}

test("ratios at the demanded height pass", () => {
  const figures = [
    figure("plain-rate", 100, 70),
    figure("plain-cpu", 70, 100),
    figure("stream-rate", 100, 90),
    figure("stream-cpu", 9, 10),
  ];

  expect(missesOf(figures)).toEqual([]);
});

test("equal rates do not pass when the processor time tells that the load was the limit", () => {
  const figures = [figure("stream-rate", 100, 100), figure("stream-cpu", 8, 10)];

  expect(missesOf(figures)).toMatchObject([{ kind: "stream", ratio: 0.8, least: 0.85 }]);
});

test("a low rate does not pass, whatever the processor time", () => {
  expect(missesOf([figure("plain-rate", 100, 39), figure("plain-cpu", 10, 5)])).toMatchObject([
    { kind: "plain", ratio: 0.39 },
  ]);
});

test("what was not measured is not demanded", () => {
  expect(missesOf([figure("memory", 1, 9)])).toEqual([]);
});
