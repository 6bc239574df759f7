/** Draws a dashboard from its JSON and the results of its queries, as an SVG. Not Grafana, but the same panels and numbers. */
export type PanelJson = {
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
  fieldConfig?: {
    defaults: {
      unit: string;
      decimals?: number;
      thresholds: { steps: { color: string; value: number | null }[] };
      mappings: { options: Record<string, { text: string }> }[];
      custom?: { stacking: { mode: string } };
    };
    overrides: { matcher: { options: string }; properties: { value: { fixedColor: string } }[] }[];
  };
};

const STYLE = `<style>svg{--paper:#f4f5f5;--card:#fff;--rule:#e1e4e8;--ink:#24292e;--quiet:#59636e}@media (prefers-color-scheme:dark){svg{--paper:#0d1117;--card:#161b22;--rule:#30363d;--ink:#e6edf3;--quiet:#aeb8c4}}</style>`;

/** A line: its name, and its value at each time; null where it has none. */
export type Line = { name: string; labels: Record<string, string>; values: (number | null)[] };

type Box = { x: number; y: number; w: number; h: number };
type Drawn = { panel: PanelJson; lines: readonly Line[] };

const [COLUMN, UNIT, GAP, MARGIN] = [50, 30, 6, 10];
const COLOURS: Record<string, string> = {
  green: "#299c46",
  orange: "#e0752d",
  red: "#d44a3a",
  blue: "#3274d9",
  text: "var(--ink)",
};
const PALETTE = [
  "#3274d9",
  "#e0752d",
  "#299c46",
  "#a352cc",
  "#c4162a",
  "#00a3a3",
  "#b8860b",
  "#6e7f8d",
  "#e377c2",
  "#8f6f4f",
];

export function drawDashboard(title: string, subtitle: string, panels: readonly Drawn[]): string {
  const bottom = Math.max(...panels.map(({ panel: { gridPos } }) => gridPos.y + gridPos.h));
  const [width, height] = [24 * COLUMN + 2 * MARGIN, bottom * UNIT + 60];
  const body = panels.map(({ panel, lines }) => {
    const { x, y, w, h } = panel.gridPos;
    const box = { x: x * COLUMN + MARGIN + GAP / 2, y: y * UNIT + 50, w: w * COLUMN - GAP, h: h * UNIT - GAP };
    return panel.type === "row"
      ? text(box.x, box.y + 19, panel.title, { size: 14, weight: 600 })
      : drawPanel(box, panel, lines);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="Inter, Helvetica, Arial, sans-serif" role="img" aria-label="${title}">
${STYLE}
<rect width="${width}" height="${height}" fill="var(--paper)"/>
${text(MARGIN + 3, 26, title, { size: 18, weight: 600 })}${text(MARGIN + 3, 43, subtitle, { size: 11, fill: "var(--quiet)" })}
${body.join("\n")}
</svg>
`;
}

function drawPanel(box: Box, panel: PanelJson, lines: readonly Line[]): string {
  const inner = { x: box.x + 8, y: box.y + 26, w: box.w - 16, h: box.h - 32 };
  const frame = `<rect x="${box.x}" y="${box.y}" width="${box.w}" height="${box.h}" rx="2" fill="var(--card)" stroke="var(--rule)"/>`;
  return `${frame}${text(box.x + 8, box.y + 17, panel.title, { size: 12, weight: 500 })}${DRAWERS[panel.type]?.(inner, panel, lines) ?? ""}`;
}

const DRAWERS: Record<string, (box: Box, panel: PanelJson, lines: readonly Line[]) => string> = {
  stat: drawStat,
  timeseries: drawGraph,
  "state-timeline": drawStates,
  table: drawTable,
};

function drawStat(box: Box, panel: PanelJson, [line]: readonly Line[]): string {
  const value = line?.values.findLast((each) => each !== null) ?? null;
  const colour = value === null ? "var(--quiet)" : colourAt(panel, value);
  const spark =
    line === undefined
      ? ""
      : pathOf(line.values, { ...box, y: box.y + box.h - 22, h: 20 }, [0, Math.max(...known(line.values), 1e-9)]);
  return `${text(box.x + box.w / 2, box.y + box.h / 2 + 2, value === null ? "no data" : written(panel, value), { size: 25, weight: 600, fill: colour, anchor: "middle" })}<path d="${spark}" fill="none" stroke="${colour}" opacity=".45"/>`;
}

function drawGraph(box: Box, panel: PanelJson, lines: readonly Line[]): string {
  const legendRows = Math.min(3, Math.ceil(lines.length / Math.max(1, Math.floor(box.w / 150))));
  const plot = { x: box.x + 70, y: box.y + 4, w: box.w - 74, h: box.h - 12 - 14 * legendRows };
  const isStacked = panel.fieldConfig?.defaults.custom?.stacking.mode === "normal";
  const shown = isStacked ? stacked(lines) : lines;
  const top = niceTop(Math.max(...shown.flatMap(({ values }) => known(values)), 0));
  const grid = [0, 0.5, 1].map((share) => {
    const y = plot.y + plot.h * (1 - share);
    return `<line x1="${plot.x}" x2="${plot.x + plot.w}" y1="${y}" y2="${y}" stroke="var(--rule)"/>${text(plot.x - 5, y + 3.5, written(panel, top * share), { size: 10, fill: "var(--quiet)", anchor: "end" })}`;
  });
  const drawn = shown.map(({ name, values }, index) => {
    const colour = lineColour(panel, name, index);
    const path = pathOf(values, plot, [0, top]);
    const area =
      isStacked && path !== ""
        ? `<path d="${path}L${plot.x + plot.w} ${plot.y + plot.h}L${plot.x} ${plot.y + plot.h}Z" fill="${colour}" opacity=".85"/>`
        : "";
    return `${area}<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.4"/>`;
  });
  // The highest of a stack is drawn first, so that the others are seen in front of it.
  return `${grid.join("")}${(isStacked ? drawn.toReversed() : drawn).join("")}${legend(box, panel, lines, legendRows)}`;
}

function legend(box: Box, panel: PanelJson, lines: readonly Line[], rows: number): string {
  const columns = Math.max(1, Math.floor(box.w / 150));
  const fits = lines.slice(0, rows * columns);
  return fits
    .map(({ name }, index) => {
      const x = box.x + 4 + (index % columns) * (box.w / columns);
      const y = box.y + box.h - 14 * (rows - 1 - Math.floor(index / columns)) - 2;
      return `<rect x="${x}" y="${y - 7}" width="9" height="7" rx="1" fill="${lineColour(panel, name, index)}"/>${text(x + 13, y, shortened(name, 22), { size: 10, fill: "var(--quiet)" })}`;
    })
    .join("");
}

function drawStates(box: Box, panel: PanelJson, lines: readonly Line[]): string {
  const rowHeight = Math.min(22, (box.h - 4) / Math.max(1, lines.length));
  return lines
    .map(({ name, values }, row) => {
      const y = box.y + row * rowHeight + 2;
      const step = (box.w - 190) / Math.max(1, values.length);
      const bars: string[] = [];
      for (let from = 0; from < values.length;) {
        const value = values[from] ?? null;
        let to = from + 1;
        while (to < values.length && values[to] === value) to++;
        if (value !== null)
          bars.push(
            `<rect x="${round(box.x + 190 + from * step)}" y="${round(y)}" width="${round((to - from) * step)}" height="${round(rowHeight - 3)}" fill="${colourAt(panel, value)}" opacity=".85"/>`,
          );
        from = to;
      }
      return `${text(box.x + 184, y + rowHeight / 2 + 2, shortened(name, 32), { size: 10, fill: "var(--quiet)", anchor: "end" })}${bars.join("")}`;
    })
    .join("");
}

function drawTable(box: Box, _panel: PanelJson, lines: readonly Line[]): string {
  const rank = (line: Line): string =>
    `${line.labels["alertstate"]}${line.labels["severity"]}${line.labels["alertname"]}`;
  const rows = lines
    .filter(({ values }) => values.at(-1) !== null)
    .toSorted((one, other) => rank(one).localeCompare(rank(other)));
  const columns = [...new Set(rows.flatMap(({ labels }) => Object.keys(labels)))].toSorted(
    (one, other) => orderOf(one) - orderOf(other),
  );
  const cell = (value: string, column: number, row: number, style: Style): string =>
    text(box.x + (column * box.w) / columns.length, box.y + 12 + row * 18, value, { size: 11, ...style });
  const header = columns.map((name, column) => cell(name, column, 0, { fill: "#3274d9", weight: 600 }));
  const cells = rows
    .slice(0, Math.floor((box.h - 14) / 18))
    .flatMap(({ labels }, row) =>
      columns.map((name, column) =>
        cell(labels[name] ?? "", column, row + 1, { fill: labels[name] === "critical" ? "#d44a3a" : "var(--ink)" }),
      ),
    );
  return [...header, ...cells].join("");
}

const orderOf = (label: string): number => {
  const place = ["alertname", "alertstate", "severity"].indexOf(label);
  return place === -1 ? 9 : place;
};

const known = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

/** Each line on top of those before it. */
function stacked(lines: readonly Line[]): Line[] {
  const sums: number[] = [];
  return lines.map((line) => ({
    ...line,
    values: line.values.map((value, index) => (sums[index] = (sums[index] ?? 0) + (value ?? 0))),
  }));
}

function pathOf(values: readonly (number | null)[], box: Box, [low, high]: [number, number]): string {
  let pen = "M";
  return values
    .map((value, index) => {
      if (value === null) {
        pen = "M";
        return "";
      }
      const x = round(box.x + (index / Math.max(1, values.length - 1)) * box.w);
      const y = round(box.y + box.h * (1 - (value - low) / (high - low || 1)));
      const point = `${pen}${x} ${y}`;
      pen = "L";
      return point;
    })
    .join("");
}

function colourAt(panel: PanelJson, value: number): string {
  const steps = panel.fieldConfig?.defaults.thresholds.steps ?? [];
  return COLOURS[steps.findLast((step) => step.value === null || value >= step.value)?.color ?? "text"] ?? "var(--ink)";
}

/** As Grafana does, a later rule overrides an earlier one. */
function lineColour(panel: PanelJson, name: string, index: number): string {
  const fixed = panel.fieldConfig?.overrides.findLast(({ matcher }) =>
    new RegExp(matcher.options.slice(1, -1)).test(name),
  );
  return COLOURS[fixed?.properties[0]?.value.fixedColor ?? ""] ?? PALETTE[index % PALETTE.length] ?? "#000";
}

function written(panel: PanelJson, value: number): string {
  const { unit = "short", mappings = [], decimals } = panel.fieldConfig?.defaults ?? {};
  const word = mappings.find(({ options }) => `${value}` in options)?.options[`${value}`]?.text;
  if (word !== undefined) return word;
  if (decimals === 0)
    return unit.startsWith("suffix:") ? `${Math.round(value)} ${unit.slice(7).trim()}` : `${Math.round(value)}`;
  if (unit === "percentunit") return `${digits(value * 100)} %`;
  if (unit === "s") return value < 1 ? `${digits(value * 1000)} ms` : `${digits(value)} s`;
  if (unit === "bytes") return `${digits(value / 1_048_576)} MiB`;
  if (unit === "reqps") return `${digits(value)} req/s`;
  return unit.startsWith("suffix:") ? `${digits(value)} ${unit.slice(7).trim()}` : digits(value);
}

function digits(value: number): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1_000_000) return `${digits(value / 1_000_000)} M`;
  if (Math.abs(value) >= 1000) return `${digits(value / 1000)} k`;
  return `${Number(value.toPrecision(3))}`;
}

function niceTop(most: number): number {
  if (most <= 0) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5, 10].find((step) => step * magnitude >= most) ?? 10) * magnitude;
}

type Style = { size?: number; weight?: number; fill?: string; anchor?: string };

const text = (
  x: number,
  y: number,
  content: string,
  { size = 12, weight = 400, fill = "var(--ink)", anchor = "start" }: Style,
): string =>
  `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}" fill="${fill}" text-anchor="${anchor}">${escaped(content)}</text>`;

const shortened = (name: string, most: number): string => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
const escaped = (content: string): string => content.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const round = (value: number): number => Math.round(value * 10) / 10;
