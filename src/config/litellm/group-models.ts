import { isObject } from "../../core/bytes/is-object.ts";
import { byPart, NEEDED_PARTS, OPTIONAL_PARTS, type Tariff } from "../../core/money/price.ts";
import { tariffView } from "../../wire/catalogue/price.ts";

export type LitellmRow = Readonly<Record<string, unknown>>;

export type PlaceInFile = readonly (string | number)[];

export type NoteLoss = (at: PlaceInFile, what: string, instead: string) => void;

export type RouteText = {
  provider: string;
  upstream_model: string;
  format: string;
  priority: number;
  weight: number;
  concurrency_limit: number | null;
};

export type LitellmDeployment = {
  name: string;
  at: PlaceInFile;
  route: RouteText;
  tariff: Tariff | null;
  /** Why it has no price. */
  unpriced: string | null;
  limits: TokenLimits;
};

export type TokenLimits = { context: number | null; output: number | null };

export type ModelText = { id: string; routes: RouteText[]; tariff: Tariff | null; limits: TokenLimits };

const FALLBACK_PRIORITY = 100;

/** A model without any limit of output is not offered: what a request could cost would have no bound. */
const ASSUMED_OUTPUT = 8_192;

/** The deployments of a name are the routes of one model. */
export function groupModels(deployments: readonly LitellmDeployment[], lose: NoteLoss): Map<string, ModelText> {
  const models = new Map<string, ModelText>();
  for (const { name, at, route, tariff, limits } of deployments) {
    const model = models.get(name) ?? { id: name, routes: [], tariff, limits };
    models.set(name, model);
    if (model.routes.some((other) => isSameRoute(other, route))) {
      lose(
        at,
        `${name}: a second deployment of ${route.upstream_model} at ${route.provider}`,
        "one route is enough, unless it has another credential: add it as a provider of its own",
      );
      continue;
    }
    model.routes.push(route);
    if (tariff !== null && model.tariff !== null && isDifferent(tariff, model.tariff))
      lose(
        at,
        `${name}: another price than the deployment above`,
        hasLines(tariff) || hasLines(model.tariff)
          ? "a model has one price; the higher of each part was taken, without prices of larger inputs, tiers and regions: set those with `tollgate models price ID --when`"
          : "a model has one price; the higher of each part was taken",
      );
    model.tariff = dearer(model.tariff, tariff);
    model.limits = {
      context: least(model.limits.context, limits.context),
      output: least(model.limits.output, limits.output),
    };
  }
  for (const { id, tariff, limits } of models.values()) {
    const first = deployments.find(({ name }) => name === id);
    if (limits.output === null && first !== undefined)
      lose(
        first.at,
        `${id}: no output limit`,
        `${ASSUMED_OUTPUT.toLocaleString("en-US")} tokens were assumed (output_ceiling); pass --prices, or correct the catalogue file`,
      );
    if (tariff === null && first !== undefined)
      lose(
        first.at,
        `${id}: ${first.unpriced ?? "no price"}`,
        `keys with credit can't use it until it has a price: \`tollgate models price ${id} --input … --output …\``,
      );
  }
  return models;
}

const isSameRoute = (one: RouteText, other: RouteText): boolean =>
  one.provider === other.provider && one.upstream_model === other.upstream_model && one.format === other.format;
const least = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
const isDifferent = (one: Tariff, other: Tariff): boolean =>
  JSON.stringify(tariffView(one)) !== JSON.stringify(tariffView(other));

const hasLines = ({ when = [] }: Tariff): boolean => when.length > 0;

function dearer(one: Tariff | null, other: Tariff | null): Tariff | null {
  if (one === null || other === null) return one ?? other;
  if (!isDifferent(one, other)) return one;
  const most = (a: bigint | null | undefined, b: bigint | null | undefined): bigint | null =>
    a == null || b == null ? (a ?? b ?? null) : a > b ? a : b;
  return {
    ...byPart(NEEDED_PARTS, (part) => (one[part] > other[part] ? one[part] : other[part])),
    ...byPart(OPTIONAL_PARTS, (part) => most(one[part], other[part])),
    toolCallNano: { ...one.toolCallNano, ...other.toolCallNano },
  };
}

/** Another name is another model with the same routes and price. */
export function addAliases(root: LitellmRow, models: Map<string, ModelText>, lose: NoteLoss): void {
  for (const at of [
    ["router_settings", "model_group_alias"],
    ["litellm_settings", "model_alias_map"],
  ] as const) {
    const group = root[at[0]];
    const aliases = isObject(group) ? group[at[1]] : undefined;
    for (const [alias, given] of Object.entries(isObject(aliases) ? aliases : {})) {
      const target = models.get(String(isObject(given) ? given["model"] : given));
      if (target === undefined)
        lose([...at, alias], `the alias ${alias} of a model that is not carried`, "add the model first");
      else if (models.has(alias))
        lose([...at, alias], `the alias ${alias}, which is also a model`, "rename one of them");
      else models.set(alias, { ...target, id: alias });
    }
  }
}

/** Routes of the other model, behind those of its own. They are charged at the price of the model that was asked for. */
export function addFallbacks(root: LitellmRow, models: Map<string, ModelText>, lose: NoteLoss): void {
  const own = new Map([...models].map(([id, { routes }]) => [id, [...routes]]));
  for (const at of [
    ["router_settings", "fallbacks"],
    ["litellm_settings", "fallbacks"],
  ] as const) {
    const group = root[at[0]];
    const given = isObject(group) ? group[at[1]] : undefined;
    const list = Array.isArray(given) ? given.filter(isObject) : [];
    for (const [index, fallback] of list.entries()) {
      for (const [name, others] of Object.entries(fallback)) {
        const model = models.get(name);
        const place = [...at, index, name];
        if (model === undefined) {
          lose(place, `fallbacks of ${name}, which is not carried`, "add the model first");
          continue;
        }
        for (const [step, other] of (Array.isArray(others) ? others.map(String) : []).entries()) {
          const added = (own.get(other) ?? []).filter(
            (route) => !model.routes.some((each) => isSameRoute(each, route)),
          );
          if (added.length === 0) lose(place, `the fallback from ${name} to ${other}`, "it has no other route there");
          else if (model.tariff === null || isDearerThan(models.get(other)?.tariff ?? null, model.tariff))
            lose(
              place,
              `the fallback from ${name} to ${other}, which costs more or has no price`,
              `requests would be charged at the price of ${name}; add the route yourself if that is meant`,
            );
          else
            model.routes.push(
              ...added.map((route) => ({ ...route, priority: route.priority + FALLBACK_PRIORITY * (step + 1) })),
            );
        }
      }
    }
  }
}

const isDearerThan = (other: Tariff | null, tariff: Tariff): boolean =>
  other === null || other.inputNano > tariff.inputNano || other.outputNano > tariff.outputNano;

/** A model in the words of the catalogue file. */
export function modelText({ id, routes, tariff, limits }: ModelText): object {
  const parts =
    tariff === null
      ? null
      : Object.fromEntries(
          Object.entries(tariffView(tariff)).filter(([, value]) => value !== null && JSON.stringify(value) !== "{}"),
        );
  return {
    id,
    provider: routes[0]?.provider,
    ...(limits.context !== null && { context_window: limits.context }),
    ...(limits.output === null ? { output_ceiling: ASSUMED_OUTPUT } : { max_output_tokens: limits.output }),
    ...(parts !== null && { price: parts }),
    routes: routes.map(({ concurrency_limit, ...route }) => ({
      ...route,
      ...(concurrency_limit !== null && { concurrency_limit }),
    })),
  };
}
