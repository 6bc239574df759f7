import { z } from "zod";
import { renamed } from "../codec.ts";
import { isStorable, storable } from "../storable.ts";
import { MODEL_NAMES } from "./model.ts";
import { isEmbedding } from "../../core/request/dialect.ts";
import { describedPriceIn, EXACT, lacksOutput, type Notation } from "./price.ts";
import { describedProvider } from "./provider.ts";
import { MOST_INT, name } from "./route.ts";

export const MOST_MODELS = 5_000;
const MOST_PROVIDERS = 1_000;
const MOST_PRICES = 100;
const MOST_ROUTES = 100;
const MOST_CAPABILITIES = 100;
const DEEPEST = 10;

export const text = storable(1_000);
export const tokenLimit = z.int().min(1).max(MOST_INT);

/** A whole catalogue, or as much of one as is to change: what the catalogue file says, and the admin API takes. */
export const descriptionIn = (notation: Notation) =>
  z
    .strictObject({
      providers: z
        .array(describedProvider)
        .max(MOST_PROVIDERS)
        .refine((rows) => areDifferent(rows.map((row) => row.name)), { error: namedTwice("provider", "name") })
        .default([]),
      models: z
        .array(describedModelIn(notation))
        .max(MOST_MODELS)
        .refine((rows) => areDifferent(rows.map(({ id }) => id)), { error: namedTwice("model", "id") })
        .default([]),
    })
    .check(({ value: { models }, issues }) => {
      const known = new Map<string, { at: string; cost: string }>();
      for (const [place, { routes }] of models.entries()) {
        for (const [index, { provider, upstreamModel, cost }] of routes.entries()) {
          if (cost === undefined) continue;
          const path = ["models", place, "routes", index, "cost"];
          const [name, text] = [JSON.stringify([provider, upstreamModel]), textOf(cost)];
          const other = known.get(name) ?? { at: `models[${place}].routes[${index}]`, cost: text };
          known.set(name, other);
          if (other.cost === text) continue;
          const message = `Input should be the same as in ${other.at}, which leads to the same model of the provider: ${upstreamModel} has one cost`;
          issues.push({ code: "custom", path, input: cost, message });
        }
      }
    });

const textOf = (cost: unknown): string =>
  JSON.stringify(cost, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));

/** Of names that were read already, so each is a text. */
const namedTwice =
  (what: string, field: string) =>
  ({ input }: { input?: unknown }): string => {
    const names = (input as Record<string, string>[]).map((row) => row[field] ?? "");
    const twice = names.find((row, index) => names.indexOf(row) !== index) ?? "";
    return `List should name every ${what} once; ${JSON.stringify(twice)} is there twice`;
  };

export const areDifferent = (names: readonly string[]): boolean => new Set(names).size === names.length;

const capabilities = z
  .record(name, z.unknown())
  .refine(
    (row) => Object.keys(row).length <= MOST_CAPABILITIES && isStorableJson(row),
    `Input should have at most ${MOST_CAPABILITIES} members, not deeper than ${DEEPEST}, of whole characters without NUL`,
  );

const routesIn = ({ route }: Notation, price: PriceSchema) =>
  z
    .array(route(costIn(price)))
    .min(1)
    .max(MOST_ROUTES)
    .refine(
      (rows) => areDifferent(rows.map((row) => JSON.stringify([row.provider, row.upstreamModel, row.dialect]))),
      "List should name every route once",
    );

/** Of the provider's model, so that routes of several models to it have one cost. */
const costIn = (price: PriceSchema) =>
  price
    .nullable()
    .describe(
      "What the provider charges the operator for this model of its own, in dollars, from `effective_from` on; without a date, from now on. null: not known from now on.",
    );

type PriceSchema = ReturnType<typeof describedPriceIn>;

const OUTPUT_REQUIRED = "Field required: only a model that makes embeddings has no price of output";
const ONE_KIND = "List should have routes of one kind: with the format embeddings, or with formats that generate";

function describedModelIn(notation: Notation) {
  const price = describedPriceIn(notation);
  const fields = z
    .strictObject({
      id: name,
      owned_by: name.nullable().default(null),
      provider: name,
      display_name: text.nullable().default(null),
      tagline: text.nullable().default(null),
      context_window: tokenLimit.nullable().default(null),
      max_output_tokens: tokenLimit.nullable().default(null),
      output_ceiling: tokenLimit.nullable().default(null),
      output_floor: tokenLimit.default(1_024),
      token_factor: z.number().positive().max(100).default(1),
      capabilities: capabilities.default({}),
      price: price.nullable().default(null),
      upcoming_prices: z.array(upcoming(price)).max(MOST_PRICES).default([]),
      routes: routesIn(notation, price),
    })
    .refine((row) => haveDifferentDates([row.price, ...row.upcoming_prices]), {
      path: ["upcoming_prices"],
      error: "List should have one price for a date",
    })
    .check(({ value: { routes, price: now, upcoming_prices: later }, issues }) => {
      const lacking = (priced: Parameters<typeof lacksOutput>[0], path: PropertyKey[]): void => {
        if (!lacksOutput(priced, routes)) return;
        issues.push({ code: "custom", path: [...path, "output"], input: priced, message: OUTPUT_REQUIRED });
      };
      lacking(now, ["price"]);
      for (const [index, priced] of later.entries()) lacking(priced, ["upcoming_prices", index]);
      for (const [index, route] of routes.entries()) lacking(route.cost, ["routes", index, "cost"]);
      if (new Set(routes.map(({ dialect }) => isEmbedding(dialect))).size > 1)
        issues.push({ code: "custom", path: ["routes"], input: routes, message: ONE_KIND });
    })
    .refine((row) => row.max_output_tokens === null || row.output_ceiling === null, {
      path: ["output_ceiling"],
      error: "Input should be null where there is max_output_tokens; a published limit is the limit",
    });
  const model = renamed(fields, { ...MODEL_NAMES, upcomingPrices: "upcoming_prices" });
  return z.codec(model, z.custom<z.output<typeof model> & { ownedBy: string }>(), {
    decode: (row) => ({ ...row, ownedBy: row.ownedBy ?? row.provider }),
    encode: (described) => described,
  });
}

const upcoming = (price: PriceSchema) =>
  price.refine(({ effectiveFromMs }) => effectiveFromMs !== null, {
    path: ["effective_from"],
    error: "Field required: a price to come has a date",
  });

function haveDifferentDates(prices: readonly ({ effectiveFromMs: number | null } | null)[]): boolean {
  const dates = prices.flatMap((price) => (price?.effectiveFromMs == null ? [] : [String(price.effectiveFromMs)]));
  return areDifferent(dates);
}

/** What a column of JSON takes, and no deeper than anybody reads. */
function isStorableJson(value: unknown, depth = 0): boolean {
  if (typeof value === "string") return isStorable(value);
  if (typeof value !== "object" || value === null) return true;
  return (
    depth < DEEPEST &&
    Object.entries(value).every(([key, member]) => isStorable(key) && isStorableJson(member, depth + 1))
  );
}

/** A description as the admin API takes it, and as commands print it. */
export const description = descriptionIn(EXACT);
