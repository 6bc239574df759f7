import { escaped, pictureOf } from "./chart-style.ts";
import { type Group, PART_TITLES, PARTS, type Tail } from "./tail.ts";
import { markdownTable, numberText } from "./table.ts";

const WIDTH = 880;
const MARGIN = 24;
const HEAD_HEIGHT = 84;
const LEGEND_HEIGHT = 50;
const BAR_HEIGHT = 30;
const ROW_HEIGHT = 58;
const BAR_WIDTH = WIDTH - 2 * MARGIN;
/** A part of a bar that is narrower has no room for its figure. */
const LABEL_WIDTH = 44;
const LEGEND_COLUMNS = 3;

/** What requests in the middle and in the tail spent their time on: a bar for each group, divided by shares. */
export function tailChartOf({ groups, requests }: Tail, heading: string): string {
  const height = HEAD_HEIGHT + LEGEND_HEIGHT + groups.length * ROW_HEIGHT + 12;
  const label = "What requests spent their time on at half load, in the middle and in the tail";
  const subheading = `${requests.toLocaleString("en")} requests at half of the gateway's capacity. ${heading}`;
  const rows = groups.map((group, index) => rowOf(group, HEAD_HEIGHT + LEGEND_HEIGHT + index * ROW_HEIGHT));
  return pictureOf({ width: WIDTH, height, label, heading: "Where the time of a request goes", subheading }, [
    ...legend(),
    ...rows,
  ]);
}

function legend(): string[] {
  return PARTS.map((part, index) => {
    const x = MARGIN + (index % LEGEND_COLUMNS) * 230;
    const y = HEAD_HEIGHT + Math.floor(index / LEGEND_COLUMNS) * 22;
    return `  <rect class="${part}" x="${x}" y="${y}" width="12" height="12" rx="2"/><text x="${x + 18}" y="${y + 11}">${PART_TITLES[part]}</text>`;
  });
}

function rowOf({ title, requests, totalMs, breakdown }: Group, top: number): string {
  const sum = Math.max(
    PARTS.reduce((all, part) => all + breakdown[part], 0),
    Number.MIN_VALUE,
  );
  let left = MARGIN;
  const bars = PARTS.map((part) => {
    const width = (breakdown[part] / sum) * BAR_WIDTH;
    const text = numberText(breakdown[part]);
    const figure =
      width < LABEL_WIDTH
        ? ""
        : `<text x="${(left + width / 2).toFixed(1)}" y="${top + 20 + BAR_HEIGHT / 2 + 4.5}" text-anchor="middle">${text}</text>`;
    const bar = `  <rect class="${part}" x="${left.toFixed(1)}" y="${top + 20}" width="${width.toFixed(1)}" height="${BAR_HEIGHT}"/>${figure}`;
    left += width;
    return bar;
  });
  const mean = `${numberText(totalMs)} ms on average, ${requests.toLocaleString("en")} requests`;
  return [
    `  <text class="title" x="${MARGIN}" y="${top + 12}">${escaped(title)}<tspan class="quiet" dx="6">${mean}</tspan></text>`,
    ...bars,
  ].join("\n");
}

export function tailTable({ groups, requests }: Tail): string {
  const rows = groups.map(({ title, totalMs, breakdown }) => [
    title,
    numberText(totalMs),
    ...PARTS.map((part) => numberText(breakdown[part])),
  ]);
  const heads = ["", "all, ms", ...PARTS.map((part) => PART_TITLES[part])];
  return `### Where the time goes at half load, ${requests.toLocaleString("en")} requests, inside of the gateway\n\n${markdownTable([heads, ...rows])}`;
}
