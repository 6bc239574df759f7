import { cellIn, type Cell, type Column, type Sheet } from "./sheet.ts";
import type { Spread } from "./spread.ts";
import { BARE, BEFORE, TOLLGATE } from "./subject.ts";
import { numberText } from "./table.ts";

const WIDTH = 880;
const MARGIN = 24;
const HEAD_HEIGHT = 84;
const TITLE_HEIGHT = 26;
const BAR_HEIGHT = 18;
const BAR_GAP = 6;
const GROUP_GAP = 22;
const BAR_LEFT = 118;
const BAR_WIDTH = 440;
const VALUE_LEFT = BAR_LEFT + BAR_WIDTH + 14;

/** What is drawn of each sheet that has it. */
const DRAWN = ["rate", "cpu", "p50", "opened", "perStream"];
/** Where latency is the point, processor time is left to the table. */
const isDrawn = ({ columns }: Sheet, { id }: Column): boolean =>
  DRAWN.includes(id) && !(id === "cpu" && columns.some((column) => column.id === "p50"));

const TITLES: Record<string, string> = { [BARE]: "Bare proxy", [TOLLGATE]: "Tollgate", [BEFORE]: "Before" };

/** Colours for both schemes, each readable on its own ground (contrast of text above 7:1). */
const STYLE = `
    .ground { fill: #ffffff; stroke: #d0d7de; }
    text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 13px; }
    .heading { font-size: 18px; font-weight: 600; }
    .title { font-size: 14px; font-weight: 600; }
    .quiet { fill: #4d5560; font-weight: 400; }
    .track { fill: #eef1f4; }
    .bare { fill: #8c96a3; }
    .tollgate { fill: #0a7d68; }
    .before { fill: #7fbfb2; }
    .peer { fill: #6b7fd7; }
    .whisker { stroke: #1f2328; stroke-width: 1.5; fill: none; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #30363d; }
      text { fill: #e6edf3; }
      .quiet { fill: #aeb8c4; }
      .track { fill: #1b222b; }
      .bare { fill: #6e7a88; }
      .tollgate { fill: #2fb598; }
      .before { fill: #1f6f60; }
      .peer { fill: #7c8ff0; }
      .whisker { stroke: #e6edf3; }
    }`;

/** A bar per subject, the median with its quartiles; every group has a scale of its own, beginning at zero. */
export function chartOf(sheets: readonly Sheet[], heading: string): string {
  const groups = sheets.flatMap((sheet) =>
    sheet.columns.filter((column) => isDrawn(sheet, column)).map((column) => ({ sheet, column })),
  );
  let top = HEAD_HEIGHT;
  const drawn = groups.map((group) => {
    const text = groupOf({ ...group, top });
    top += TITLE_HEIGHT + group.sheet.rows.length * (BAR_HEIGHT + BAR_GAP) + GROUP_GAP;
    return text;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img" aria-label="Tollgate compared with a bare Node proxy">
  <style>${STYLE}
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${top - 1}" rx="8"/>
  <text class="heading" x="${MARGIN}" y="36">Tollgate and a bare Node proxy on one core</text>
  <text class="quiet" x="${MARGIN}" y="60">${escaped(heading)}. Bars are medians, whiskers quartiles.</text>
${drawn.join("\n")}
</svg>
`;
}

type Group = { sheet: Sheet; column: Column; top: number };

function groupOf({ sheet, column, top }: Group): string {
  const cells = sheet.rows.map(({ subject }) => cellIn(sheet, subject, column.id));
  const scale = Math.max(...cells.map((cell) => cell?.value?.q3 ?? 0), Number.MIN_VALUE);
  const doubtful = sheet.rows.some(({ valid }) => valid === 0) ? " · INVALID slices only" : "";
  const unit = column.unit === "1/s" ? "per second" : column.unit;
  return [
    `  <text class="title" x="${MARGIN}" y="${top + 12}">${escaped(sheet.title)}`,
    `    <tspan class="quiet" dx="6">${column.title}, ${unit} · ${column.better} is better${doubtful}</tspan></text>`,
    ...sheet.rows.map(({ subject }, index) =>
      barOf({ subject, cell: cells[index], scale, top: top + TITLE_HEIGHT + index * (BAR_HEIGHT + BAR_GAP) }),
    ),
  ].join("\n");
}

type Bar = { subject: string; cell: Cell | undefined; scale: number; top: number };

function barOf({ subject, cell, scale, top }: Bar): string {
  const middle = top + BAR_HEIGHT / 2;
  const name = `  <text x="${MARGIN}" y="${middle + 4.5}">${escaped(TITLES[subject] ?? subject)}</text>`;
  if (cell === undefined || cell.value === null) return name;
  const { value, ofBase } = cell;
  const range = value.q1 === value.q3 ? "" : `${numberText(value.q1)}–${numberText(value.q3)}`;
  const length = ((Math.max(0, value.median) / scale) * BAR_WIDTH).toFixed(1);
  const style = subject in TITLES ? subject : "peer";
  const ratio = ofBase === null ? "" : `${ofBase.median.toFixed(ofBase.median < 0.1 ? 3 : 2)} of bare`;
  return [
    name,
    `  <rect class="track" x="${BAR_LEFT}" y="${top}" width="${BAR_WIDTH}" height="${BAR_HEIGHT}" rx="3"/>`,
    `  <rect class="${style}" x="${BAR_LEFT}" y="${top}" width="${length}" height="${BAR_HEIGHT}" rx="3"/>`,
    `  <path class="whisker" d="${whisker(value, scale, middle)}"/>`,
    `  <text x="${VALUE_LEFT}" y="${middle + 4.5}">${numberText(value.median)}`,
    `    <tspan class="quiet" dx="4">${[range, ratio].filter((part) => part !== "").join(" · ")}</tspan></text>`,
  ].join("\n");
}

function whisker(value: Spread, scale: number, middle: number): string {
  const along = (point: number): string => (BAR_LEFT + (Math.max(0, point) / scale) * BAR_WIDTH).toFixed(1);
  const [low, high] = [along(value.q1), along(value.q3)];
  return `M${low} ${middle - 4}V${middle + 4}M${low} ${middle}H${high}M${high} ${middle - 4}V${middle + 4}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
