import { isObject } from "../../core/bytes/is-object.ts";
import { difference, type Decimal, ZERO } from "../../core/money/decimal.ts";
import { type BillFormat, type BillLine, type JsonRow, NOTHING_SAID, type Notes } from "../bill-line.ts";
import { ExportError } from "../export-error.ts";
import { decimalIn, epochIn, listIn, objectIn, quantityIn, textIn } from "../read/values.ts";

/** The parts of a row of usage; without `input_uncached_tokens`, what of the input is neither read from a cache nor written to one. */
const FIELDS = {
  cache_read: "input_cached_tokens",
  cache_write_5m: "input_cache_write_tokens",
  output: "output_tokens",
} as const;
const USAGE_KINDS = ["input", ...Object.keys(FIELDS)];

const SHARED = { vendor: "openai", doubles: true, tellsCut: false, youngDays: 2, unique: "" } as const;

function* pageRows(
  document: JsonRow,
  place: string,
  notes: Notes,
): Generator<{ row: JsonRow; place: string; fromMs: number; toMs: number }> {
  if (document["has_more"] === true) notes.lacks("it says has_more: its last page is missing");
  for (const [index, bucket] of listIn(document, "data", place).entries()) {
    const at = `${place}: data[${index}]`;
    const [fromMs, toMs] = [epochIn(bucket, "start_time", at), epochIn(bucket, "end_time", at)];
    notes.covers(fromMs, toMs);
    for (const [number, row] of listIn(bucket, "results", at).entries()) {
      yield { row, place: `${at}.results[${number}]`, fromMs, toMs };
    }
  }
}

/** The kind of object in a page; null where it is no page of OpenAI's. */
function pageOf(document: JsonRow): string | null {
  if (document["object"] !== "page" || !Array.isArray(document["data"])) return null;
  for (const bucket of document["data"] as readonly unknown[]) {
    const results = isObject(bucket) ? bucket["results"] : null;
    if (!Array.isArray(results)) return null;
    const [first] = results as readonly unknown[];
    if (first !== undefined) return isObject(first) ? String(first["object"]) : null;
  }
  return "nothing";
}

function usageLines(row: JsonRow, span: { place: string; fromMs: number; toMs: number }): BillLine[] {
  const { place } = span;
  const batch = row["batch"] === true || String(row["batch"]).toLowerCase() === "true";
  const said = {
    ...NOTHING_SAID,
    ...span,
    credential: textIn(row, "api_key_id", place),
    model: textIn(row, "model", place),
    tier: batch ? "batch" : textIn(row, "service_tier", place),
  };
  const counts = Object.entries(FIELDS).map(([kind, field]): [string, Decimal] => [
    kind,
    quantityIn(row, field, place) ?? ZERO,
  ]);
  const [[, read] = ["", ZERO], [, written] = ["", ZERO]] = counts;
  const all = quantityIn(row, "input_tokens", place) ?? ZERO;
  const rest = difference(difference(all, read), written);
  const fresh = quantityIn(row, "input_uncached_tokens", place) ?? rest;
  if (fresh.digits < 0n) throw new ExportError(place, "more input was cached than there was");
  return [["input", fresh] as const, ...counts].map(([kind, quantity]) => ({ ...said, kind, quantity }));
}

const ITEMS: Readonly<Record<string, string>> = {
  input_tokens: "input",
  input_cached_tokens: "cache_read",
  input_cache_write_tokens: "cache_write_5m",
  output_tokens: "output",
};

/** `gpt-5.6-terra, input_tokens`: a model and what of it; another name is a meter. */
function costLine(row: JsonRow, span: { place: string; fromMs: number; toMs: number }): BillLine {
  const { place } = span;
  const amount = objectIn(row, "amount");
  const item = textIn(row, "line_item", place) ?? "(no line item)";
  const [, model = null, word = null] = /^(\S+), (.+)$/.exec(item) ?? [];
  const usd = String(amount["currency"]).toLowerCase() === "usd" ? decimalIn(amount, "value", place) : null;
  const kind = word === null ? null : (ITEMS[word] ?? word);
  const quantity = quantityIn(row, "quantity", place);
  return {
    ...NOTHING_SAID,
    ...span,
    credential: textIn(row, "api_key_id", place),
    model,
    meter: item,
    kind,
    quantity,
    usd,
  };
}

export const OPENAI: readonly BillFormat[] = [
  {
    ...SHARED,
    id: "openai-usage",
    title: "OpenAI usage",
    shape: "json",
    quantities: 3,
    money: 0,
    kinds: USAGE_KINDS,
    tellsSpans: true,
    isDocument: (document) =>
      pageOf(document) === "organization.usage.completions.result" || pageOf(document) === "nothing",
    *rows(document, place, notes) {
      for (const { row, ...span } of pageRows(document, place, notes)) yield* usageLines(row, span);
    },
  },
  {
    ...SHARED,
    id: "openai-costs",
    title: "OpenAI costs",
    shape: "json",
    quantities: 1,
    money: 1,
    kinds: USAGE_KINDS,
    tellsSpans: true,
    isDocument: (document) => pageOf(document) === "organization.costs.result",
    *rows(document, place, notes) {
      for (const { row, ...span } of pageRows(document, place, notes)) yield costLine(row, span);
    },
  },
  {
    ...SHARED,
    id: "openai-dashboard",
    title: "OpenAI usage (CSV)",
    shape: "csv",
    quantities: 2,
    money: 0,
    kinds: USAGE_KINDS,
    tellsSpans: false,
    columns: ["start_time", "end_time", "model", "input_tokens", "output_tokens", "num_model_requests"],
    row: (cells, place) =>
      usageLines(cells, {
        place,
        fromMs: epochIn(cells, "start_time", place),
        toMs: epochIn(cells, "end_time", place),
      }),
  },
];
