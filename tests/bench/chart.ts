import { escaped, pictureOf } from "./chart-style.ts";
import { GOALS } from "./goals.ts";
import { cellIn, type Cell, type Column, figureOf, type Row, type Sheet } from "./sheet.ts";
import type { Spread } from "./spread.ts";
import { BARE, BEFORE, DIRECT, TOLLGATE } from "./subject.ts";
import { numberText } from "./table.ts";

const WIDTH = 880;
const MARGIN = 24;
const HEAD_HEIGHT = 84;
/** A line for what was measured and one for the figure that is drawn. */
const TITLE_HEIGHT = 44;
const BAR_HEIGHT = 18;
const BAR_GAP = 6;
const GROUP_GAP = 22;
const BAR_LEFT = 118;
const BAR_WIDTH = 440;
const VALUE_LEFT = BAR_LEFT + BAR_WIDTH + 14;

/** What is drawn of each sheet that has it. */
const DRAWN = [
  "rate",
  "cpu",
  "database",
  "addedP50",
  "addedP99",
  "allocated",
  "promoted",
  "opened",
  "open",
  "perStream",
];
/** Where latency is the point, rate and processor time are left to the table; garbage is drawn where it has a goal. */
function isDrawn(sheet: Sheet, { id }: Column): boolean {
  if (!DRAWN.includes(id)) return false;
  const ofLatency = sheet.columns.some((column) => column.id === "addedP50");
  if (["rate", "cpu"].includes(id)) return !ofLatency && sheet.id !== "held";
  return !["database", "addedP99", "allocated", "promoted"].includes(id) || goalIn(sheet, id) !== null;
}

const TITLES: Record<string, string> = {
  [DIRECT]: "Direct",
  [BARE]: "Bare proxy",
  [TOLLGATE]: "Tollgate",
  [BEFORE]: "Before",
};

/** A bar per subject, the median with its quartiles; every group has a scale of its own, beginning at zero. */
export function chartOf(sheets: readonly Sheet[], heading: string): string {
  const groups = sheets.flatMap((sheet) =>
    sheet.columns.filter((column) => isDrawn(sheet, column)).map((column) => ({ sheet, column })),
  );
  let top = HEAD_HEIGHT;
  const drawn = groups.map((group) => {
    const text = groupOf({ ...group, top });
    top += TITLE_HEIGHT + rowsOf(group.sheet, group.column).length * (BAR_HEIGHT + BAR_GAP) + GROUP_GAP;
    return text;
  });
  const picture = {
    width: WIDTH,
    height: top,
    label: "Tollgate compared with a bare Node proxy",
    heading: "Tollgate and a bare Node proxy on one core",
    subheading: `${heading}. Whiskers are quartiles, red lines goals.`,
  };
  return pictureOf(picture, drawn);
}

type Group = { sheet: Sheet; column: Column; top: number };

/** Those that have a figure in this column. */
const rowsOf = (sheet: Sheet, { id }: Column): Row[] =>
  sheet.rows.filter(({ subject }) => cellIn(sheet, subject, id)?.value != null);

function groupOf({ sheet, column, top }: Group): string {
  const rows = rowsOf(sheet, column);
  const cells = rows.map(({ subject }) => cellIn(sheet, subject, column.id));
  const goal = goalIn(sheet, column.id);
  const figures = cells.flatMap((cell) => (cell === undefined ? [] : [cell.value?.q3 ?? 0, figureOf(cell) ?? 0]));
  const scale = Math.max(...figures, goal?.value ?? 0, Number.MIN_VALUE);
  const doubtful = rows.some(({ valid }) => valid === 0) ? " · INVALID slices only" : "";
  const unit = column.unit === "1/s" ? "per second" : column.unit;
  return [
    `  <text class="title" x="${MARGIN}" y="${top + 12}">${escaped(sheet.title)}</text>`,
    `  <text class="quiet" x="${MARGIN}" y="${top + 31}">${column.title}, ${unit} · ${column.better} is better${goal === null ? "" : ` · goal ${goal.text}`}${doubtful}</text>`,
    ...rows.map(({ subject }, index) =>
      barOf({
        subject,
        cell: cells[index],
        scale,
        base: sheet.base,
        top: top + TITLE_HEIGHT + index * (BAR_HEIGHT + BAR_GAP),
      }),
    ),
    ...(goal === null ? [] : [goalLine({ at: goal.value, scale, top, rows: rows.length })]),
  ].join("\n");
}

/** Where the goal of a column lies on its scale: the limit, or a share of what the base reaches. */
function goalIn(sheet: Sheet, column: string): { value: number; text: string } | null {
  const goal = GOALS.find((each) => each.sheet === sheet.id && each.column === column);
  const cell = cellIn(sheet, sheet.base, column);
  const base = cell === undefined ? null : figureOf(cell);
  if (goal === undefined) return null;
  const limit = `${goal.sense} ${goal.limit.toLocaleString("en")}`;
  if (goal.of === "itself") return { value: goal.limit, text: `${limit} ${goal.unit}` };
  const higher = sheet.columns.find(({ id }) => id === column)?.better === "higher";
  if (base === null) return null;
  return { value: higher ? base * goal.limit : base / goal.limit, text: `${limit} of ${goal.of}` };
}

function goalLine({ at, scale, top, rows }: { at: number; scale: number; top: number; rows: number }): string {
  const x = (BAR_LEFT + (at / scale) * BAR_WIDTH).toFixed(1);
  const from = top + TITLE_HEIGHT - 4;
  return `  <path class="goal" d="M${x} ${from}V${from + rows * (BAR_HEIGHT + BAR_GAP) + 2}"/>`;
}

const styleOf = (subject: string): string => (subject === DIRECT ? BARE : subject in TITLES ? subject : "peer");

type Bar = { subject: string; cell: Cell | undefined; scale: number; base: string; top: number };

function barOf({ subject, cell, scale, base, top }: Bar): string {
  const middle = top + BAR_HEIGHT / 2;
  const name = `  <text x="${MARGIN}" y="${middle + 4.5}">${escaped(TITLES[subject] ?? subject)}</text>`;
  const figure = cell === undefined ? null : figureOf(cell);
  if (cell?.value == null || figure === null) return name;
  const { value, ofBase } = cell;
  const range = value.q1 === value.q3 ? "" : `${numberText(value.q1)}–${numberText(value.q3)}`;
  const length = ((Math.max(0, figure) / scale) * BAR_WIDTH).toFixed(1);
  const style = styleOf(subject);
  const ratio = ofBase === null ? "" : `${ofBase.median.toFixed(ofBase.median < 0.1 ? 3 : 2)} of ${base}`;
  return [
    name,
    `  <rect class="track" x="${BAR_LEFT}" y="${top}" width="${BAR_WIDTH}" height="${BAR_HEIGHT}" rx="3"/>`,
    `  <rect class="${style}" x="${BAR_LEFT}" y="${top}" width="${length}" height="${BAR_HEIGHT}" rx="3"/>`,
    `  <path class="whisker" d="${whisker(value, scale, middle)}"/>`,
    `  <text x="${VALUE_LEFT}" y="${middle + 4.5}">${numberText(figure)}`,
    `    <tspan class="quiet" dx="4">${[range, ratio].filter((part) => part !== "").join(" · ")}</tspan></text>`,
  ].join("\n");
}

function whisker(value: Spread, scale: number, middle: number): string {
  const along = (point: number): string => (BAR_LEFT + (Math.max(0, point) / scale) * BAR_WIDTH).toFixed(1);
  const [low, high] = [along(value.q1), along(value.q3)];
  return `M${low} ${middle - 4}V${middle + 4}M${low} ${middle}H${high}M${high} ${middle - 4}V${middle + 4}`;
}
