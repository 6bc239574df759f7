import { isObject } from "../../core/bytes/is-object.ts";
import { type Decimal, parseDecimal, wholeNumber } from "../../core/money/decimal.ts";
import { type BillFormat, type CsvCells, type JsonRow, NOTHING_SAID, type BillLine, type Notes } from "../bill-line.ts";
import { ExportError } from "../export-error.ts";
import { dayIn, decimalIn, listIn, momentIn, objectIn, quantityIn, required, textIn } from "../read/values.ts";

/** Bills of clouds have no lines of nothing, and every name is one for all that is billed. */
const SHARED = {
  kinds: ["input", "cache_read", "cache_write_5m", "cache_write_1h", "output"],
  tellsCut: false,
  tellsSpans: false,
  youngDays: 3,
} as const;

const THOUSAND = wholeNumber(1_000n);
const MILLION = wholeNumber(1_000_000n);

/** `1K tokens`, `1M`, `Million`: null where it says no number. */
function unitOf(text: string | null): Decimal | null {
  if (text === null) return null;
  if (/^(1 ?)?(k\b|thousand)/i.test(text)) return THOUSAND;
  if (/^(1 ?)?(m\b|million)/i.test(text)) return MILLION;
  const [, number] = /^(\d{1,9})( |$)/.exec(text) ?? [];
  if (number !== undefined) return parseDecimal(number);
  return /^(count|tokens?|requests?|units?)\b/i.test(text) ? wholeNumber(1n) : null;
}

const USAGE = new Set(["Usage", "DiscountedUsage", "SavingsPlanCoveredUsage"]);

function curLines(cells: CsvCells, place: string, notes: Notes): BillLine[] {
  const usageType = required(textIn(cells, "line_item_usage_type", place), "line_item_usage_type", place);
  const product = textIn(cells, "line_item_product_code", place) ?? "";
  if (!/bedrock/i.test(product) && !/bedrock|token/i.test(usageType)) {
    notes.leftOut("lines of other products");
    return [];
  }
  const type = textIn(cells, "line_item_line_item_type", place) ?? "Usage";
  if (!USAGE.has(type)) {
    notes.leftOut(`lines of type ${type}`);
    return [];
  }
  return [
    {
      ...NOTHING_SAID,
      place,
      fromMs: momentIn(cells, "line_item_usage_start_date", place),
      toMs: momentIn(cells, "line_item_usage_end_date", place),
      credential: textIn(cells, "line_item_iam_principal", place),
      meter: usageType,
      quantity: quantityIn(cells, "line_item_usage_amount", place),
      unit: unitOf(textIn(cells, "pricing_unit", place)),
      usd: cells["line_item_currency_code"] === "USD" ? decimalIn(cells, "line_item_unblended_cost", place) : null,
    },
  ];
}

function* explorerLines(document: JsonRow, place: string, notes: Notes): Generator<BillLine> {
  if (typeof document["NextPageToken"] === "string") notes.lacks("it has a NextPageToken: its last page is missing");
  const definitions = Array.isArray(document["GroupDefinitions"]) ? document["GroupDefinitions"].filter(isObject) : [];
  const key = Math.max(
    0,
    definitions.findIndex((definition) => definition["Key"] === "USAGE_TYPE"),
  );
  for (const [index, result] of listIn(document, "ResultsByTime", place).entries()) {
    const at = `${place}: ResultsByTime[${index}]`;
    const period = objectIn(result, "TimePeriod");
    const span = { fromMs: dayIn(period, "Start", at).fromMs, toMs: dayIn(period, "End", at).fromMs };
    for (const [number, group] of listIn(result, "Groups", at).entries()) {
      const line = `${at}.Groups[${number}]`;
      const metrics = objectIn(group, "Metrics");
      const [used, cost] = [objectIn(metrics, "UsageQuantity"), objectIn(metrics, "UnblendedCost")];
      const keys = Array.isArray(group["Keys"]) ? (group["Keys"] as readonly unknown[]) : [];
      const meter = keys[key];
      if (typeof meter !== "string") throw new ExportError(line, "Keys has no usage type; group by USAGE_TYPE");
      yield {
        ...NOTHING_SAID,
        place: line,
        ...span,
        meter,
        quantity: quantityIn(used, "Amount", line),
        unit: unitOf(textIn(used, "Unit", line)),
        usd: cost["Unit"] === "USD" ? decimalIn(cost, "Amount", line) : null,
      };
    }
  }
}

const GOOGLE_SERVICES = /vertex|gemini|generative language|agent platform/i;

function gcpLines(row: JsonRow, place: string, notes: Notes): BillLine[] {
  const service = textIn(objectIn(row, "service"), "description", place) ?? "";
  if (!GOOGLE_SERVICES.test(service)) {
    notes.leftOut("rows of other services");
    return [];
  }
  const type = textIn(row, "cost_type", place) ?? "regular";
  if (type !== "regular") {
    notes.leftOut(`rows of type ${type}`);
    return [];
  }
  const used = objectIn(row, "usage");
  return [
    {
      ...NOTHING_SAID,
      place,
      fromMs: momentIn(row, "usage_start_time", place),
      toMs: momentIn(row, "usage_end_time", place),
      credential: textIn(objectIn(row, "project"), "id", place),
      meter: required(textIn(objectIn(row, "sku"), "description", place), "sku.description", place),
      quantity: quantityIn(used, "amount", place),
      unit: unitOf(textIn(used, "unit", place)),
      usd: row["currency"] === "USD" ? decimalIn(row, "cost", place) : null,
    },
  ];
}

const AZURE_METERS = /openai|foundry|cognitive|ai services|ai model/i;

function azureLines(cells: CsvCells, place: string, notes: Notes): BillLine[] {
  const category = `${cells["metercategory"] ?? ""} ${cells["consumedservice"] ?? ""}`;
  if (!AZURE_METERS.test(category)) {
    notes.leftOut("rows of other services");
    return [];
  }
  const type = textIn(cells, "chargetype", place) ?? "Usage";
  if (type !== "Usage") {
    notes.leftOut(`rows of type ${type}`);
    return [];
  }
  const billed = cells["billingcurrency"] === "USD" ? decimalIn(cells, "costinbillingcurrency", place) : null;
  return [
    {
      ...NOTHING_SAID,
      place,
      ...dayIn(cells, "date", place),
      credential: textIn(cells, "resourceid", place),
      meter: required(textIn(cells, "metername", place), "meterName", place),
      quantity: quantityIn(cells, "quantity", place),
      unit: unitOf(textIn(cells, "unitofmeasure", place)),
      usd: decimalIn(cells, "costinusd", place) ?? billed,
    },
  ];
}

export const CLOUDS: readonly BillFormat[] = [
  {
    ...SHARED,
    id: "aws-cur",
    vendor: "aws",
    title: "AWS CUR 2.0",
    shape: "csv",
    quantities: 2,
    money: 2,
    doubles: false,
    unique: "",
    columns: [
      "line_item_usage_start_date",
      "line_item_usage_end_date",
      "line_item_usage_type",
      "line_item_usage_amount",
    ],
    row: curLines,
  },
  {
    ...SHARED,
    id: "aws-cost-explorer",
    vendor: "aws",
    title: "AWS Cost Explorer",
    shape: "json",
    quantities: 1,
    money: 1,
    doubles: false,
    unique: "",
    isDocument: (document) => Array.isArray(document["ResultsByTime"]),
    rows: explorerLines,
  },
  {
    ...SHARED,
    id: "gcp-billing",
    vendor: "gcp",
    title: "GCP billing export",
    shape: "json-lines",
    quantities: 1,
    money: 1,
    doubles: true,
    unique: "",
    isRow: (row) => "sku" in row && "usage_start_time" in row,
    row: gcpLines,
  },
  {
    ...SHARED,
    id: "azure-costs",
    vendor: "azure",
    title: "Azure cost details",
    shape: "csv",
    quantities: 1,
    money: 1,
    doubles: false,
    unique: "",
    columns: ["date", "metername", "unitofmeasure", "quantity"],
    row: azureLines,
  },
];
