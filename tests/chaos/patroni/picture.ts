import type { Row } from "./figures.ts";
import { nameOf } from "./table.ts";

const WIDTH = 960;
const MARGIN = 24;
const LEFT = 24;
const PLOT_LEFT = 330;
const PLOT_WIDTH = WIDTH - PLOT_LEFT - MARGIN;
const HEAD_HEIGHT = 104;
const ROW_HEIGHT = 44;
const PLOT_HEIGHT = 26;
const FIRST_SECOND = -3;
const LEAST_SECONDS = 60;

/** Colours for both schemes, each readable on its own ground. */
const STYLE = `
    .ground { fill: #ffffff; stroke: #d0d7de; }
    text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 12px; }
    .heading { font-size: 18px; font-weight: 600; }
    .quiet { fill: #59636e; font-size: 11px; }
    .track { fill: #f3f5f7; }
    .answered { fill: #0a7d68; }
    .refused { fill: #cf222e; }
    .mark { stroke: #1f2328; stroke-width: 1.25; }
    .grid { stroke: #d0d7de; stroke-width: 1; }
    @media (prefers-color-scheme: dark) {
      .ground { fill: #0d1117; stroke: #30363d; }
      text { fill: #e6edf3; }
      .quiet { fill: #9aa5b1; }
      .track { fill: #161c24; }
      .answered { fill: #2fb598; }
      .refused { fill: #f85149; }
      .mark { stroke: #e6edf3; }
      .grid { stroke: #30363d; }
    }`;

type Scale = { at: (second: number) => number; lastSecond: number };

/** A time line per row: of each second how many of its requests were answered and how many refused. */
export function pictureOf(rows: readonly Row[]): string {
  const scale = scaleOf(rows);
  const height = HEAD_HEIGHT + rows.length * ROW_HEIGHT + MARGIN + 12;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Requests answered and refused in each second of every scenario">
  <style>${STYLE}
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
  <text class="heading" x="${LEFT}" y="36">What callers heard, second by second</text>
  ${legend("answered", "answered", LEFT)}
  ${legend("refused", "refused with 503", LEFT + 92)}
  <line class="mark" x1="${LEFT + 226}" x2="${LEFT + 226}" y1="53" y2="67"/><text class="quiet" x="${LEFT + 234}" y="64">what happened to the servers; 0 is the fault</text>
${grid(scale, height)}
${rows.map((row, place) => lineOf(row, { scale, top: HEAD_HEIGHT + place * ROW_HEIGHT })).join("\n")}
</svg>
`;
}

function scaleOf(rows: readonly Row[]): Scale {
  const lasts = rows.map(({ seconds }) => seconds.at(-1)?.second ?? 0);
  const lastSecond = Math.ceil(Math.max(LEAST_SECONDS, ...lasts) / 10) * 10;
  return {
    lastSecond,
    at: (second) => PLOT_LEFT + ((second - FIRST_SECOND) / (lastSecond - FIRST_SECOND)) * PLOT_WIDTH,
  };
}

const legend = (style: string, text: string, left: number): string =>
  `<rect class="${style}" x="${left}" y="54" width="12" height="12" rx="2"/><text class="quiet" x="${left + 18}" y="64">${text}</text>`;

function grid({ at, lastSecond }: Scale, height: number): string {
  const step = lastSecond > 100 ? 20 : 10;
  const ticks = Array.from({ length: Math.floor(lastSecond / step) + 1 }, (_, index) => index * step);
  return ticks
    .map((second) => {
      const x = at(second).toFixed(1);
      return `  <line class="grid" x1="${x}" x2="${x}" y1="${HEAD_HEIGHT - 12}" y2="${height - MARGIN}"/><text class="quiet" x="${x}" y="${HEAD_HEIGHT - 18}" text-anchor="middle">${second} s</text>`;
    })
    .join("\n");
}

/** Each second is a column as high as what was asked in it, answered below and refused above. */
function lineOf(row: Row, { scale, top }: { scale: Scale; top: number }): string {
  const most = Math.max(1, ...row.seconds.map(({ answered, refused }) => answered + refused));
  const width = Math.max(1, scale.at(1) - scale.at(0) - 0.6);
  const columns = row.seconds
    .filter(({ second }) => second >= FIRST_SECOND)
    .map(({ second, answered, refused }) => {
      const [low, high] = [(answered / most) * PLOT_HEIGHT, (refused / most) * PLOT_HEIGHT];
      const column = (style: string, y: number, tall: number): string =>
        tall < 0.1
          ? ""
          : `<rect class="${style}" x="${scale.at(second).toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${tall.toFixed(1)}"/>`;
      return column("answered", top + PLOT_HEIGHT - low, low) + column("refused", top + PLOT_HEIGHT - low - high, high);
    });
  const marks = row.marks.map(({ second, what }) => {
    const x = scale.at(second).toFixed(1);
    return `<line class="mark" x1="${x}" x2="${x}" y1="${top - 4}" y2="${top + PLOT_HEIGHT + 3}"><title>${escaped(what)}, ${second.toFixed(1)} s</title></line>`;
  });
  const end = scale.at(row.seconds.at(-1)?.second ?? 0) + width;
  return `  <rect class="track" x="${PLOT_LEFT}" y="${top}" width="${(end - PLOT_LEFT).toFixed(1)}" height="${PLOT_HEIGHT}"/>
  <text x="${LEFT}" y="${top + 11}">${escaped(nameOf(row).split(": ")[0] ?? "")}</text>
  <text class="quiet" x="${LEFT}" y="${top + 25}">${escaped([row.route, row.sees].filter(Boolean).join(", "))}</text>
  ${columns.join("")}
  ${marks.join("")}`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
