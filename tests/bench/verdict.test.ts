import { expect, test } from "vitest";
import { type Column, type Sheet, sheetOf } from "./sheet.ts";
import { missesOf } from "./verdict.ts";

const COLUMNS: Column[] = [
  { id: "rate", title: "", unit: "", better: "higher", compared: "yes" },
  { id: "cpu", title: "", unit: "", better: "lower", compared: "yes" },
];

type Values = { rate: number; cpu: number };

function sheet(id: string, subjects: Record<string, Values>): Sheet {
  const slices = Object.entries(subjects).map(([subject, values]) => ({ subject, round: 1, values, invalid: null }));
  return sheetOf({ id, title: id, columns: COLUMNS, slices });
}

const BARE = { rate: 100, cpu: 10 };

test("ratios at the demanded height pass", () => {
  const sheets = [
    sheet("plain", { bare: BARE, tollgate: { rate: 40, cpu: 25 } }),
    sheet("stream", { bare: BARE, tollgate: { rate: 90, cpu: 11 } }),
  ];

  expect(missesOf(sheets)).toEqual([]);
});

test("equal rates do not pass when the processor time tells that the load was the limit", () => {
  const sheets = [sheet("stream", { bare: { rate: 100, cpu: 8 }, tollgate: { rate: 100, cpu: 10 } })];

  expect(missesOf(sheets)).toMatchObject([{ kind: "stream", ratio: 0.8, of: "the bare proxy", least: 0.85 }]);
});

test("a low rate does not pass, whatever the processor time", () => {
  const sheets = [sheet("plain", { bare: BARE, tollgate: { rate: 39, cpu: 5 } })];

  expect(missesOf(sheets)).toMatchObject([{ kind: "plain", ratio: 0.39 }]);
});

test("a version that is slower than the one before does not pass, in any format", () => {
  const before = { rate: 50, cpu: 20 };
  const sheets = [sheet("messages-plain", { bare: BARE, tollgate: { rate: 45, cpu: 20 }, before })];

  expect(missesOf(sheets)).toMatchObject([{ kind: "messages-plain", ratio: 0.9, of: "the version before" }]);
});

test("what was not measured is not demanded", () => {
  expect(missesOf([sheet("plain", { bare: BARE })])).toEqual([]);
});
