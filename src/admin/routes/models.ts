import { changeView } from "../../wire/admin/change.ts";
import { Fault } from "../../core/fault.ts";
import { changesSchema } from "../../wire/admin/catalogue.ts";
import {
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
} from "../../wire/admin/models.ts";
import { priceBookSchema, priceChangeSchema } from "../../wire/admin/prices.ts";
import { type AdminRoute, route } from "../route.ts";
import { bookedPriceView, modelOverview } from "../views/model-view.ts";

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
    handle: async ({ control: { catalogue }, clock }, { query: { limit, after } }) => {
      // One more than asked for tells whether there is a page after this one.
      const found = await catalogue.listModels(clock.nowMs(), { after: after ?? null, limit: limit + 1 });
      const data = found.slice(0, limit);
      const next = found.length > limit ? (data.at(-1)?.id ?? null) : null;
      return { status: 200, body: { data: data.map(modelOverview), next } };
    },
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
    handle: async ({ control: { catalogue }, clock }, { params }) => {
      const found = await catalogue.findModel(params.model, clock.nowMs());
      if (found === null) throw noModel(params.model);
      return { status: 200, body: modelOverview(found) };
    },
  }),
  route({
    id: "listPrices",
    tag: "models",
    method: "GET",
    path: "/admin/v1/models/{model}/prices",
    summary: "List every version of a model's price, oldest first",
    params: ofModel,
    answers: { 200: priceBookSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ control: { catalogue } }, { params }) => {
      const book = await catalogue.prices(params.model);
      if (book === null) throw noModel(params.model);
      return { status: 200, body: { data: book.map(bookedPriceView) } };
    },
  }),
];

const changing: readonly AdminRoute[] = [
  route({
    id: "addModel",
    tag: "models",
    method: "POST",
    path: "/admin/v1/models",
    summary: "Add a model with its first route, or another route to one that is there",
    body: modelRequestSchema,
    answers: { 201: changesSchema, 200: changesSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ control: { catalogue }, events }, { body: order, by }) => {
      const changes = await catalogue.addModel(order);
      events.catalogueChanged({ changes, ...by });
      const isNew = changes.some(({ kind, change }) => kind === "model" && change === "added");
      return { status: isNew ? 201 : 200, body: { changes: changes.map(changeView) } };
    },
  }),
  ...(["publish", "unpublish"] as const).map((word) =>
    route({
      id: `${word}Models`,
      tag: "models",
      method: "POST",
      path: `/admin/v1/models/${word}`,
      summary: word === "publish" ? "Offer models to callers" : "Take models from callers, who then get 404",
      body: publicationSchema,
      answers: { 200: publishedSchema },
      refusals: ["invalid_request", "not_found", "conflict"],
      handle: async ({ control: { catalogue }, events }, { body: { models }, by }) => {
        const data = await catalogue.publish(models, `${word}ed`);
        const changes = data
          .filter(({ changed }) => changed)
          .map(({ id }) => ({ kind: "model", name: id, change: `${word}ed` }));
        events.catalogueChanged({ changes, ...by });
        return { status: 200, body: { data } };
      },
    }),
  ),
  route({
    id: "changePrice",
    tag: "models",
    method: "POST",
    path: "/admin/v1/models/{model}/prices",
    summary: "Change parts of a price, at once or from a date on; other parts stay",
    params: ofModel,
    body: priceChangeSchema,
    answers: { 200: changesSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ control: { catalogue }, events }, { params, body, by }) => {
      const changes = await catalogue.changePrice(params.model, body);
      events.catalogueChanged({ changes, ...by });
      return { status: 200, body: { changes: changes.map(changeView) } };
    },
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
    handle: async ({ control: { catalogue }, events }, { params, query: { last }, by }) => {
      const { id, name, routesLeft } = await catalogue.removeRoute(params.model, params.route, last);
      const changes = [{ kind: "route", name: `${params.model} via ${name}`, change: "removed" }];
      events.catalogueChanged({ changes, ...by });
      return { status: 200, body: { id, name, routes_left: routesLeft } };
    },
  }),
];

/** A model is named by its id with its slashes escaped. */
export const modelRoutes: readonly AdminRoute[] = [...listing, ...changing];

const noModel = (id: string): Fault =>
  new Fault("not_found", `there is no model ${JSON.stringify(id)} in the catalogue.`);
