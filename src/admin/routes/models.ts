import type { FastifyInstance } from "fastify";
import type { CatalogueStore } from "../../catalogue/model.ts";
import { changeView } from "../../core/change-view.ts";
import type { Clock } from "../../core/clock.ts";
import { Fault } from "../../core/fault.ts";
import type { Events } from "../../telemetry/events.ts";
import { validate } from "../../wire/validate.ts";
import { modelPageSchema, modelRequestSchema, publicationSchema, routeRemovalSchema } from "../../wire/admin/models.ts";
import { priceChangeSchema } from "../../wire/admin/prices.ts";
import { bookedPriceView, modelOverview } from "../views/model-view.ts";

type Parts = {
  catalogue: Pick<
    CatalogueStore,
    "listModels" | "findModel" | "addModel" | "publish" | "changePrice" | "prices" | "removeRoute"
  >;
  events: Pick<Events, "catalogueChanged">;
  clock: Pick<Clock, "nowMs">;
};
type OfModel = { Params: { model: string } };
type OfRoute = { Params: { model: string; route: string } };

/** Add, list, price, publish and withdraw models. `:model` is an id with its slashes escaped. */
export function addModelRoutes(app: FastifyInstance, { catalogue, events, clock }: Parts): void {
  app.get("/admin/v1/models", async (request) => {
    const { limit, after } = validate(modelPageSchema, request.query);
    // One more than asked for tells whether there is a page after this one.
    const found = await catalogue.listModels(clock.nowMs(), { after: after ?? null, limit: limit + 1 });
    const data = found.slice(0, limit);
    return { data: data.map(modelOverview), next: found.length > limit ? (data.at(-1)?.id ?? null) : null };
  });

  app.get<OfModel>("/admin/v1/models/:model", async ({ params }) => {
    const found = await catalogue.findModel(params.model, clock.nowMs());
    if (found === null) throw noModel(params.model);
    return modelOverview(found);
  });

  app.post("/admin/v1/models", async (request, reply) => {
    const changes = await catalogue.addModel(validate(modelRequestSchema, request.body));
    events.catalogueChanged({ requestId: request.id, changes });
    const isNew = changes.some(({ kind, change }) => kind === "model" && change === "added");
    return reply.code(isNew ? 201 : 200).send({ changes: changes.map(changeView) });
  });

  for (const word of ["publish", "unpublish"] as const) {
    app.post(`/admin/v1/models/${word}`, async (request) => {
      const { models } = validate(publicationSchema, request.body);
      const data = await catalogue.publish(models, `${word}ed`);
      const changes = data
        .filter(({ changed }) => changed)
        .map(({ id }) => ({ kind: "model", name: id, change: `${word}ed` }));
      events.catalogueChanged({ requestId: request.id, changes });
      return { data };
    });
  }

  app.get<OfModel>("/admin/v1/models/:model/prices", async ({ params }) => {
    const book = await catalogue.prices(params.model);
    if (book === null) throw noModel(params.model);
    return { data: book.map(bookedPriceView) };
  });

  app.post<OfModel>("/admin/v1/models/:model/prices", async (request) => {
    const changes = await catalogue.changePrice(request.params.model, validate(priceChangeSchema, request.body));
    events.catalogueChanged({ requestId: request.id, changes });
    return { changes: changes.map(changeView) };
  });

  app.delete<OfRoute>("/admin/v1/models/:model/routes/:route", async (request) => {
    const { model, route } = request.params;
    const { last } = validate(routeRemovalSchema, request.query);
    const { id, name, routesLeft } = await catalogue.removeRoute(model, route, last);
    const changes = [{ kind: "route", name: `${model} via ${name}`, change: "removed" }];
    events.catalogueChanged({ requestId: request.id, changes });
    return { id, name, routes_left: routesLeft };
  });
}

const noModel = (id: string): Fault =>
  new Fault("not_found", `there is no model ${JSON.stringify(id)} in the catalogue.`);
