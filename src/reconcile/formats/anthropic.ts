import { isObject } from "../../core/bytes/is-object.ts";
import { type BillFormat, type BillLine, type JsonRow, NOTHING_SAID, type Notes } from "../bill-line.ts";
import { dayIn, decimalIn, listIn, momentIn, objectIn, quantityIn, textIn } from "../read/values.ts";

const KINDS = ["input", "cache_read", "cache_write_5m", "cache_write_1h", "output", "tools.web_search"];

const SHARED = { vendor: "anthropic", doubles: false, tellsCut: false, youngDays: 1, unique: "" } as const;

type Span = { place: string; fromMs: number; toMs: number };

function* reportRows(document: JsonRow, place: string, notes: Notes): Generator<{ row: JsonRow } & Span> {
  if (document["has_more"] === true) notes.lacks("it says has_more: its last page is missing");
  for (const [index, bucket] of listIn(document, "data", place).entries()) {
    const at = `${place}: data[${index}]`;
    const [fromMs, toMs] = [momentIn(bucket, "starting_at", at), momentIn(bucket, "ending_at", at)];
    notes.covers(fromMs, toMs);
    for (const [number, row] of listIn(bucket, "results", at).entries()) {
      yield { row, place: `${at}.results[${number}]`, fromMs, toMs };
    }
  }
}

/** A report without rows says the same in both formats: nothing was used. */
const isReport = (document: JsonRow, field: string | null): boolean => {
  const data = document["data"];
  if (!Array.isArray(data) || document["object"] !== undefined) return false;
  const buckets = data.filter(isObject);
  const results = buckets.flatMap((bucket) =>
    Array.isArray(bucket["results"]) ? bucket["results"].filter(isObject) : [],
  );
  if (buckets.length === 0 || buckets.length < data.length || !buckets.every((bucket) => "starting_at" in bucket))
    return false;
  return field === null ? results.length === 0 : results.length > 0 && results.every((row) => field in row);
};

/** Fast is told apart from the tier, and is a tier for whoever pays. */
const tierOf = (row: JsonRow, tier: string, place: string): string | null =>
  textIn(row, "speed", place) === "fast" ? "fast" : textIn(row, tier, place);

function usageLines(row: JsonRow, span: Span): BillLine[] {
  const { place } = span;
  const written = objectIn(row, "cache_creation");
  const said = {
    ...NOTHING_SAID,
    ...span,
    credential: textIn(row, "api_key_id", place),
    model: textIn(row, "model", place),
    tier: tierOf(row, "service_tier", place),
    region: textIn(row, "inference_geo", place),
  };
  const counts = [
    ["input", quantityIn(row, "uncached_input_tokens", place)],
    ["cache_read", quantityIn(row, "cache_read_input_tokens", place)],
    ["cache_write_5m", quantityIn(written, "ephemeral_5m_input_tokens", place)],
    ["cache_write_1h", quantityIn(written, "ephemeral_1h_input_tokens", place)],
    ["output", quantityIn(row, "output_tokens", place)],
    ["tools.web_search", quantityIn(objectIn(row, "server_tool_use"), "web_search_requests", place)],
  ] as const;
  return counts.flatMap(([kind, quantity]) => (quantity === null ? [] : [{ ...said, kind, quantity }]));
}

const TOKEN_TYPES: Readonly<Record<string, string>> = {
  uncached_input_tokens: "input",
  cache_read_input_tokens: "cache_read",
  "cache_creation.ephemeral_5m_input_tokens": "cache_write_5m",
  "cache_creation.ephemeral_1h_input_tokens": "cache_write_1h",
  output_tokens: "output",
};
const COST_TYPES: Readonly<Record<string, string>> = {
  web_search: "tools.web_search",
  code_execution: "tools.code_execution",
};

/** Amounts are cents. */
function costLine(row: JsonRow, span: Span): BillLine {
  const { place } = span;
  const cents = decimalIn(row, "amount", place);
  const type = textIn(row, "cost_type", place) ?? "tokens";
  const token = textIn(row, "token_type", place);
  return {
    ...NOTHING_SAID,
    ...span,
    model: textIn(row, "model", place),
    meter: textIn(row, "description", place),
    kind: type === "tokens" ? (TOKEN_TYPES[token ?? ""] ?? token) : (COST_TYPES[type] ?? type),
    tier: tierOf(row, "service_tier", place),
    region: textIn(row, "inference_geo", place),
    usd: cents !== null && row["currency"] === "USD" ? { ...cents, exponent: cents.exponent - 2 } : null,
  };
}

const COLUMNS: Readonly<Record<string, string>> = {
  input: "usage_input_tokens_no_cache",
  cache_read: "usage_input_tokens_cache_read",
  cache_write_5m: "usage_input_tokens_cache_write_5m",
  cache_write_1h: "usage_input_tokens_cache_write_1h",
  output: "usage_output_tokens",
  "tools.web_search": "web_search_count",
};

export const ANTHROPIC: readonly BillFormat[] = [
  {
    ...SHARED,
    id: "anthropic-usage",
    title: "Anthropic usage report",
    shape: "json",
    quantities: 2,
    money: 0,
    kinds: KINDS,
    tellsSpans: true,
    isDocument: (document) => isReport(document, "uncached_input_tokens") || isReport(document, null),
    *rows(document, place, notes) {
      for (const { row, ...span } of reportRows(document, place, notes)) yield* usageLines(row, span);
    },
  },
  {
    ...SHARED,
    id: "anthropic-cost",
    title: "Anthropic cost report",
    shape: "json",
    quantities: 0,
    money: 1,
    kinds: KINDS,
    tellsSpans: true,
    isDocument: (document) => isReport(document, "cost_type"),
    *rows(document, place, notes) {
      for (const { row, ...span } of reportRows(document, place, notes)) yield costLine(row, span);
    },
  },
  {
    ...SHARED,
    id: "anthropic-console",
    title: "Anthropic usage (CSV)",
    shape: "csv",
    quantities: 1,
    money: 0,
    kinds: KINDS,
    tellsSpans: false,
    columns: ["usage_date_utc", "model_version", "usage_input_tokens_no_cache", "usage_output_tokens"],
    row: (cells, place) => {
      const said = {
        ...NOTHING_SAID,
        place,
        ...dayIn(cells, "usage_date_utc", place),
        credential: textIn(cells, "api_key", place),
        model: textIn(cells, "model_version", place),
        tier: tierOf(cells, "usage_type", place),
        region: textIn(cells, "inference_geo", place),
      };
      return Object.entries(COLUMNS).flatMap(([kind, column]) => {
        const quantity = quantityIn(cells, column, place);
        return quantity === null ? [] : [{ ...said, kind, quantity }];
      });
    },
  },
];
