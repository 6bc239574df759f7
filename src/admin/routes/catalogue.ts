import { changeView } from "../../wire/admin/change.ts";
import { importedModelView } from "../../wire/admin/imported-model.ts";
import { changesSchema, importedSchema } from "../../wire/admin/catalogue.ts";
import { importSchema } from "../../wire/admin/models.ts";
import { descriptionIn } from "../../wire/catalogue/description.ts";
import { EXACT } from "../../wire/catalogue/price.ts";
import { type AdminRoute, route } from "../route.ts";

/** Some two thousand models with price and route take about a megabyte; five thousand are let in. */
const MAX_BODY_BYTES = 8 * 1_048_576;

export const catalogueRoutes: readonly AdminRoute[] = [
  route({
    id: "applyCatalogue",
    tag: "catalogue",
    method: "POST",
    path: "/admin/v1/catalogue",
    summary: "Make providers, models, prices and routes as described; what is not described stays",
    maxBodyBytes: MAX_BODY_BYTES,
    body: descriptionIn(EXACT),
    answers: { 200: changesSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ control: { catalogue }, events }, { body, by }) => {
      const changes = await catalogue.apply(body);
      events.catalogueChanged({ changes, ...by });
      return { status: 200, body: { changes: changes.map(changeView) } };
    },
  }),
  route({
    id: "importModels",
    tag: "catalogue",
    method: "POST",
    path: "/admin/v1/models/import",
    summary: "Compare a price list with the catalogue; with `apply`, write the changes",
    maxBodyBytes: MAX_BODY_BYTES,
    body: importSchema,
    answers: { 200: importedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ control: { catalogue }, events }, { body: { order, mode }, by }) => {
      const compared = await catalogue.importModels(order, mode);
      if (mode === "apply") {
        const changes = compared
          .filter(({ change }) => change === "new" || change === "changed")
          .map(({ id, change }) => ({ kind: "model", name: id, change: change === "new" ? "added" : "changed" }));
        events.catalogueChanged({ changes, ...by });
      }
      return { status: 200, body: { applied: mode === "apply", data: compared.map(importedModelView) } };
    },
  }),
];
