import type { Row } from "./figures.ts";

const WIDTH = 960;
const MARGIN = 24;
const LEFT = 24;
const PLOT_LEFT = 330;
const PLOT_WIDTH = WIDTH - PLOT_LEFT - MARGIN;
const HEAD_HEIGHT = 128;
const GRID_TOP = 100;
const ROW_HEIGHT = 30;
const PLOT_HEIGHT = 22;
/** A line with the moments below the rows of a scenario, and the room to the next one. */
const CAPTION_HEIGHT = 38;
const FIRST_SECOND = -3;
const LEAST_SECONDS = 60;

/** Colours for both schemes, each readable on its own ground. */
const STYLE = `
    .ground { fill: #ffffff; stroke: #d0d7de; }
    text { font-family: ui-sans-serif, system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; font-size: 12px; }
    .heading { font-size: 18px; font-weight: 600; }
    .name { font-weight: 600; }
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

/** A time line per row: of each second what share of its requests was answered and what share refused. */
export function pictureOf(rows: readonly Row[]): string {
  const scale = scaleOf(rows);
  const groups = [...new Set(rows.map(({ scenario }) => scenario))].map((name) =>
    rows.filter(({ scenario }) => scenario === name),
  );
  let top = HEAD_HEIGHT;
  const drawn = groups.map((group) => {
    const from = top;
    top += group.length * ROW_HEIGHT + CAPTION_HEIGHT;
    return groupOf(group, { scale, top: from });
  });
  const height = top + 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Requests that got 200 and 503 in each second of every scenario">
  <style>${STYLE}
  </style>
  <rect class="ground" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
  <text class="heading" x="${LEFT}" y="36">Responses to clients, second by second</text>
  ${legend("answered", "200", LEFT)}
  ${legend("refused", "503", LEFT + 72)}
  <line class="mark" x1="${LEFT + 150}" x2="${LEFT + 150}" y1="53" y2="67"/><text class="quiet" x="${LEFT + 158}" y="64">server event; the fault is at 0 s</text>
${grid(scale, height)}
${drawn.join("\n")}
</svg>
`;
}

/** The rows of one scenario, its name on the first, and its moments below them. */
function groupOf(rows: readonly Row[], { scale, top }: { scale: Scale; top: number }): string {
  const [first] = rows;
  const moments = (first?.marks ?? []).map(({ second, what }) => `${second.toFixed(second < 0.05 ? 0 : 1)} ${what}`);
  const below = top + rows.length * ROW_HEIGHT + 6;
  return [
    `  <text class="name" x="${LEFT}" y="${top - 7}">${escaped(first?.scenario ?? "")}</text>`,
    ...rows.map((row, place) => lineOf(row, { scale, top: top + place * ROW_HEIGHT })),
    `  <text class="quiet" x="${PLOT_LEFT}" y="${below}">${escaped(moments.join("  ·  "))}</text>`,
  ].join("\n");
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
      return `  <line class="grid" x1="${x}" x2="${x}" y1="${GRID_TOP}" y2="${height - MARGIN}"/><text class="quiet" x="${x}" y="${GRID_TOP - 6}" text-anchor="middle">${second} s</text>`;
    })
    .join("\n");
}

/** Each second is a column, answered below and refused above; one in which nothing was asked stays empty. */
function lineOf(row: Row, { scale, top }: { scale: Scale; top: number }): string {
  const width = Math.max(1, scale.at(1) - scale.at(0) - 0.6);
  const column = (style: string, second: number, [y, tall]: readonly [number, number]): string =>
    tall < 0.1
      ? ""
      : `<rect class="${style}" x="${scale.at(second).toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${tall.toFixed(1)}"/>`;
  const columns = row.seconds
    .filter(({ second }) => second >= FIRST_SECOND)
    .map(({ second, answered, refused }) => {
      const asked = Math.max(1, answered + refused);
      const [low, high] = [(answered / asked) * PLOT_HEIGHT, (refused / asked) * PLOT_HEIGHT];
      const floor = top + PLOT_HEIGHT;
      return column("answered", second, [floor - low, low]) + column("refused", second, [floor - low - high, high]);
    });
  const marks = row.marks.map(({ second, what }) => {
    const x = scale.at(second).toFixed(1);
    return `<line class="mark" x1="${x}" x2="${x}" y1="${top - 3}" y2="${top + PLOT_HEIGHT + 3}"><title>${escaped(what)}, ${second.toFixed(1)} s</title></line>`;
  });
  const end = scale.at(row.seconds.at(-1)?.second ?? 0) + width;
  return `  <rect class="track" x="${PLOT_LEFT}" y="${top}" width="${(end - PLOT_LEFT).toFixed(1)}" height="${PLOT_HEIGHT}"/>
  <text class="quiet" x="${LEFT}" y="${top + 15}">${escaped([row.route, row.sees].filter(Boolean).join(", "))}</text>
  ${columns.join("")}
  ${marks.join("")}`;
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
