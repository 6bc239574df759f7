import { z } from "zod";
import { ACCEPTABLE_ALARMS } from "../core/money/money-alarm.ts";
import { ROUTE_FORMATS } from "../core/request/dialect.ts";
import type { ManageCatalogue } from "../operator/catalogue.ts";
import { instant } from "../wire/instant.ts";
import { storable } from "../wire/storable.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { MOST_MODELS, text, tokenLimit } from "../wire/catalogue/description.ts";
import { MODEL_NAMES } from "../wire/catalogue/model.ts";
import { lacksOutput, tariff } from "../wire/catalogue/price.ts";
import { format, MOST_INT, name, region, ROUTE_NAMES, upstreamModel } from "../wire/catalogue/route.ts";
import { oneOf, renamed, within } from "../wire/codec.ts";
import { catalogueChanges } from "./catalogue-changes.ts";
import type { Operations } from "./operation.ts";
import { bookedPrice, price, priceChange } from "./prices.ts";

/** `published` of a model that is to be added. */
export const publication = <Flag extends z.ZodType<boolean>>(flag: Flag) =>
  oneOf(flag, { false: "unpublished", true: "published" });

/** A new model with its first route, or another route to one that is there, of which the rest need not be said. */
const modelRequest = renamed(
  z
    .strictObject({
      id: z
        .string()
        .regex(/^[\x21-\x7e]{1,200}$/, "Input should be 1 to 200 printable ASCII characters without spaces"),
      display_name: text.nullable().default(null),
      context_window: tokenLimit.nullable().default(null),
      max_output_tokens: tokenLimit.nullable().default(null),
      reasoning: z.boolean().exactOptional(),
      price: tariff.nullable().default(null),
      route: renamed(
        z.strictObject({
          provider: name,
          upstream_model: upstreamModel,
          format,
          conformant: z.boolean().exactOptional(),
          priority: z.int().min(0).max(MOST_INT).exactOptional(),
          weight: z.int().min(0).max(MOST_INT).exactOptional(),
          region: region.nullable().exactOptional(),
        }),
        { upstreamModel: "upstream_model", dialect: "format" },
      ),
      published: publication(z.boolean().default(true)),
    })
    .refine(({ price: asked, route }) => !lacksOutput(asked, [route]), {
      path: ["price", "output"],
      error: "Field required: only a model that makes embeddings has no price of output",
    }),
  {
    displayName: "display_name",
    contextWindow: "context_window",
    maxOutputTokens: "max_output_tokens",
    tariff: "price",
    publication: "published",
  },
);

/** `model` in a path. */
const ofModel = z.object({ model: z.string().describe("Id of the model, with slashes escaped as `%2F`.") });
const ofRoute = z.object({
  ...ofModel.shape,
  route: z.string().describe("Id of the route, or an unambiguous beginning of its id or of `provider/upstream model`."),
});

const modelRoute = renamed(
  z.object({
    id: z.string(),
    provider: z.string(),
    upstream_model: z.string(),
    format: z.enum(ROUTE_FORMATS),
    conformant: z.boolean(),
    priority: z.int(),
    weight: z.int(),
    connect_timeout_ms: z.int(),
    first_byte_timeout_ms: z.int(),
    idle_timeout_ms: z.int(),
    concurrency_limit: z.int().nullable(),
    region: z.string().nullable().describe("Where it runs, in a word of the operator's; null: not told."),
  }),
  ROUTE_NAMES,
);

const alarmKind = z.enum(ACCEPTABLE_ALARMS).describe("Kind of money alarm.");
const ACCEPTED_NAMES = { actor: "accepted_by", acceptedAtMs: "accepted_at", untilMs: "until" } as const;
const until = instant.nullable().describe("When such alarms alert again; null: when it is withdrawn.");

export const acceptedAlarm = renamed(
  z
    .object({ kind: alarmKind, reason: z.string(), accepted_by: z.string(), accepted_at: instant, until })
    .meta({ id: "AcceptedAlarm" }),
  ACCEPTED_NAMES,
);

/** In the words of the catalogue file, with what only operators see of it. */
export const model = renamed(
  z
    .object({
      id: z.string(),
      owned_by: z.string(),
      provider: z.string(),
      display_name: z.string().nullable(),
      tagline: z.string().nullable(),
      context_window: z.int().nullable(),
      max_output_tokens: z.int().nullable(),
      output_ceiling: z.int().nullable(),
      output_floor: z.int(),
      token_factor: z.number(),
      capabilities: z.record(z.string(), z.unknown()),
      created_at: instant,
      published: z.boolean(),
      obstacles: z.array(z.string()).describe("Why clients cannot use it; empty: they can."),
      price: price.nullable(),
      upcoming_prices: z.array(price),
      accepted_alarms: z
        .array(acceptedAlarm)
        .describe("Kinds of money alarm that do not alert for this model. Those that have ended are among them."),
      routes: z.array(modelRoute),
    })
    .meta({ id: "Model" }),
  { ...MODEL_NAMES, createdAtMs: "created_at", upcomingPrices: "upcoming_prices", acceptedAlarms: "accepted_alarms" },
);

const OF_MODEL = { params: ofModel, refusals: ["invalid_request", "not_found"] } as const;
const REFUSALS = ["invalid_request", "not_found", "conflict"] as const;

const modelNamed = (named: string | null) => ({ kind: "model", name: named }) as const;

/** What operators do with models, their prices and routes, below `/admin/v1`. A model is named by its id with its slashes escaped. */
export const MODELS: Operations<Omit<ManageCatalogue, "importModels" | "apply" | "showPriceCheck">> = {
  listModels: {
    id: "listModels",
    method: "GET",
    path: "/models",
    summary: "List models, published or not",
    payload: pageQuery(100),
    answer: pageSchema(model),
    refusals: ["invalid_request"],
    audit: "read",
  },
  showModel: {
    ...OF_MODEL,
    id: "showModel",
    method: "GET",
    path: "/models/{model}",
    summary: "Show a model with its price and routes",
    answer: model,
    audit: "read",
  },
  listPrices: {
    ...OF_MODEL,
    id: "listPrices",
    method: "GET",
    path: "/models/{model}/prices",
    summary: "List every version of a model's price, oldest first",
    payload: pageQuery(100),
    answer: pageSchema(bookedPrice),
    audit: "read",
  },
  addModel: {
    id: "addModel",
    method: "POST",
    path: "/models",
    summary: "Add a model with its first route, or add a route to an existing model",
    payload: modelRequest,
    answer: catalogueChanges,
    status: {
      of: (changes) => (changes.some(({ kind, change }) => kind === "model" && change === "added") ? 201 : 200),
    },
    refusals: REFUSALS,
    audit: { action: "model.add", of: ({ id }) => modelNamed(id), asked: (order) => order },
  },
  publish: {
    method: "POST",
    path: "/models/{change}",
    variants: {
      publish: { id: "publishModels", summary: "Publish models, so that clients can use them" },
      unpublish: { id: "unpublishModels", summary: "Unpublish models; clients then get 404" },
    },
    payload: within("models", z.array(name).min(1).max(MOST_MODELS), z.strictObject),
    answer: within("data", z.array(z.object({ id: z.string(), changed: z.boolean(), warnings: z.array(z.string()) }))),
    refusals: REFUSALS,
    audit: {
      action: "model.publish",
      of: (_change, [id = null, ...others]) => modelNamed(others.length === 0 ? id : null),
      asked: (change, models) => ({ models, state: `${change}ed` }),
      after: (models) => ({ models }),
    },
  },
  changePrice: {
    id: "changePrice",
    method: "POST",
    path: "/models/{model}/prices",
    summary: "Change parts of a price, immediately or from a date; other parts keep their value",
    params: ofModel,
    payload: priceChange,
    answer: catalogueChanges,
    refusals: REFUSALS,
    audit: {
      action: "model.price",
      of: modelNamed,
      asked: (_id, change) => change,
      after: (changes) => ({ changes }),
    },
  },
  removeRoute: {
    id: "removeRoute",
    method: "DELETE",
    path: "/models/{model}/routes/{route}",
    summary: "Remove a route of a model",
    params: ofRoute,
    payload: within("last", z.enum(["keep", "remove"]).default("keep"), z.strictObject),
    answer: renamed(z.object({ id: z.string(), name: z.string(), routes_left: z.int() }), {
      routesLeft: "routes_left",
    }),
    refusals: REFUSALS,
    audit: { action: "model.remove_route", of: modelNamed, asked: (_id, route, last) => ({ route, last }) },
  },
  acceptAlarm: {
    id: "acceptAlarm",
    method: "POST",
    path: "/models/{model}/accepted-alarms",
    summary: "Accept a kind of money alarm for one model, so that it does not alert",
    description:
      "In place of what was accepted of the kind before. Charges stay as they are; alarms of other models and of other kinds still alert.",
    params: ofModel,
    payload: renamed(
      z.strictObject({ kind: alarmKind, reason: storable(500).min(1), until: until.default(null) }),
      ACCEPTED_NAMES,
    ),
    answer: acceptedAlarm,
    status: 201,
    refusals: REFUSALS,
    audit: { action: "model.accept_alarm", of: modelNamed, asked: (_id, order) => order },
  },
  withdrawAlarm: {
    ...OF_MODEL,
    id: "withdrawAlarm",
    method: "DELETE",
    path: "/models/{model}/accepted-alarms/{kind}",
    summary: "Stop accepting a kind of money alarm for a model; it alerts again",
    params: z.object({ ...ofModel.shape, kind: alarmKind }),
    answer: acceptedAlarm,
    audit: { action: "model.withdraw_alarm", of: modelNamed, asked: (_id, kind) => ({ kind }) },
  },
};
