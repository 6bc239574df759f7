import { changesSchema, changesView } from "../../wire/admin/catalogue.ts";
import {
  modelDetailsView,
  modelListSchema,
  modelPageSchema,
  modelRequestSchema,
  modelSchema,
  ofModel,
  ofRoute,
  publicationSchema,
  publishedSchema,
  routeRemovalSchema,
  routeRemovedSchema,
  routeRemovedView,
} from "../../wire/admin/models.ts";
import { pageView } from "../../wire/admin/page.ts";
import { bookedPriceView, priceBookSchema, priceChangeSchema, pricePageSchema } from "../../wire/admin/prices.ts";
import { type AdminRoute, route } from "../route.ts";

const listing: readonly AdminRoute[] = [
  route({
    id: "listModels",
    tag: "models",
    method: "GET",
    path: "/admin/v1/models",
    summary: "List models, published or not",
    query: modelPageSchema,
    answers: { 200: modelListSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { catalogue } }, { query }) => ({
      status: 200,
      body: pageView(await catalogue.listModels(query), modelDetailsView),
    }),
  }),
  route({
    id: "showModel",
    tag: "models",
    method: "GET",
    path: "/admin/v1/models/{model}",
    summary: "Show a model with its price and routes",
    params: ofModel,
    answers: { 200: modelSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { catalogue } }, { params }) => ({
      status: 200,
      body: modelDetailsView(await catalogue.showModel(params.model)),
    }),
  }),
  route({
    id: "listPrices",
    tag: "models",
    method: "GET",
    path: "/admin/v1/models/{model}/prices",
    summary: "List every version of a model's price, oldest first",
    params: ofModel,
    query: pricePageSchema,
    answers: { 200: priceBookSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { catalogue } }, { params, query }) => ({
      status: 200,
      body: pageView(await catalogue.listPrices(params.model, query), bookedPriceView),
    }),
  }),
];

const changing: readonly AdminRoute[] = [
  route({
    id: "addModel",
    tag: "models",
    method: "POST",
    path: "/admin/v1/models",
    summary: "Add a model with its first route, or add a route to an existing model",
    body: modelRequestSchema,
    answers: { 201: changesSchema, 200: changesSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { catalogue } }, { body: order, by }) => {
      const changes = await catalogue.addModel(order, by);
      const isNew = changes.some(({ kind, change }) => kind === "model" && change === "added");
      return { status: isNew ? 201 : 200, body: changesView(changes) };
    },
  }),
  ...(["publish", "unpublish"] as const).map((word) =>
    route({
      id: `${word}Models`,
      tag: "models",
      method: "POST",
      path: `/admin/v1/models/${word}`,
      summary:
        word === "publish" ? "Publish models, so that clients can use them" : "Unpublish models; clients then get 404",
      body: publicationSchema,
      answers: { 200: publishedSchema },
      refusals: ["invalid_request", "not_found", "conflict"],
      handle: async ({ operator: { catalogue } }, { body: { models }, by }) => ({
        status: 200,
        body: { data: await catalogue.publish(models, `${word}ed`, by) },
      }),
    }),
  ),
  route({
    id: "changePrice",
    tag: "models",
    method: "POST",
    path: "/admin/v1/models/{model}/prices",
    summary: "Change parts of a price, immediately or from a date; other parts keep their value",
    params: ofModel,
    body: priceChangeSchema,
    answers: { 200: changesSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { catalogue } }, { params, body, by }) => ({
      status: 200,
      body: changesView(await catalogue.changePrice(params.model, body, by)),
    }),
  }),
  route({
    id: "removeRoute",
    tag: "models",
    method: "DELETE",
    path: "/admin/v1/models/{model}/routes/{route}",
    summary: "Remove a route of a model",
    params: ofRoute,
    query: routeRemovalSchema,
    answers: { 200: routeRemovedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { catalogue } }, { params: { model, route: named }, query: { last }, by }) => ({
      status: 200,
      body: routeRemovedView(await catalogue.removeRoute(model, { route: named, last }, by)),
    }),
  }),
];

/** A model is named by its id with its slashes escaped. */
export const modelRoutes: readonly AdminRoute[] = [...listing, ...changing];
