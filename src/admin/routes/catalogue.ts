import type { FastifyInstance } from "fastify";
import type { CatalogueStore } from "../../catalogue/model.ts";
import { changeView } from "../../core/change-view.ts";
import { importedModelView } from "../../core/imported-view.ts";
import type { Events } from "../../telemetry/events.ts";
import { descriptionIn } from "../../wire/catalogue/description.ts";
import { EXACT } from "../../wire/catalogue/price.ts";
import { validate } from "../../wire/validate.ts";
import { importSchema } from "../../wire/admin/models.ts";

type Parts = {
  catalogue: Pick<CatalogueStore, "apply" | "importModels">;
  events: Pick<Events, "catalogueChanged">;
};

/** Some two thousand models with price and route take about a megabyte; five thousand are let in. */
const MAX_BODY_BYTES = 8 * 1_048_576;
const descriptionSchema = descriptionIn(EXACT);
const large = { bodyLimit: MAX_BODY_BYTES };

/** Many things at once: a catalogue that was described, and a price list that was read. */
export function addCatalogueRoutes(app: FastifyInstance, { catalogue, events }: Parts): void {
  app.post("/admin/v1/catalogue", large, async (request) => {
    const changes = await catalogue.apply(validate(descriptionSchema, request.body));
    events.catalogueChanged({ requestId: request.id, changes });
    return { changes: changes.map(changeView) };
  });

  app.post("/admin/v1/models/import", large, async (request) => {
    const { order, mode } = validate(importSchema, request.body);
    const compared = await catalogue.importModels(order, mode);
    if (mode === "apply") {
      const changes = compared
        .filter(({ change }) => change === "new" || change === "changed")
        .map(({ id, change }) => ({ kind: "model", name: id, change: change === "new" ? "added" : "changed" }));
      events.catalogueChanged({ requestId: request.id, changes });
    }
    return { applied: mode === "apply", data: compared.map(importedModelView) };
  });
}
