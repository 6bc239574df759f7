import { pictureOf } from "./chart-style.ts";
import { driftsOf, type Minute, SERIES, settlingMinutes } from "./soak-verdict.ts";
import { markdownTable, numberText } from "./table.ts";

const WIDTH = 880;
const MARGIN = 24;
const HEAD_HEIGHT = 84;
const PLOT_HEIGHT = 90;
const PLOT_GAP = 46;
const PLOT_WIDTH = WIDTH - 2 * MARGIN;

/** A line per series over the minutes, each on a scale of its own that begins at zero, and the fitted line. */
export function soakChartOf(minutes: readonly Minute[], heading: string): string {
  const height = HEAD_HEIGHT + SERIES.length * (PLOT_HEIGHT + PLOT_GAP);
  const plots = SERIES.map((series, index) =>
    plotOf(minutes, series.id, HEAD_HEIGHT + index * (PLOT_HEIGHT + PLOT_GAP)),
  );
  const title = `${minutes.length} minutes under steady load`;
  const label = "Rate, p99, resident memory and promoted bytes of Tollgate, minute by minute";
  return pictureOf({ width: WIDTH, height, label, heading: title, subheading: heading }, plots);
}

function plotOf(minutes: readonly Minute[], id: (typeof SERIES)[number]["id"], top: number): string {
  const drift = driftsOf(minutes).find((each) => each.id === id);
  if (drift === undefined) return "";
  const values = minutes.map((minute) => minute[id]);
  const scale = Math.max(...values, Number.MIN_VALUE) * 1.05;
  const bottom = top + 20 + PLOT_HEIGHT;
  const x = (index: number): string => (MARGIN + (index / Math.max(1, minutes.length - 1)) * PLOT_WIDTH).toFixed(1);
  const y = (value: number): string => (bottom - (Math.max(0, value) / scale) * PLOT_HEIGHT).toFixed(1);
  const line = values.map((value, index) => `${index === 0 ? "M" : "L"}${x(index)} ${y(value)}`).join("");
  const first = settlingMinutes(minutes.length);
  const last = minutes.length - 1;
  const perMinute = drift.slope / 60;
  const fitted = (index: number): number => drift.median + perMinute * (index - (first + last) / 2);
  const told =
    `median ${numberText(drift.median)} ${drift.unit} · ${numberText(drift.slope)} per hour · ` +
    `${(drift.change * 100).toFixed(1)} % over the run · ${drift.flat ? "flat" : "not flat"}`;
  return [
    `  <text class="title" x="${MARGIN}" y="${top + 12}">${drift.title}<tspan class="quiet" dx="6">${told}</tspan></text>`,
    `  <rect class="track" x="${MARGIN}" y="${top + 20}" width="${PLOT_WIDTH}" height="${PLOT_HEIGHT}" rx="3"/>`,
    `  <path class="line" d="${line}"/>`,
    `  <path class="fit" d="M${x(first)} ${y(fitted(first))}L${x(last)} ${y(fitted(last))}"/>`,
  ].join("\n");
}

export function soakTable(minutes: readonly Minute[]): string {
  const rows = driftsOf(minutes).map(({ title, unit, median, slope, change, flat }) => [
    `${title}, ${unit}`,
    numberText(median),
    numberText(slope),
    `${(change * 100).toFixed(1)} %`,
    flat ? "flat" : "**not flat**",
  ]);
  return markdownTable([["", "median", "slope per hour", "change over the run", ""], ...rows]);
}
