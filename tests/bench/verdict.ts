import type { Crossing } from "./crossings.ts";
import { type Goal, GOALS } from "./goals.ts";
import { cellIn, figureOf, type Row, type Sheet } from "./sheet.ts";
import { TOLLGATE } from "./subject.ts";
import { markdownTable, numberText } from "./table.ts";

/** Two runs of the same code differ by less than this. */
const LEAST_OF_BEFORE = 0.97;
const LEAST_OF_RELAYED = 0.7;
/** Streams that come in frames, each of which has two checksums. */
const LEAST_IN_FRAMES = 0.6;

/** A goal and what was reached. `reached` is null when the figure is missing, `doubt` says why it does not count. */
export type Judged = Pick<Goal, "title" | "of" | "sense" | "limit" | "unit" | "meaning"> & {
  reached: number | null;
  doubt: "" | "INVALID slices only";
  met: boolean;
};

/** The goals of what was measured. A figure that is missing or rests on INVALID slices alone does not meet its goal. */
export function judge(sheets: readonly Sheet[], crossings: readonly Crossing[]): Judged[] {
  return [
    ...GOALS.flatMap((goal) => sheets.flatMap((sheet) => (sheet.id === goal.sheet ? judged(sheet, goal) : []))),
    ...crossings.flatMap(judgedCrossing),
  ];
}

function judged(sheet: Sheet, goal: Goal): Judged[] {
  const { subject, column, of, sense, limit, title, unit, meaning } = goal;
  const row = rowIn(sheet, subject);
  const cell = cellIn(sheet, subject, column);
  if (row === undefined || cell === undefined) return [];
  const reached = of === "itself" ? figureOf(cell) : (cell.ofBase?.median ?? null);
  const rows = of === "itself" ? [row] : [row, rowIn(sheet, sheet.base)];
  const doubt = rows.some((each) => each?.valid === 0) ? "INVALID slices only" : "";
  const met = reached !== null && doubt === "" && (sense === "at least" ? reached >= limit : reached <= limit);
  return [{ title, of, sense, limit, unit, meaning, reached, doubt, met }];
}

const rowIn = (sheet: Sheet, subject: string): Row | undefined => sheet.rows.find((row) => row.subject === subject);

/** Translated streams are held against streams of the caller's format that are relayed. */
function judgedCrossing({ client, provider, ofRelayed, valid }: Crossing): Judged[] {
  if (ofRelayed === null) return [];
  const doubt = valid === 0 ? "INVALID slices only" : "";
  const limit = provider === "converse" ? LEAST_IN_FRAMES : LEAST_OF_RELAYED;
  return [
    {
      title: `streams, ${client} from ${provider}, of relayed ones`,
      of: "itself",
      sense: "at least",
      limit,
      unit: "",
      meaning: "Clients of one format can use models of another at nearly the same speed.",
      reached: ofRelayed.lower,
      doubt,
      met: doubt === "" && ofRelayed.lower >= limit,
    },
  ];
}

export function goalsTable(all: readonly Judged[]): string {
  const rows = all.map(({ title, of, reached, doubt, sense, limit, unit, met, meaning }) => [
    of === "itself" ? title : `${title}, of ${of}`,
    [reached === null ? "–" : numberText(reached), unit, doubt].filter((word) => word !== "").join(" "),
    `${sense} ${limit.toLocaleString("en")}`,
    met ? "reached" : "**missed**",
    meaning,
  ]);
  return `### Goals\n\n${markdownTable([["", "reached", "goal", "", "what it means"], ...rows])}`;
}

export type Slower = { sheet: string; ratio: number | null; least: number };

/** Sheets in which this version is slower than the other one, by the lower of the ratios of rate and of processor time. */
export function slowerThanBefore(sheets: readonly Sheet[]): Slower[] {
  return sheets.flatMap((sheet) => {
    const rate = cellIn(sheet, TOLLGATE, "rate")?.ofBefore?.median ?? null;
    const cpu = cellIn(sheet, TOLLGATE, "cpu")?.ofBefore?.median ?? null;
    if (rate === null && cpu === null) return [];
    const ratio = rate === null || cpu === null ? null : Math.min(rate, cpu);
    return ratio !== null && ratio >= LEAST_OF_BEFORE ? [] : [{ sheet: sheet.id, ratio, least: LEAST_OF_BEFORE }];
  });
}
