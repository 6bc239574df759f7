import type { Figure, Spread } from "./figure.ts";

const HEADINGS = ["", "better", "direct", "bare proxy", "Tollgate", "ratio"];

/** The figures as text for the terminal, notes below. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [
    HEADINGS,
    ...figures.map((figure) => [
      `${figure.title} (${figure.unit})`,
      figure.better,
      spreadText(figure.direct),
      spreadText(figure.bare),
      spreadText(figure.tollgate),
      figure.ratio === null ? "–" : figure.ratio.toFixed(2),
    ]),
  ];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  const notes = Map.groupBy(
    figures.filter(({ note }) => note !== ""),
    ({ note }) => note,
  );
  const noteLines = [...notes].map(([note, sharing]) => `! ${sharing.map(({ title }) => title).join("; ")}: ${note}`);
  return [lines[0], "─".repeat(lines[0]?.length ?? 0), ...lines.slice(1), ...noteLines].join("\n");
}

/** Median and range. */
function spreadText(spread: Spread | null): string {
  if (spread === null) return "–";
  return `${numberText(spread.median)} (${numberText(spread.min)}–${numberText(spread.max)})`;
}

/** Three figures that mean something, or whole numbers above a hundred. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return value.toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits }).replace("-", "−");
}
