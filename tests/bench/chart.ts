import type { Figure, Spread } from "./figure.ts";
import { numberText } from "./table.ts";

const WIDTH = 880;
const MARGIN = 24;
const HEAD_HEIGHT = 84;
const ROW_HEIGHT = 92;
const BAR_HEIGHT = 20;
const BAR_LEFT = 118;
const BAR_WIDTH = 470;
const VALUE_LEFT = BAR_LEFT + BAR_WIDTH + 14;

/** Colours for both schemes, each readable on its own ground (contrast of text above 7:1). */
const STYLE = `
    .ground { fill: #ffffff; stroke: #d0d7de; }
    text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 13px; }
    .heading { font-size: 18px; font-weight: 600; }
    .title { font-size: 14px; font-weight: 600; }
    .quiet { fill: #4d5560; }
    .track { fill: #eef1f4; }
    .bare { fill: #8c96a3; }
    .tollgate { fill: #0a7d68; }
    .whisker { stroke: #1f2328; stroke-width: 1.5; fill: none; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #30363d; }
      text { fill: #e6edf3; }
      .quiet { fill: #aeb8c4; }
      .track { fill: #1b222b; }
      .bare { fill: #6e7a88; }
      .tollgate { fill: #2fb598; }
      .whisker { stroke: #e6edf3; }
    }`;

/** Two bars per figure, the median with the range of all rounds; every figure has a scale of its own, beginning at zero. */
export function chartOf(figures: readonly Figure[]): string {
  const height = HEAD_HEIGHT + figures.length * ROW_HEIGHT + MARGIN / 2;
  const rows = figures.map((figure, index) => rowOf(figure, HEAD_HEIGHT + index * ROW_HEIGHT));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Tollgate compared with a bare Node proxy">
  <style>${STYLE}
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
  <text class="heading" x="${MARGIN}" y="36">Tollgate and a bare Node proxy, one core each</text>
  <text class="quiet" x="${MARGIN}" y="60">Median of the rounds; the whisker spans from the lowest to the highest round.</text>
${rows.join("\n")}
</svg>
`;
}

function rowOf(figure: Figure, top: number): string {
  const spreads = [figure.bare, ...(figure.tollgate === null ? [] : [figure.tollgate])];
  const scale = Math.max(...spreads.map(({ max }) => max), Number.MIN_VALUE);
  const ratio = figure.ratio === null ? "" : ` · ratio ${figure.ratio.toFixed(2)}`;
  const doubtful = figure.note === "" ? "" : " · with invalid rounds";
  const barTop = top + 22;
  return [
    `  <text class="title" x="${MARGIN}" y="${top + 12}">${escaped(figure.title)}`,
    `    <tspan class="quiet" font-weight="400" dx="6">${figure.better} is better${ratio}${doubtful}</tspan></text>`,
    barOf({ name: "Bare proxy", style: "bare", spread: figure.bare, scale, top: barTop, unit: figure.unit }),
    ...(figure.tollgate === null
      ? []
      : [
          barOf({
            name: "Tollgate",
            style: "tollgate",
            spread: figure.tollgate,
            scale,
            top: barTop + BAR_HEIGHT + 6,
            unit: figure.unit,
          }),
        ]),
  ].join("\n");
}

type Bar = { name: string; style: "bare" | "tollgate"; spread: Spread; scale: number; top: number; unit: string };

function barOf({ name, style, spread, scale, top, unit }: Bar): string {
  const along = (value: number): string => (BAR_LEFT + (Math.max(0, value) / scale) * BAR_WIDTH).toFixed(1);
  const length = ((Math.max(0, spread.median) / scale) * BAR_WIDTH).toFixed(1);
  const middle = top + BAR_HEIGHT / 2;
  const [low, high] = [along(spread.min), along(spread.max)];
  const whisker = `M${low} ${middle - 5}V${middle + 5}M${low} ${middle}H${high}M${high} ${middle - 5}V${middle + 5}`;
  return [
    `  <text x="${MARGIN}" y="${middle + 4.5}">${name}</text>`,
    `  <rect class="track" x="${BAR_LEFT}" y="${top}" width="${BAR_WIDTH}" height="${BAR_HEIGHT}" rx="3"/>`,
    `  <rect class="${style}" x="${BAR_LEFT}" y="${top}" width="${length}" height="${BAR_HEIGHT}" rx="3"/>`,
    `  <path class="whisker" d="${whisker}"/>`,
    `  <text x="${VALUE_LEFT}" y="${middle + 4.5}">${numberText(spread.median)} ${escaped(unit)}`,
    `    <tspan class="quiet" dx="4">${numberText(spread.min)}–${numberText(spread.max)}</tspan></text>`,
  ].join("\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
