import { isObject } from "../../core/bytes/is-object.ts";
import type { LeftOut } from "../../core/catalogue/price-list.ts";
import type { LitellmEntry } from "./litellm-entry.ts";
import { isNumberText } from "./read-exact-json.ts";

type Json = Readonly<Record<string, unknown>>;
type Tier = { size: unknown; cost: Json };

/** A model of a list, in LiteLLM's form. */
export type ListedEntry = { id: string; entry: LitellmEntry; leftOut: Omit<LeftOut, "id">[] };

/** Its names of prices, and LiteLLM's. `cache_write` has no lifetime: providers that have two publish that of five minutes. */
const PRICES: Readonly<Record<string, string>> = {
  input: "input_cost_per_token",
  output: "output_cost_per_token",
  reasoning: "output_cost_per_reasoning_token",
  cache_read: "cache_read_input_token_cost",
  cache_write: "cache_creation_input_token_cost",
  input_audio: "input_cost_per_audio_token",
  output_audio: "output_cost_per_audio_token",
};
const LIMITS: Readonly<Record<string, string>> = { context: "max_input_tokens", output: "max_output_tokens" };
/** Their models have no vendor in front in LiteLLM's list, and so in catalogues that were imported from it. */
const BARE = new Set(["openai", "anthropic"]);
/** What has no price here, beside text. */
const MADE = ["image", "video"];
const OVER_200K = { numberText: "200000" };

/** Whether a file has the form of https://models.dev/api.json: vendors, each with its models. */
export const isModelsDev = (file: Json): boolean =>
  Object.values(file).some((vendor) => isObject(vendor) && isObject(vendor["models"]));

/** The models of such a file in LiteLLM's form, so that both lists go by the same rules. */
export const modelsDevEntries = (file: Json): ListedEntry[] =>
  Object.entries(file).flatMap(([vendor, listed]) =>
    Object.entries(objectIn(listed, "models")).map(([name, model]) => ({
      id: BARE.has(vendor) ? name : `${vendor}/${name}`,
      ...entryOf(vendor, isObject(model) ? model : {}),
    })),
  );

function entryOf(vendor: string, model: Json): Omit<ListedEntry, "id"> {
  const cost = objectIn(model, "cost");
  const { tiers, leftOut } = tiersOf(cost);
  const limits = objectIn(model, "limit");
  const entry = {
    litellm_provider: vendor,
    mode: modeOf(objectIn(model, "modalities")["output"]),
    supports_reasoning: model["reasoning"] === true,
    ...Object.fromEntries(Object.entries(LIMITS).map(([name, field]) => [field, limits[name]])),
    ...pricesIn(cost),
    ...(tiers.length > 0 && { tiered_pricing: rangesOf(cost, tiers) }),
  };
  return { entry, leftOut };
}

const modeOf = (output: unknown): string => {
  const made = Array.isArray(output) ? (output as unknown[]) : [];
  return made.includes("text") && !MADE.some((kind) => made.includes(kind)) ? "chat" : "other";
};

/**
 * Steps by size of input. `context_over_200k` is derived from them and repeats the price of a step at 272,000 with another number:
 * it counts only where there are none.
 */
function tiersOf(cost: Json): { tiers: Tier[]; leftOut: ListedEntry["leftOut"] } {
  const listed = cost["tiers"];
  const over = cost["context_over_200k"];
  if (!Array.isArray(listed) || listed.length === 0)
    return { tiers: isObject(over) ? [{ size: OVER_200K, cost: over }] : [], leftOut: [] };
  const leftOut: ListedEntry["leftOut"] = [];
  const tiers = listed.flatMap((one: unknown, index) => {
    const { type = "context", size } = objectIn(one, "tier");
    if (isObject(one) && type === "context" && isNumberText(size)) return [{ size, cost: one }];
    leftOut.push({
      field: `cost.tiers.${index}`,
      problem: "is no step by size of input, so that the line is left out",
    });
    return [];
  });
  return { tiers: tiers.toSorted((first, second) => sizeOf(first) - sizeOf(second)), leftOut };
}

const sizeOf = ({ size }: Tier): number => (isNumberText(size) ? Number(size.numberText) : 0);

const rangesOf = (base: Json, tiers: readonly Tier[]): object[] =>
  [{ size: { numberText: "0" }, cost: base }, ...tiers].map(({ size, cost }, index) => ({
    range: [size, tiers[index]?.size ?? null],
    ...pricesIn(cost),
  }));

const pricesIn = (cost: Json): LitellmEntry =>
  Object.fromEntries(
    Object.entries(PRICES).flatMap(([name, field]) =>
      cost[name] === undefined ? [] : [[field, perToken(cost[name])]],
    ),
  );

/** From a million tokens to one, digit by digit. */
function perToken(price: unknown): unknown {
  if (!isNumberText(price)) return price;
  const [, digits = "", exponent = "0"] = /^([^eE]*)(?:[eE](.*))?$/.exec(price.numberText) ?? [];
  return { numberText: `${digits}e${Number(exponent) - 6}` };
}

const objectIn = (value: unknown, name: string): Json => {
  const inner = isObject(value) ? value[name] : undefined;
  return isObject(inner) ? inner : {};
};

const OWN_NAMES = Object.fromEntries([
  ...Object.entries(PRICES).map(([name, field]) => [field, name]),
  ...Object.entries(LIMITS).map(([name, field]) => [field, `limit.${name}`]),
]) as Record<string, string>;

/** How models.dev calls a field of LiteLLM's: `cost.input`, `cost.tiers[272000].input`, `limit.output`. */
export function modelsDevField(field: string): string {
  if (field === "tiered_pricing") return "cost.tiers";
  const [, above, base = field] = /^tiered_pricing above (\d+): (.*)$/.exec(field) ?? [];
  const name = OWN_NAMES[base];
  if (name === undefined || name.startsWith("limit.")) return name ?? field;
  return above === undefined || above === "0" ? `cost.${name}` : `cost.tiers[${above}].${name}`;
}
