import { parseDecimal } from "../../core/money/decimal.ts";
import type { CallFormat, ClientDialect } from "../../core/request/dialect.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { matchesGlob } from "../../core/text/matches-glob.ts";
import type { UsdConversion } from "./exchange.ts";
import { AbsurdNumber, type LitellmEntry, textIn, tokenLimit } from "./litellm-entry.ts";
import { type Carry, type ReadTariff, readTariff } from "./litellm-tariff.ts";
import type { PriceListModel, PriceList, SkipReason } from "../../core/catalogue/price-list.ts";
import { isModelsDev, type ListedEntry, modelsDevEntries, modelsDevField } from "./models-dev.ts";
import { readExactJson } from "./read-exact-json.ts";

export type Selection = {
  /** Which of the file's vendors, as a pattern. */
  vendor: string;
  /** Which names, as a pattern. */
  match: string;
  exchange: UsdConversion;
  carry: Carry;
};

const DIALECTS: Readonly<Record<string, CallFormat>> = {
  chat: "chat",
  responses: "responses",
  embedding: "embeddings",
};
/** Vendors whose embeddings have a wire of their own. */
const OTHER_WIRES = /^(bedrock|sagemaker|vertex_ai|gemini|palm|cohere|watsonx|databricks|triton)/;
const NAME = /^[\x21-\x29\x2b-\x7e]{1,200}$/;

/** Whose form a list has: LiteLLM's `model_prices_and_context_window.json`, or https://models.dev/api.json. */
export type ListForm = "litellm" | "models.dev";

/** Reads a price list; its form is seen from the text. */
export function readPriceList(text: string, path: string, selection: Selection): PriceList & { form: ListForm } {
  const { form, entries } = entriesOf(text, path);
  const ownField = form === "models.dev" ? modelsDevField : (field: string) => field;
  const list: PriceList = { models: [], leftOut: [], skipped: [], refused: [] };
  for (const { id, entry, leftOut } of entries) {
    const found = readOrRefuse(id, { entry, selection });
    if (typeof found === "string") list.skipped.push({ id, reason: found });
    else if ("problem" in found) list.refused.push({ ...found, field: ownField(found.field) });
    else {
      list.models.push(found.model);
      const fields = [...leftOut, ...found.leftOut];
      list.leftOut.push(...fields.map(({ field, problem }) => ({ id, field: ownField(field), problem })));
    }
  }
  return { ...list, form };
}

/** The vendors that a list knows, for whoever named one that it does not. */
export function listVendors(text: string, path: string): string[] {
  const vendors = entriesOf(text, path).entries.map(({ entry }) => vendorOf(entry));
  return [...new Set(vendors)].filter((vendor) => vendor !== "").toSorted();
}

function entriesOf(text: string, path: string): { form: ListForm; entries: ListedEntry[] } {
  const file = readExactJson(text, path);
  if (isModelsDev(file)) return { form: "models.dev", entries: modelsDevEntries(file) };
  const entries = Object.entries(file).map(([id, entry]) => ({ id, entry: isObject(entry) ? entry : {}, leftOut: [] }));
  return { form: "litellm", entries };
}

type Named = { entry: LitellmEntry; selection: Selection };

type Found = { model: PriceListModel; leftOut: ReadTariff["leftOut"] };

function readOrRefuse(id: string, named: Named): Found | SkipReason | PriceList["refused"][number] {
  try {
    return readModel(id, named);
  } catch (error) {
    if (error instanceof AbsurdNumber) return { id, field: error.field, problem: error.message };
    throw error;
  }
}

function readModel(id: string, { entry, selection }: Named): Found | SkipReason {
  const vendor = vendorOf(entry);
  const mode = entry["mode"];
  const listed = typeof mode === "string" && Object.hasOwn(DIALECTS, mode) ? DIALECTS[mode] : undefined;
  if (!matchesGlob(vendor, selection.vendor)) return "other_vendor";
  if (!matchesGlob(id, selection.match)) return "not_matched";
  if (listed === undefined) return "other_mode";
  const embeds = listed === "embeddings";
  if (embeds && OTHER_WIRES.test(vendor)) return "other_wire";
  const dialect = embeds ? listed : (nativeDialect(vendor) ?? listed);

  // The file's own rule: where a limit is not given, the older field has it.
  const limit = (field: string): number | null => tokenLimit(entry, field) ?? tokenLimit(entry, "max_tokens");
  const [maxInputTokens, maxOutputTokens] = [limit("max_input_tokens"), embeds ? null : limit("max_output_tokens")];
  const contextWindow = maxInputTokens && Math.max(maxInputTokens, maxOutputTokens ?? 0);
  const read = readTariff(id, entry, { ...selection, contextWindow, dialect });
  if (typeof read === "string") return read;
  if (maxOutputTokens === null && !embeds) return "no_output_limit";
  if (!NAME.test(id)) throw new AbsurdNumber("name", "is no name of a model");
  const upstreamModel = id.startsWith(`${vendor}/`) ? id.slice(vendor.length + 1) : id;
  const model = {
    id,
    upstreamModel,
    dialect,
    contextWindow,
    maxOutputTokens,
    // The file leaves it out where nobody has looked, so that only a yes says something.
    reasoning: entry["supports_reasoning"] === true ? true : null,
    tariff: read.tariff,
  };
  return { model, leftOut: read.leftOut };
}

const vendorOf = (entry: LitellmEntry): string => textIn(entry, "litellm_provider");

/** The one vendor whose own format is ours, and whom the file files under chat like everybody. */
const nativeDialect = (vendor: string): ClientDialect | null => (vendor === "anthropic" ? "messages" : null);

/** Reads a factor such as 1.2 exactly; null when it is none above zero. */
export function parseFactor(text: string): UsdConversion["markup"] | null {
  const factor = /^\d{1,6}(\.\d{1,9})?$/.test(text) ? parseDecimal(text) : null;
  return factor === null || factor.digits === 0n ? null : factor;
}
