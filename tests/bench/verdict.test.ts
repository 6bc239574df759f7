import { expect, test } from "vitest";
import { type Column, type Measured, type Sheet, sheetOf } from "./sheet.ts";
import { goalsTable, judge, slowerThanBefore } from "./verdict.ts";

const COLUMNS: Column[] = [
  { id: "rate", title: "", unit: "", better: "higher", compared: "yes" },
  { id: "cpu", title: "", unit: "", better: "lower", compared: "yes" },
  { id: "database", title: "", unit: "", better: "lower", compared: "no" },
  { id: "addedP99", title: "", unit: "", better: "lower", compared: "no" },
];

type Values = Measured["values"];

function sheet(id: string, subjects: Record<string, Values>, more: { base?: string; invalid?: string } = {}): Sheet {
  const { base = "bare", invalid = null } = more;
  const slices = Object.entries(subjects).map(([subject, values]) => ({ subject, round: 1, values, invalid }));
  return sheetOf({ id, title: id, base, columns: COLUMNS, slices });
}

const missed = (sheets: Sheet[]): string[] => judge(sheets, []).flatMap(({ met, title }) => (met ? [] : [title]));

const BARE = { rate: 100, cpu: 10, database: null };

test("figures at the height of their goals reach them", () => {
  const sheets = [
    sheet("plain", { bare: BARE, tollgate: { rate: 40, cpu: 23, database: 70 } }),
    sheet("stream", { bare: BARE, tollgate: { rate: 90, cpu: 11 } }),
  ];

  expect(judge(sheets, []).map(({ met }) => met)).toEqual([true, true, true, true, true]);
});

test("equal rates do not pass when the processor time tells that the load was the limit", () => {
  expect(missed([sheet("stream", { bare: { rate: 100, cpu: 8 }, tollgate: { rate: 100, cpu: 10 } })])).toEqual([
    "streams, processor time",
  ]);
});

test("a low rate and a busy database are missed goals, whatever the processor time", () => {
  expect(missed([sheet("plain", { bare: BARE, tollgate: { rate: 39, cpu: 5, database: 71 } })])).toEqual([
    "plain requests, rate",
    "plain requests, PostgreSQL",
  ]);
});

test("a chain and other formats are shares of the lone chat key in the same rounds", () => {
  const sheets = [
    sheet(
      "chain",
      { chat: { rate: 100, cpu: 10 }, chain: { rate: 90, cpu: 11 }, messages: { rate: 87, cpu: 12 } },
      { base: "chat" },
    ),
  ];

  expect(missed(sheets)).toEqual(["messages, rate", "messages, processor time"]);
});

test("a figure that rests on INVALID slices alone does not reach its goal", () => {
  const sheets = [sheet("half", { tollgate: { addedP99: 3 } }, { invalid: "core taken" })];

  expect(judge(sheets, []).filter(({ title }) => title.includes("p99"))).toMatchObject([
    { reached: 3, doubt: "INVALID slices only", met: false },
  ]);
  expect(goalsTable(judge(sheets, []))).toContain("3.00 ms INVALID slices only");
});

test("percentiles over all slices decide, where there are such ones", () => {
  const slices = [1, 2].map((round) => ({ subject: "tollgate", round, values: { addedP99: 20 }, invalid: null }));
  const whole = sheetOf({ id: "half", title: "", columns: COLUMNS, slices, wholeOf: () => ({ addedP99: 11 }) });

  expect(missed([whole])).not.toContain("half load, added p99");
});

test("a version that is slower than the one before is named, in any format", () => {
  const before = { rate: 50, cpu: 20 };
  const sheets = [sheet("messages-plain", { bare: BARE, tollgate: { rate: 45, cpu: 20 }, before })];

  expect(slowerThanBefore(sheets)).toMatchObject([{ sheet: "messages-plain", ratio: 0.9, least: 0.97 }]);
});

test("what was not measured is not demanded", () => {
  expect(judge([sheet("plain", { bare: BARE })], [])).toEqual([]);
});
