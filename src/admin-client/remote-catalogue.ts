import type { PageRequest } from "../core/page.ts";
import type { importSchema } from "../wire/admin/catalogue.ts";
import { changesSchema, importedSchema, importView } from "../wire/admin/catalogue.ts";
import type { modelRequestSchema } from "../wire/admin/models.ts";
import {
  modelListSchema,
  modelRequestView,
  modelSchema,
  publishedSchema,
  routeRemovedSchema,
} from "../wire/admin/models.ts";
import type { priceChangeSchema } from "../wire/admin/prices.ts";
import { priceBookSchema, priceChangeView } from "../wire/admin/prices.ts";
import { descriptionView } from "../wire/catalogue/description.ts";
import type { ReadAs } from "../wire/validate.ts";
import { type Asking, queryOf } from "./ask-gateway.ts";

const of = (id: string, rest = ""): string => `/models/${encodeURIComponent(id)}${rest}`;

/** What operators do with models, through the admin listener of a running gateway. Which prices hold is said by its clock. */
export const remoteCatalogue = ({ ask, askPatiently }: Asking) => ({
  listModels: ({ limit, after }: PageRequest) => ask(modelListSchema, "GET", `/models?${queryOf({ limit, after })}`),
  showModel: (id: string) => ask(modelSchema, "GET", of(id)),
  addModel: async (order: ReadAs<typeof modelRequestSchema>) =>
    (await ask(changesSchema, "POST", "/models", modelRequestView(order))).changes,
  publish: async (models: readonly string[], state: "published" | "unpublished") => {
    const word = state === "published" ? "publish" : "unpublish";
    return (await ask(publishedSchema, "POST", `/models/${word}`, { models })).data;
  },
  listPrices: (id: string, { limit, after }: PageRequest) =>
    ask(priceBookSchema, "GET", of(id, `/prices?${queryOf({ limit, after })}`)),
  changePrice: async (id: string, change: ReadAs<typeof priceChangeSchema>) => {
    const { changes } = await ask(changesSchema, "POST", of(id, "/prices"), priceChangeView(change));
    return changes.filter((told) => told.kind === "price");
  },
  removeRoute: (id: string, { route, last }: { route: string; last: "keep" | "remove" }) =>
    ask(routeRemovedSchema, "DELETE", of(id, `/routes/${encodeURIComponent(route)}?${queryOf({ last })}`)),
  importModels: async (order: ReadAs<typeof importSchema>) =>
    (await askPatiently(importedSchema, "POST", "/models/import", importView(order))).data,
  apply: async (description: Parameters<typeof descriptionView>[0]) =>
    (await askPatiently(changesSchema, "POST", "/catalogue", descriptionView(description))).changes,
});
