import { type Cell, type Column, figureOf, type Row, type Sheet } from "./sheet.ts";
import type { Spread } from "./spread.ts";

/** A sheet as a table in Markdown: a line per subject, with the ratios beside what they compare. */
export function tableOf(sheet: Sheet): string {
  const columns = sheet.columns.filter(({ id }) => sheet.rows.some((row) => cellOf(row, id)?.value != null));
  const shows = (column: Column, ratio: "ofBase" | "ofBefore"): boolean =>
    sheet.rows.some((row) => cellOf(row, column.id)?.[ratio] != null);
  const headings = columns.flatMap((column) => [
    `${column.title}, ${column.unit}`,
    ...(shows(column, "ofBase") ? [`of ${sheet.base}`] : []),
    ...(shows(column, "ofBefore") ? ["of before"] : []),
  ]);
  const rows = sheet.rows.map((row) => [
    row.subject,
    ...columns.flatMap((column) => {
      const cell = cellOf(row, column.id);
      return [
        cellText(cell),
        ...(shows(column, "ofBase") ? [ratioText(cell?.ofBase ?? null)] : []),
        ...(shows(column, "ofBefore") ? [ratioText(cell?.ofBefore ?? null)] : []),
      ];
    }),
    validText(row),
  ]);
  const notes = sheet.rows.flatMap((row) =>
    row.firstInvalid === null
      ? []
      : [`- ${row.subject}, ${row.total - row.valid} of ${row.total} INVALID: ${row.firstInvalid}`],
  );
  const table = markdownTable([["", ...headings, "valid"], ...rows]);
  return [`### ${sheet.title}`, "", table, ...(notes.length === 0 ? [] : ["", ...notes])].join("\n");
}

const cellOf = (row: Row, column: string): Cell | undefined => row.cells.find((cell) => cell.column === column);

const validText = ({ valid, total }: Row): string => `${valid}/${total}${valid === 0 ? " INVALID" : ""}`;

/** The first column to the left, the others to the right, and every column as wide as its widest cell. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  const [headings = [], ...others] = rows;
  return [line(headings), `| ${rule.join(" | ")} |`, ...others.map(line)].join("\n");
}

/** The figure over all slices, or the median, and the quartiles between slices. */
function cellText(cell: Cell | undefined): string {
  const figure = cell === undefined ? null : figureOf(cell);
  if (figure === null) return "–";
  const range = cell?.value == null ? "" : ` [${numberText(cell.value.q1)}–${numberText(cell.value.q3)}]`;
  return `${numberText(figure)}${range}`;
}

function ratioText(ratio: Spread | null): string {
  if (ratio === null) return "";
  const text = (value: number): string => value.toFixed(value < 0.1 ? 3 : 2);
  return `**${text(ratio.median)}** [${text(ratio.q1)}–${text(ratio.q3)}]`;
}

/** Three figures that mean something, or whole numbers above a hundred. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits }).replace("-", "−");
}
