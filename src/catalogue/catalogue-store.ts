import type { Database } from "../db/database.ts";
import { applyModels, applyProviders, applyRoutes } from "./apply-catalogue-store.ts";
import { applyCosts } from "./cost/cost-store.ts";
import { applyPrices, readBooks } from "./price/price-book-store.ts";
import { createDeskStore } from "./desk-store.ts";
import { underCatalogueLock } from "./lock-store.ts";
import type { CatalogueStore } from "./model.ts";
import { readModels } from "./read-models-store.ts";
import { requireOneKind, requireOutputPriced, requireProvider } from "./require-model-store.ts";
import { requireOrigins } from "./stored-credential-store.ts";

/** The catalogue in PostgreSQL. */
export function createCatalogueStore(database: Database): CatalogueStore {
  return {
    ...createDeskStore(database),
    load: async (atMs) => (await readModels(database, { atMs, which: "published" })).map(({ model }) => model),
    apply: (description) =>
      underCatalogueLock(database, async (tx) => {
        await requireOrigins(tx, description.providers);
        const providers = await applyProviders(tx, description);
        const used = description.models.flatMap(({ routes }) => routes.map(({ provider }) => provider));
        for (const name of new Set(used)) await requireProvider(tx, name);
        const models = [...(await applyModels(tx, description)), ...(await applyPrices(tx, description))];
        await requireOutputPriced(tx, description.models);
        const changes = [
          ...providers,
          ...models,
          ...(await applyRoutes(tx, description)),
          ...(await applyCosts(tx, description)),
        ];
        await requireOneKind(
          tx,
          description.models.map(({ id }) => id),
        );
        return changes;
      }),
    prices: async (modelId) => {
      const [model] = await database.query("select from model where id = $1", [modelId]);
      return model === undefined ? null : ((await readBooks(database, [modelId])).get(modelId) ?? []);
    },
  };
}
