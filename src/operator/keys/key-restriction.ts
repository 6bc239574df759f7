import type { CatalogueNames } from "../../catalogue/names-store.ts";
import { Fault } from "../../core/fault.ts";
import { suggest } from "../../core/text/suggest.ts";
import type { Key } from "../../keys/key.ts";

type Restriction = { providerScope?: string; models?: readonly string[] | null };
type ModelChange = {
  models?: readonly string[] | null;
  addModels?: readonly string[];
  removeModels?: readonly string[];
};

const ALL = "all";

/** Rejects models and providers that the catalogue does not have: most are misspelt, and the key would be of no use. */
export async function requireKnown(
  { providerScope = ALL, models = null }: Restriction,
  readNames: () => Promise<CatalogueNames>,
): Promise<void> {
  if (providerScope === ALL && (models ?? []).length === 0) return;
  const names = await readNames();
  if (providerScope !== ALL && !names.providers.includes(providerScope)) {
    const meant = nearest(providerScope, [ALL, ...names.providers]);
    const fix = `Add the provider first, or use "${ALL}" and update the key later.`;
    throw refused("provider_scope", `There is no provider ${quote(providerScope)}.${meant} ${fix}`);
  }
  const known = new Set(names.models.map(({ id }) => id));
  const unknown = models?.find((id) => !known.has(id));
  if (unknown === undefined) return;
  const published = names.models.flatMap((model) => (model.published ? [model.id] : []));
  const fix = "Add the model to the catalogue first, or leave it out and update the key later.";
  throw refused("models", `There is no model ${quote(unknown)}.${nearest(unknown, published)} ${fix}`);
}

/** The models a key may use after a change; undefined when the change does not concern them. */
export function modelsAfter(
  { models: before, prefix }: Pick<Key, "models" | "prefix">,
  { models, addModels = [], removeModels = [] }: ModelChange,
): readonly string[] | null | undefined {
  if (models !== undefined) return models === null ? null : [...new Set(models)];
  if (addModels.length + removeModels.length === 0) return undefined;
  if (before === null)
    throw refused(
      addModels.length > 0 ? "add_models" : "remove_models",
      `Key ${prefix}… may use all models, so there is no list to change. Set the whole list instead.`,
    );
  const absent = removeModels.find((id) => !before.includes(id));
  if (absent !== undefined)
    throw refused(
      "remove_models",
      `Key ${prefix}… does not list model ${quote(absent)}.${nearest(absent, before)} It lists ${listed(before)}.`,
    );
  const after = [...new Set([...before, ...addModels])].filter((id) => !removeModels.includes(id));
  if (after.length === 0)
    throw refused(
      "remove_models",
      `Key ${prefix}… would have no model left. Set another list, or disable the key to stop it.`,
    );
  return after;
}

const SHOWN_MODELS = 10;

function listed(models: readonly string[]): string {
  if (models.length === 0) return "none";
  const more = models.length - SHOWN_MODELS;
  return models.slice(0, SHOWN_MODELS).map(quote).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function nearest(name: string, candidates: readonly string[]): string {
  const meant = suggest(name, candidates);
  return meant === null ? "" : ` Did you mean ${quote(meant)}?`;
}

const SHOWN_CHARACTERS = 100;
const quote = (text: string): string => JSON.stringify(text.slice(0, SHOWN_CHARACTERS));
const refused = (param: string, message: string): Fault => new Fault("invalid_request", message, { param });
