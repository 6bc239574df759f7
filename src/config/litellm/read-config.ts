import { stringify } from "yaml";
import { isObject } from "../../core/bytes/is-object.ts";
import type { Tariff } from "../../core/money/price.ts";
import { type CatalogueFile, readCatalogueFile } from "../read/catalogue-file.ts";
import { ConfigError } from "../config-error.ts";
import type { UsdConversion } from "../price-list/exchange.ts";
import { AbsurdNumber, type LitellmEntry } from "../price-list/litellm-entry.ts";
import { readTariff, type ListTerms } from "../price-list/litellm-tariff.ts";
import { SKIP_REASONS } from "../../core/catalogue/price-list.ts";
import { isOwnVariable } from "../read/variable-names.ts";
import { offsetAt, parseYaml } from "../read/yaml-text.ts";
import { adviceFor } from "./advice.ts";
import {
  addAliases,
  addFallbacks,
  type LitellmDeployment,
  groupModels,
  type NoteLoss,
  modelText,
  type PlaceInFile,
  type LitellmRow,
} from "./group-models.ts";
import { vendorOf } from "./vendors.ts";

export type Presets = Readonly<Record<string, { url: string; credential: string }>>;
/** What stays behind, where it stands, and what to do instead. No value of the file is repeated. */
export type NotCarried = { source: string; what: string; instead: string };
export type LitellmConfig = { catalogue: CatalogueFile; text: string; notCarried: NotCarried[] };

type Options = { path: string; presets: Presets; exchange: UsdConversion; prices: Readonly<Record<string, unknown>> };

type ProviderText = { name: string; base_url: string; credential: string };

const MOST_ALIASES = 1_000;
const CARRIED_PARAMS = new Set([
  "model",
  "api_key",
  "api_base",
  "base_url",
  "custom_llm_provider",
  "order",
  "weight",
  "max_parallel_requests",
  "input_cost_per_token",
  "output_cost_per_token",
  "cache_read_input_token_cost",
  "cache_creation_input_token_cost",
]);
const CARRIED_SETTINGS = new Set([
  "model_list",
  "router_settings.fallbacks",
  "litellm_settings.fallbacks",
  "router_settings.model_group_alias",
  "litellm_settings.model_alias_map",
]);
const PRICE = /cost/;

/** Reads a configuration of LiteLLM's proxy as a catalogue, with everything that it cannot carry. */
export function readLitellmConfig(text: string, options: Options): LitellmConfig {
  const { document, mistakes, placeOf } = parseYaml(text, { uniqueKeys: true });
  const refuse = (offset: number, message: string): never => {
    throw new ConfigError(
      [{ path: null, source: `${options.path}:${placeOf(offset)}`, message }],
      "LiteLLM configuration",
    );
  };
  for (const { offset, message } of mistakes) refuse(offset, message);
  const root = merged(document.toJS({ maxAliasCount: MOST_ALIASES }));
  if (!isObject(root) || !Array.isArray(root["model_list"])) return refuse(0, "there is no model_list.");

  const notCarried: NotCarried[] = [];
  const lose: NoteLoss = (at, what, instead) =>
    void notCarried.push({
      source: `${options.path}:${placeOf(offsetAt(document, at)).split(":")[0] ?? ""}`,
      what,
      instead,
    });
  const providers = createProviders(options.presets);
  const deployments = root["model_list"].flatMap((row, index) =>
    readDeployment(row, { at: ["model_list", index], options, providers, lose }),
  );
  const models = groupModels(deployments, lose);
  addAliases(root, models, lose);
  addFallbacks(root, models, lose);
  loseSettings(root, lose);
  const written = stringify({
    providers: providers.all(),
    models: [...models.values()].map((model) => modelText(model)),
  });
  return { catalogue: readCatalogueFile(written, options.path), text: written, notCarried };
}

/** `<<` is a merge in the YAML that LiteLLM reads. */
function merged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(merged);
  if (!isObject(value)) return value;
  const { "<<": base, ...own } = value;
  const inherited = merged(base);
  const entries = Object.entries(own).map(([name, each]) => [name, merged(each)] as const);
  return { ...(isObject(inherited) ? inherited : {}), ...Object.fromEntries(entries) };
}

type Providers = ReturnType<typeof createProviders>;

/** One provider for each address and credential; the second of a preset gets a number. */
function createProviders(presets: Presets) {
  const all: ProviderText[] = [];
  return {
    all: () => all,
    nameFor: (preset: string, { url, credential }: { url: string | null; credential: string | null }): string => {
      const base_url = url ?? presets[preset]?.url ?? "";
      const wanted = { base_url, credential: credential ?? presets[preset]?.credential ?? "none" };
      const same = all.find((each) => each.base_url === base_url && each.credential === wanted.credential);
      if (same !== undefined) return same.name;
      const names = new Set(all.map(({ name }) => name));
      let name = preset;
      for (let next = 2; names.has(name); next++) name = `${preset}-${next}`;
      all.push({ name, ...wanted });
      return name;
    },
  };
}

type Context = { at: PlaceInFile; options: Options; providers: Providers; lose: NoteLoss };

function readDeployment(row: unknown, { at, options, providers, lose }: Context): LitellmDeployment[] {
  const params = isObject(row) && isObject(row["litellm_params"]) ? row["litellm_params"] : {};
  const info = isObject(row) && isObject(row["model_info"]) ? row["model_info"] : {};
  const name = isObject(row) && typeof row["model_name"] === "string" ? row["model_name"] : "";
  const model = typeof params["model"] === "string" ? params["model"] : "";
  const skip = (what: string, instead: string): [] => (lose(at, what, instead), []);
  if (name === "" || model === "") return skip("a deployment without model_name or model", "name both");
  if (`${name}${model}`.includes("*"))
    return skip(
      `${name}: a wildcard`,
      "models are listed by name; `tollgate models import` adds all of a vendor with their prices",
    );
  const mode = info["mode"] ?? "chat";
  if (mode !== "chat" && mode !== "responses")
    return skip(
      `${name}: a model of mode ${typeof mode === "string" ? mode : "unknown"}`,
      "only text generation is served",
    );
  const found = vendorOf(
    typeof params["custom_llm_provider"] === "string"
      ? `${params["custom_llm_provider"]}/${model.replace(/^[^/]+\//, "")}`
      : model,
  );
  if (found === null)
    return skip(
      `${name}: ${model.includes("/") ? `the vendor ${model.split("/")[0] ?? ""}` : "a model without a vendor"} is not known here`,
      "add its OpenAI- or Anthropic-compatible address with `tollgate providers add`",
    );
  const url = addressOf(params, found.vendor.path ?? "");
  if (url === undefined)
    return skip(`${name}: an api_base that is not a plain URL`, "write the address itself, without variables");
  const given = credentialOf(params, { at, name, lose });
  // The variable of a preset belongs to the preset's address; another address must not be sent its value.
  const credential = given ?? (url === null || url === options.presets[found.vendor.preset]?.url ? null : "none");
  const provider = providers.nameFor(found.vendor.preset, { url, credential });
  for (const param of Object.keys(params))
    if (!CARRIED_PARAMS.has(param) && !PRICE.test(param))
      lose([...at, "litellm_params", param], `${name}: ${param}`, adviceFor(`litellm_params.${param}`));
  const route = {
    provider,
    upstream_model: found.upstreamModel,
    format: found.vendor.format,
    priority: whole(params["order"]) ?? 0,
    weight: whole(params["weight"]) ?? 1,
    concurrency_limit: whole(params["max_parallel_requests"]) || null,
  };
  const listed =
    [info["base_model"], model, found.upstreamModel].map((each) => options.prices[String(each)]).find(isObject) ?? {};
  const entry = { ...listed, ...entryOf(info), ...entryOf(params) };
  const limits = {
    context: whole(valueOf(entry["max_input_tokens"])),
    output: whole(valueOf(entry["max_output_tokens"] ?? entry["max_tokens"])),
  };
  const tariff = tariffFor(model, entry, {
    exchange: options.exchange,
    contextWindow: limits.context,
    dialect: found.vendor.format,
  });
  const price = typeof tariff === "string" ? { tariff: null, unpriced: tariff } : { tariff, unpriced: null };
  return [{ name, at, route, limits, ...price }];
}

/** Undefined: there is one, and it cannot be carried. */
function addressOf(params: LitellmRow, path: string): string | null | undefined {
  const given = params["api_base"] ?? params["base_url"];
  if (given === undefined || given === null) return null;
  if (typeof given !== "string" || !URL.canParse(given)) return undefined;
  const { protocol, username, password, search, hash } = new URL(given);
  if (!/^https?:$/.test(protocol) || `${username}${password}${search}${hash}` !== "") return undefined;
  const plain = given.replace(/\/+$/, "");
  return plain.endsWith(path) ? plain : `${plain}${path}`;
}

/** A reference to a variable, or nothing: a credential itself is neither carried nor shown. */
function credentialOf(
  params: LitellmRow,
  { at, name, lose }: { at: PlaceInFile; name: string; lose: NoteLoss },
): string | null {
  const given = params["api_key"];
  if (given === undefined || given === null || given === "") return null;
  const variable = typeof given === "string" ? /^os\.environ\/([A-Z][A-Z0-9_]{0,127})$/.exec(given)?.[1] : undefined;
  if (variable !== undefined && !isOwnVariable(variable)) return `env:${variable}`;
  lose(
    [...at, "litellm_params", "api_key"],
    `${name}: an api_key that is not os.environ/NAME in capitals`,
    "store it with `tollgate providers add NAME --replace --credential-stdin`",
  );
  return null;
}

/** Numbers as the reader of price lists has them. A float's shortest text is what was written, up to 15 digits. */
const entryOf = (row: LitellmRow): LitellmEntry =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => PRICE.test(name) || /^max_(?:input_|output_)?tokens$/.test(name))
      .map(([name, value]) => [
        name,
        typeof value === "number" || typeof value === "string" ? { numberText: String(value) } : value,
      ]),
  );

const valueOf = (value: unknown): unknown => (isObject(value) ? Number(value["numberText"]) : value);

function whole(value: unknown): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isSafeInteger(number) && number >= 0 && number <= 2_147_483_647 ? number : null;
}

/** The price, or why there is none. */
function tariffFor(name: string, entry: LitellmEntry, terms: Omit<ListTerms, "carry">): Tariff | string {
  try {
    const read = readTariff(name, entry, { ...terms, carry: { free: true, dearest: true } });
    return typeof read !== "string" ? read.tariff : read === "no_price" ? "no price" : SKIP_REASONS[read];
  } catch (error) {
    if (error instanceof AbsurdNumber) return `${error.field} ${error.message}`;
    throw error;
  }
}

function loseSettings(root: LitellmRow, lose: NoteLoss): void {
  for (const [group, value] of Object.entries(root)) {
    if (CARRIED_SETTINGS.has(group)) continue;
    const isGroup = /^(?:general|litellm|router)_settings$/.test(group) && isObject(value);
    if (!isGroup) lose([group], group, adviceFor(group));
    else
      for (const name of Object.keys(value))
        if (!CARRIED_SETTINGS.has(`${group}.${name}`))
          lose([group, name], `${group}.${name}`, adviceFor(`${group}.${name}`));
  }
}
