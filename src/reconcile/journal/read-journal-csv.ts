import { TOKEN_PARTS } from "../../core/bills/kinds.ts";
import { ANY_REGION, PLAIN_TIER } from "../../core/money/rate-rows.ts";
import { ExportError } from "../export-error.ts";
import { type SourceFile, textOf } from "../read/decode-file.ts";
import { csvRows } from "../read/text-rows.ts";
import { momentIn, required, textIn } from "../read/values.ts";
import type { JournalRow, JournalRows } from "./journal-row.ts";

const NEEDED = ["at", "hold_id", "provider", "upstream_model"];
const NO_COUNTS = new Set([...NEEDED, "admitted_at", "credential", "tier", "region", "kind", "estimated", "cost_usd"]);
/** Input that is in no other column. */
const FRESH = "input_fresh";
const MOST_COUNT = 1_000_000_000;

/** A journal as CSV: a column for each part and each tool. */
export async function* readJournalCsv(source: SourceFile): JournalRows {
  let names: string[] | null = null;
  for await (const { line, cells } of csvRows(textOf(source), source.name)) {
    const place = `${source.name}:${line}`;
    if (names === null) {
      names = cells.map((cell) => cell.trim().toLowerCase());
      const missing = NEEDED.find((name) => !names?.includes(name));
      if (missing !== undefined) throw new ExportError(place, `this is no journal: it has no column ${missing}`);
      if (new Set(names).size < names.length) throw new ExportError(place, "a column is named twice");
      continue;
    }
    if (cells.length !== names.length)
      throw new ExportError(place, `${cells.length} cells for ${names.length} columns; is the file complete?`);
    yield rowOf(Object.fromEntries(names.map((name, at) => [name, (cells[at] ?? "").trim()])), place);
  }
}

function rowOf(row: Readonly<Record<string, string>>, place: string): JournalRow {
  const atMs = momentIn(row, "at", place);
  return {
    admittedAtMs: textIn(row, "admitted_at", place) === null ? atMs : momentIn(row, "admitted_at", place),
    atMs,
    holdId: required(textIn(row, "hold_id", place), "hold_id", place),
    credential: textIn(row, "credential", place),
    provider: required(textIn(row, "provider", place), "provider", place),
    upstreamModel: textIn(row, "upstream_model", place),
    tier: textIn(row, "tier", place) ?? PLAIN_TIER,
    region: textIn(row, "region", place) ?? ANY_REGION,
    kind: row["kind"] ?? "",
    estimated: row["estimated"] === "true",
    counts: Object.fromEntries(
      Object.entries(row).flatMap(([name, text]) => {
        const count = NO_COUNTS.has(name) || text === "" ? 0 : countOf(text, name, place);
        return count === 0 ? [] : [[partOf(name), count]];
      }),
    ),
  };
}

function partOf(column: string): string {
  if (column === FRESH) return "input";
  return TOKEN_PARTS.has(column) || column.startsWith("tools.") ? column : `tools.${column}`;
}

function countOf(text: string, name: string, place: string): number {
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(count <= MOST_COUNT)) throw new ExportError(place, `${name} is no count`);
  return count;
}
