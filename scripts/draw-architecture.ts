/**
 * Draws `docs/architecture.svg` from the imports that are really there, so that the picture cannot tell a nicer story than the
 * code. With `--check` nothing is written: it fails when the picture and the code differ. `--imports FILE` has them as the checker of the
 * import law has read them, instead of reading them again. Nothing that changes with every edit
 * is drawn, so a stale picture always means that something now depends on something else.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

type Edge = { from: string; to: string; imports: number };
type Row = { title: string; meaning: string; span: [number, number]; names: string[] };
type Box = { name: string; row: number; x: number; y: number; width: number };
/** One arrow on its way: `stops` are the places where it passes a row of boxes, `ideal` where it would like to. */
type Route = { edge: Edge; from: Box; to: Box; stops: { row: number; ideal: number; x: number }[] };

const ROOT = resolve(import.meta.dirname, "..");
const PICTURE = "docs/architecture.svg";
const TEST_FILE = /\.test\.ts$/;

/** Top to bottom. A folder may stand here before it exists; one that exists and does not stand here stops the script. */
const ROWS: Row[] = [
  { title: "START", meaning: "connects the parts", span: [0, 2 / 3], names: ["main.ts", "app.ts"] },
  { title: "EDGE", meaning: "HTTP and terminal", span: [0, 1], names: ["cli", "admin", "http"] },
  { title: "CLIENT", meaning: "of the admin API", span: [0, 2 / 3], names: ["admin-client"] },
  { title: "CONTRACT", meaning: "declares operations", span: [0, 2 / 3], names: ["contract"] },
  {
    title: "USE CASES",
    meaning: "puts steps in order",
    span: [0, 1],
    names: ["doctor", "operator", "entrance", "gateway"],
  },
  {
    title: "CAPABILITIES",
    meaning: "never import each other",
    span: [0, 1],
    names: [
      "simulator",
      "certify",
      "reconcile",
      "description",
      "console",
      "credentials",
      "keys",
      "catalogue",
      "ledger",
      "notices",
      "people",
      "audit",
      "live",
      "records",
      "admission",
      "upstream",
      "offload",
      "relay",
    ],
  },
  {
    title: "BASE",
    meaning: "bytes, SQL, telemetry",
    span: [0, 1],
    names: ["db", "telemetry", "tokens", "config", "wire", "translate"],
  },
  { title: "TYPES", meaning: "imports nothing", span: [0, 1], names: ["core"] },
];

const LEFT = 200;
const RIGHT = 24;
const TOP = 24;
const ROW_STEP = 116;
const BOX_WIDTH = 112;
const BOX_STEP = 138;
const LEAST_ROOM = 896;
const BOX_HEIGHT = 42;
const LANE = 11;
const HEIGHT = TOP * 2 + ROW_STEP * (ROWS.length - 1) + BOX_HEIGHT + 34;

/** One hue per row, so that an arrow can be followed back to where it begins. */
const HUES: [light: string, dark: string][] = [
  ["#57606a", "#9aa4af"],
  ["#0b62c4", "#6cb0ff"],
  ["#8a3ffc", "#c39bff"],
  ["#0f7b45", "#57d08d"],
  ["#9a6700", "#e3b341"],
  ["#bf3989", "#f778ba"],
  ["#a14a00", "#f2a65a"],
  ["#57606a", "#9aa4af"],
];
const hues = (shade: 0 | 1): string =>
  HUES.map(
    (pair, row) => `.l${row}{stroke:${pair[shade]}}.b${row}{stroke:${pair[shade]}}.a${row}{fill:${pair[shade]}}`,
  ).join("");
const STYLE = `<style>
text{font:14px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}
.title{font-weight:600;letter-spacing:.06em}
.note{font-size:13px;fill:#57606a}
.middle,.name{text-anchor:middle}
.name{font:600 15px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.paper{fill:#fff}
.rule{stroke:#e4e7eb;fill:none}
.box{fill:#f6f8fa;stroke-width:1.5}
.arrow{fill:none;opacity:.8}
.thin{stroke-width:1.3}.middling{stroke-width:2.2}.thick{stroke-width:3.4}
${hues(0)}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.note{fill:#9aa4af}.paper{fill:#0d1117}.rule{stroke:#252b33}.box{fill:#161b22}${hues(1)}}
</style>
<defs>${HUES.map((_, row) => `<marker id="h${row}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="a${row}" d="M 0 0 L 8 4 L 0 8 z"/></marker>`).join("")}</defs>`;

const edges = readEdges();
/** What has no arrow yet is drawn all the same. */
const existing = new Set(
  readdirSync(join(ROOT, "src"))
    .filter((name) => !TEST_FILE.test(name))
    .map((name) => folderOf(`src/${name}`)),
);
const widest = Math.max(...ROWS.map(({ names }) => names.filter((name) => existing.has(name)).length));
const WIDTH = LEFT + RIGHT + Math.max(LEAST_ROOM, widest * BOX_STEP);
const svg = draw(edges);
const path = join(ROOT, PICTURE);
if (!process.argv.includes("--check")) {
  writeFileSync(path, svg);
  console.log(`wrote ${PICTURE}: ${edges.length} arrows`);
} else if (!existsSync(path) || readFileSync(path, "utf8") !== svg) {
  console.error(`${PICTURE} does not agree with the code; run scripts/draw-architecture.ts`);
  process.exitCode = 1;
}

/** Which folder imports which, and how often. Tests are left out: they may reach further than the code. */
function readEdges(): Edge[] {
  const report = JSON.parse(readImports()) as { modules: { source: string; dependencies: { resolved: string }[] }[] };
  const counts = new Map<string, number>();
  for (const { source, dependencies } of report.modules) {
    if (!source.startsWith("src/") || TEST_FILE.test(source)) continue;
    for (const { resolved } of dependencies) {
      const pair = `${folderOf(source)} ${folderOf(resolved)}`;
      if (resolved.startsWith("src/")) counts.set(pair, (counts.get(pair) ?? 0) + 1);
    }
  }
  if (counts.size < 10) throw new Error("almost no imports were read: the reader is blind");
  return [...counts]
    .map(([pair, imports]) => {
      const [from = "", to = ""] = pair.split(" ");
      return { from, to, imports };
    })
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1));
}

function readImports(): string {
  const at = process.argv.indexOf("--imports");
  if (at !== -1) return readFileSync(process.argv[at + 1] ?? "", "utf8");
  const run = spawnSync("depcruise", ["--config", ".dependency-cruiser.cjs", "--output-type", "json", "src"], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  if (!run.stdout?.startsWith("{")) throw new Error(`depcruise did not answer: ${run.stderr || run.stdout}`);
  return run.stdout;
}

/** `app/` is `app.ts` in several files. */
function folderOf(path: string): string {
  const [, name = path] = path.split("/");
  return name === "app" ? "app.ts" : name;
}

function draw(all: readonly Edge[]): string {
  const boxes = placeBoxes();
  const routes = routeArrows(
    all.filter(({ from, to }) => from !== "app.ts" && to !== "core"),
    boxes,
  );
  const strangers = all.filter(({ to }) => to === "core").map(({ from }) => from);
  const silent = [...boxes.keys()].filter((name) => name !== "core" && !strangers.includes(name));
  const fromApp = new Set(all.filter(({ from }) => from === "app.ts").map(({ to }) => to));
  const unseen = [...boxes.keys()].filter((name) => name !== "app.ts" && name !== "main.ts" && !fromApp.has(name));
  const app = boxOf(boxes, "app.ts");
  const core = boxOf(boxes, "core");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    "<title>Which folder of src/ imports which</title>",
    STYLE,
    `<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="10"/>`,
    ...ROWS.map((row, index) => drawRow(row, index)),
    ...drawArrows(routes),
    ...[...boxes.values()].map((box) => drawBox(box)),
    text(app.x + app.width / 2 + 14, app.y + 17, "note", "makes every part; its arrows are not drawn."),
    text(app.x + app.width / 2 + 14, app.y + 34, "note", `Not imported: ${unseen.join(", ")}`),
    text(core.x, core.y + BOX_HEIGHT + 22, "note middle", `imported by all but ${listing(silent)} (not drawn)`),
    "</svg>",
    "",
  ].join("\n");
}

function placeBoxes(): Map<string, Box> {
  const boxes = new Map<string, Box>();
  for (const [row, { span, names }] of ROWS.entries()) {
    const present = names.filter((name) => existing.has(name));
    const room = WIDTH - LEFT - RIGHT;
    const step = (room * (span[1] - span[0])) / present.length;
    for (const [index, name] of present.entries()) {
      const x = Math.round(LEFT + room * span[0] + step * (index + 0.5));
      const width = name === "core" ? room - 40 : BOX_WIDTH;
      boxes.set(name, { name, row, x, y: TOP + row * ROW_STEP, width });
    }
  }
  for (const name of existing)
    if (!boxes.has(name)) throw new Error(`${name} has no place in the picture; give it one`);
  return boxes;
}

function boxOf(boxes: ReadonlyMap<string, Box>, name: string): Box {
  const box = boxes.get(name);
  if (!box) throw new Error(`there is no ${name}`);
  return box;
}

/** An arrow that passes rows goes between their boxes, never behind one; arrows through the same gap keep their own lanes. */
function routeArrows(drawn: readonly Edge[], boxes: ReadonlyMap<string, Box>): Route[] {
  const routes = drawn.map((edge): Route => {
    const from = boxOf(boxes, edge.from);
    const to = boxOf(boxes, edge.to);
    const rows = Array.from({ length: Math.max(0, to.row - from.row - 1) }, (_, index) => from.row + 1 + index);
    const ideal = (row: number): number => from.x + ((to.x - from.x) * (row - from.row)) / (to.row - from.row);
    return { edge, from, to, stops: rows.map((row) => ({ row, ideal: ideal(row), x: 0 })) };
  });
  for (const row of ROWS.keys()) {
    const gaps = gapsOf([...boxes.values()].filter((box) => box.row === row));
    const taken = new Map<[number, number], Route["stops"]>();
    for (const stop of routes.flatMap(({ stops }) => stops.filter((stop) => stop.row === row))) {
      const distance = ([low, high]: [number, number]): number => Math.max(low - stop.ideal, stop.ideal - high, 0);
      const gap = gaps.toSorted((a, b) => distance(a) - distance(b))[0] as [number, number];
      taken.set(gap, [...(taken.get(gap) ?? []), stop]);
    }
    for (const [[low, high], stops] of taken) {
      spread(stops, low, high);
    }
  }
  return routes;
}

/** Each stop as near to where it would like to be as its neighbours and the ends of the gap allow. */
function spread(stops: Route["stops"], low: number, high: number): void {
  stops.sort((a, b) => a.ideal - b.ideal);
  const lane = Math.min(LANE, (high - low) / stops.length);
  let least = low;
  for (const stop of stops) {
    stop.x = Math.max(stop.ideal, least);
    least = stop.x + lane;
  }
  let most = high;
  for (const stop of stops.toReversed()) {
    stop.x = Math.min(stop.x, most);
    most = stop.x - lane;
  }
}

/** The free stretches of a row, with a little air beside each box. */
function gapsOf(boxes: readonly Box[]): [number, number][] {
  const air = 6;
  const edgesOfBoxes = boxes.flatMap(({ x, width }) => [x - width / 2 - air, x + width / 2 + air]);
  const borders = [LEFT, ...edgesOfBoxes, WIDTH - RIGHT];
  const gaps: [number, number][] = [];
  for (let at = 0; at < borders.length; at += 2) gaps.push([borders[at] as number, borders[at + 1] as number]);
  return gaps.filter(([low, high]) => high > low);
}

function drawArrows(routes: readonly Route[]): string[] {
  const leaving = (box: Box): Route[] => routes.filter(({ from, to }) => from === box && to.row > box.row);
  const arriving = (box: Box): Route[] => routes.filter(({ from, to }) => to === box && from.row < box.row);
  const firstX = ({ stops, to }: Route): number => stops[0]?.x ?? to.x;
  const lastX = ({ stops, from }: Route): number => stops.at(-1)?.x ?? from.x;
  return routes.map((route) => {
    const { edge, from, to, stops } = route;
    const level = `l${from.row} ${edge.imports < 5 ? "thin" : edge.imports < 12 ? "middling" : "thick"}`;
    const label = `<title>${edge.from} imports ${edge.to}</title>`;
    const line = (d: string): string =>
      `<path class="arrow ${level}" marker-end="url(#h${from.row})" d="${d}">${label}</path>`;
    if (from.row === to.row) return line(sideways(from, to));
    if (from.row > to.row) return line(upwards(from, to));
    const start = port(
      from,
      leaving(from).toSorted((a, b) => firstX(a) - firstX(b)),
      route,
    );
    const end = port(
      to,
      arriving(to).toSorted((a, b) => lastX(a) - lastX(b)),
      route,
    );
    let at: [number, number] = [start, from.y + BOX_HEIGHT];
    let d = "";
    for (const { row, x } of stops) {
      const y = TOP + row * ROW_STEP;
      d += `${curve(at, [x, y])} V ${y + BOX_HEIGHT} `;
      at = [x, y + BOX_HEIGHT];
    }
    return line(`${d}${curve(at, [end, to.y - 2])}`);
  });
}

/** Where on a box's edge an arrow of several is fixed. */
function port(box: Box, routes: readonly Route[], route: Route): number {
  const step = (box.width - 24) / Math.max(routes.length, 2);
  return box.x + (routes.indexOf(route) - (routes.length - 1) / 2) * step;
}

function curve([x1, y1]: [number, number], [x2, y2]: [number, number]): string {
  const middle = round((y1 + y2) / 2);
  return `M ${round(x1)} ${y1} C ${round(x1)} ${middle} ${round(x2)} ${middle} ${round(x2)} ${y2}`;
}

function upwards(from: Box, to: Box): string {
  const aside = (Math.sign(to.x - from.x) * from.width) / 3;
  return curve([from.x + aside, from.y], [to.x - aside, to.y + BOX_HEIGHT + 2]);
}

function sideways(from: Box, to: Box): string {
  const towards = Math.sign(to.x - from.x);
  const y = from.y + BOX_HEIGHT / 2;
  return `M ${from.x + (towards * from.width) / 2} ${y} H ${to.x - towards * (to.width / 2 + 2)}`;
}

function drawRow({ title, meaning }: Row, index: number): string {
  const y = TOP + index * ROW_STEP;
  const line = `<path class="rule" d="M 20 ${y + BOX_HEIGHT + ROW_STEP / 2 - 21} H ${WIDTH - 20}"/>`;
  return [
    text(24, y + 18, "title", title),
    text(24, y + 36, "note", meaning),
    index < ROWS.length - 1 ? line : "",
  ].join("");
}

function drawBox({ name, x, y, width, row }: Box): string {
  const frame = `<rect class="box b${row}" x="${x - width / 2}" y="${y}" width="${width}" height="${BOX_HEIGHT}" rx="7"/>`;
  return frame + text(x, y + 26, "name", name);
}

function text(x: number, y: number, style: string, words: string): string {
  return `<text class="${style}" x="${round(x)}" y="${y}">${words}</text>`;
}

function listing(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
