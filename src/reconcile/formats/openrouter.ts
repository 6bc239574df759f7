import { isObject } from "../../core/bytes/is-object.ts";
import { difference, type Decimal, ZERO } from "../../core/money/decimal.ts";
import { type BillFormat, type BillLine, type CsvCells, type JsonRow, NOTHING_SAID, type Notes } from "../bill-line.ts";
import { ExportError } from "../export-error.ts";
import { dayIn, decimalIn, listIn, momentIn, quantityIn, required, textIn } from "../read/values.ts";

const SHARED = { vendor: "openrouter", youngDays: 1, tellsSpans: false } as const;

function generationLines(cells: CsvCells, place: string): BillLine[] {
  const count = (name: string): Decimal => quantityIn(cells, name, place) ?? ZERO;
  const madeMs = momentIn(cells, "created_at", place);
  const said = {
    ...NOTHING_SAID,
    place,
    fromMs: madeMs,
    toMs: madeMs,
    credential: textIn(cells, "api_key_name", place),
    model: textIn(cells, "model_permaslug", place),
    cut: cells["cancelled"] === "true",
  };
  const fresh = difference(count("tokens_prompt"), count("tokens_cached"));
  if (fresh.digits < 0n) throw new ExportError(place, "more input was cached than there was");
  return [
    { ...said, kind: "input", quantity: fresh },
    { ...said, kind: "cache_read", quantity: count("tokens_cached") },
    { ...said, kind: "output", quantity: count("tokens_completion") },
    { ...said, usd: required(decimalIn(cells, "cost_total", place), "cost_total", place) },
  ];
}

function* activityLines(document: JsonRow, place: string, notes: Notes): Generator<BillLine> {
  for (const [index, row] of listIn(document, "data", place).entries()) {
    const at = `${place}: data[${index}]`;
    const span = dayIn(row, "date", at);
    notes.covers(span.fromMs, span.toMs);
    const said = {
      ...NOTHING_SAID,
      place: at,
      ...span,
      model: textIn(row, "model_permaslug", at) ?? textIn(row, "model", at),
    };
    yield { ...said, kind: "prompt", quantity: quantityIn(row, "prompt_tokens", at) };
    yield { ...said, kind: "output", quantity: quantityIn(row, "completion_tokens", at) };
    yield { ...said, usd: required(decimalIn(row, "usage", at), "usage", at) };
  }
}

export const OPENROUTER: readonly BillFormat[] = [
  {
    ...SHARED,
    id: "openrouter-generations",
    title: "OpenRouter activity (CSV)",
    shape: "csv",
    quantities: 2,
    money: 2,
    kinds: ["input", "cache_read", "output"],
    doubles: false,
    tellsCut: true,
    unique: "generation_id",
    columns: ["generation_id", "created_at", "cost_total", "tokens_prompt", "tokens_completion", "model_permaslug"],
    row: generationLines,
  },
  {
    ...SHARED,
    id: "openrouter-activity",
    title: "OpenRouter activity",
    shape: "json",
    quantities: 1,
    money: 1,
    kinds: ["prompt", "output"],
    doubles: true,
    tellsCut: false,
    unique: "",
    isDocument: (document) =>
      Array.isArray(document["data"]) &&
      document["data"].length > 0 &&
      document["data"].every((row) => isObject(row) && "prompt_tokens" in row && "date" in row),
    rows: activityLines,
  },
];
