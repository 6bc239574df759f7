/**
 * Draws `docs/explain/growing.svg` and writes the table of `docs/explain/growing.md` from the figures of the bench: what each rate
 * of requests needs. With `--check` nothing is written: it fails when page or picture and figures differ.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const PAGE = join(ROOT, "docs/explain/growing.md");
const PICTURE = join(ROOT, "docs/explain/growing.svg");
const [BEGIN, END] = ["<!-- Written by scripts/draw-growing.ts. -->", "<!-- End of what is written. -->"];

const RATES = [1_000, 10_000, 100_000, 1_000_000];
const EVENTS_PER_STREAM = 100;
/** Processes are planned to be busy half of the time. */
const BUSY = 0.5;
/** The ledger alone over 5,000 keys, on two cores that it shares with its load, rounded: docs/bench/README.md. */
const PER_PRIMARY = 10_000;
const SECONDS_PER_DAY = 86_400;

type Cell = { column: string; value: { median: number } | null };
type Bench = { sheets: { id: string; rows: { subject: string; cells: Cell[] }[] }[] };
type Weights = { perRequest: { walBytes: number; keptBytes: number; recordBytes: number }[] };

const bench = JSON.parse(readFileSync(join(ROOT, "docs/bench/2026-11-16.json"), "utf8")) as Bench;
const weights = JSON.parse(readFileSync(join(ROOT, "docs/bench/2026-11-17-kept.json"), "utf8")) as Weights;

function micros(sheetId: string, column: string): number {
  const row = bench.sheets.find(({ id }) => id === sheetId)?.rows.find(({ subject }) => subject === "tollgate");
  const median = row?.cells.find((cell) => cell.column === column)?.value?.median;
  if (median === undefined) throw new Error(`the bench has no ${column} of ${sheetId}`);
  return median;
}

const plain = { gateway: micros("plain", "cpu"), database: micros("plain", "database") };
const stream = {
  gateway: micros("stream", "cpu") * EVENTS_PER_STREAM,
  database: micros("stream", "database") * EVENTS_PER_STREAM,
};
const walBytes = Math.max(...weights.perRequest.map((row) => row.walBytes));
const keptBytes = Math.max(...weights.perRequest.map((row) => row.keptBytes));
const recordBytes = Math.max(...weights.perRequest.map((row) => row.recordBytes));
/** `records.keep_days`. */
const RECORD_DAYS = 30;

type Need = {
  rate: number;
  plainCores: number;
  streamCores: number;
  databaseCores: [number, number];
  processes: number;
  primaries: number;
  wal: number;
  daily: number;
  records: number;
};

const needs: Need[] = RATES.map((rate) => ({
  rate,
  plainCores: (rate * plain.gateway) / 1e6,
  streamCores: (rate * stream.gateway) / 1e6,
  databaseCores: [(rate * plain.database) / 1e6, (rate * stream.database) / 1e6],
  processes: Math.ceil((rate * plain.gateway) / 1e6 / BUSY),
  primaries: Math.max(1, Math.round(rate / PER_PRIMARY)),
  wal: rate * walBytes,
  daily: rate * keptBytes * SECONDS_PER_DAY,
  records: rate * recordBytes * SECONDS_PER_DAY * RECORD_DAYS,
}));

const HOW = ["measured", "measured in parts", "argued", "argued"];
const round = (value: number): string => Number(value.toPrecision(2)).toLocaleString("en-US");
const UNITS: [number, string][] = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "kB"],
];
function bytes(value: number): string {
  const [size, unit] = UNITS.find(([least]) => value >= least) ?? [1, "bytes"];
  return `${round(value / size)} ${unit}`;
}

function table(): string {
  const head = [
    "Requests/s",
    "Gateway cores, plain",
    "Gateway cores, streams",
    "PostgreSQL cores",
    "Primaries",
    "WAL per second",
    "Kept per day",
    "Records of 30 days",
    "How we know",
  ];
  const rows = needs.map(({ rate, plainCores, streamCores, databaseCores, primaries, wal, daily, records }, at) => [
    rate.toLocaleString("en-US"),
    round(plainCores),
    round(streamCores),
    databaseCores.map(round).join(" to "),
    String(primaries),
    bytes(wal),
    bytes(daily),
    bytes(records),
    HOW[at] ?? "",
  ]);
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

const PANEL = 232;
const DOT = 9;
const ACROSS = 22;

/** Small marks in rows of 22, from a corner. */
function marks(count: number, place: { x: number; y: number; kind: "gate" | "base" }): string {
  return Array.from({ length: count }, (_, at) => {
    const x = place.x + (at % ACROSS) * DOT;
    const y = place.y + Math.floor(at / ACROSS) * DOT;
    return place.kind === "gate"
      ? `<rect class="gate" x="${x}" y="${y}" width="7" height="7" rx="1.5"/>`
      : `<circle class="base" cx="${x + 3.5}" cy="${y + 3.5}" r="3.6"/>`;
  }).join("");
}

function panel({ rate, processes, primaries, wal, daily }: Need, at: number): string {
  const x = 24 + at * PANEL;
  const note = HOW[at] ?? "";
  return [
    at === 0 ? "" : `<line class="rule" x1="${x - 17}" y1="20" x2="${x - 17}" y2="428"/>`,
    `<text class="rate" x="${x}" y="44">${rate.toLocaleString("en-US")}/s</text>`,
    `<text class="${note === "argued" ? "argued" : "known"}" x="${x}" y="66">${note}</text>`,
    `<text x="${x}" y="98">${processes.toLocaleString("en-US")} gateway process${processes === 1 ? "" : "es"}</text>`,
    marks(processes, { x, y: 108, kind: "gate" }),
    `<text x="${x}" y="326">${primaries} PostgreSQL primar${primaries === 1 ? "y" : "ies"}</text>`,
    marks(primaries, { x, y: 336, kind: "base" }),
    `<text class="quiet" x="${x}" y="402">${bytes(wal)} of WAL per second</text>`,
    `<text class="quiet" x="${x}" y="422">${bytes(daily)} kept per day</text>`,
  ].join("\n");
}

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 448" width="960" height="448" role="img" aria-label="Gateway processes and PostgreSQL primaries for 1,000 to 1,000,000 plain requests per second">
<style>
text{font:16px system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328}
.rate{font-size:24px;font-weight:650}.quiet{fill:#4d5560}.known{fill:#17653f;font-weight:600}.argued{fill:#8a5200;font-weight:600}
.paper{fill:#fff}.rule{stroke:#d0d7de}.gate{fill:#3f9c77}.base{fill:#d98a1f}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#aeb8c4}.known{fill:#6fd3a2}.argued{fill:#f0b26a}.paper{fill:#0d1117}.rule{stroke:#30363d}.gate{fill:#4fb38b}.base{fill:#e39a35}}
</style>
<rect class="paper" width="960" height="448"/>
${needs.map(panel).join("\n")}
</svg>
`;

const page = readFileSync(PAGE, "utf8");
const [before = "", rest = ""] = page.split(BEGIN);
const [, after = ""] = rest.split(END);
const written = `${before}${BEGIN}\n\n${table()}\n\n${END}${after}`;
const stale = [
  [PAGE, written],
  [PICTURE, picture],
].filter(([path = "", text]) => !existsSync(path) || readFileSync(path, "utf8") !== text);
if (process.argv.includes("--check")) {
  for (const [path] of stale) console.error(`${path} does not agree with the bench; run scripts/draw-growing.ts`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else for (const [path = "", text = ""] of stale) writeFileSync(path, text);
