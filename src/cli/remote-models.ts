import { type ChangeView, changeOf } from "../wire/admin/change.ts";
import { type ImportedModelView, importedModelOf } from "../wire/admin/imported-model.ts";
import { tariffPartsView, tariffView } from "../core/tariff-view.ts";
import { type Asking, GatewayRefusalError, listAll, queryOf } from "../admin-client/ask-gateway.ts";
import type { Catalogue } from "./operator-control.ts";
import { type BookedPriceView, bookedPriceOf, type ListedModelView, listedModelOf } from "./read-model-view.ts";

type RemoteModels = Pick<
  Catalogue,
  "listModels" | "addModel" | "publish" | "changePrice" | "prices" | "removeRoute" | "importModels"
>;

export function remoteModels({ ask, askPatiently }: Asking): RemoteModels {
  const of = (id: string, rest: string): string => `/models/${encodeURIComponent(id)}${rest}`;
  return {
    // Which prices hold is said by the gateway's clock.
    listModels: async () => (await listAll<ListedModelView>(ask, "/models")).map(listedModelOf),
    addModel: async (order) => {
      const { changes } = await ask<{ changes: ChangeView[] }>("POST", "/models", orderView(order));
      return changes.map(changeOf);
    },
    publish: async (models, state) => {
      const word = state === "published" ? "publish" : "unpublish";
      return (await ask<{ data: { id: string; changed: boolean }[] }>("POST", `/models/${word}`, { models })).data;
    },
    changePrice: async (id, { parts, fromMs }) => {
      const change = { ...tariffPartsView(parts), effective_from: dateText(fromMs) };
      const { changes } = await ask<{ changes: ChangeView[] }>("POST", of(id, "/prices"), change);
      return changes.map(changeOf).filter((told) => told.kind === "price");
    },
    prices: async (id) => {
      try {
        return (await ask<{ data: BookedPriceView[] }>("GET", of(id, "/prices"))).data.map(bookedPriceOf);
      } catch (error) {
        if (error instanceof GatewayRefusalError && error.status === 404) return null;
        throw error;
      }
    },
    removeRoute: async (id, route, last) => {
      const path = of(id, `/routes/${encodeURIComponent(route)}?${queryOf({ last })}`);
      const removed = await ask<{ id: string; name: string; routes_left: number }>("DELETE", path);
      return { id: removed.id, name: removed.name, routesLeft: removed.routes_left };
    },
    importModels: async (order, mode) => {
      const body = { ...importView(order), apply: mode === "apply" };
      const { data } = await askPatiently<{ data: ImportedModelView[] }>("POST", "/models/import", body);
      return data.map(importedModelOf);
    },
  };
}

function orderView({ route, ...model }: Parameters<Catalogue["addModel"]>[0]): object {
  const { upstreamModel, ...rest } = route;
  return {
    id: model.id,
    display_name: model.displayName,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    ...(model.reasoning === undefined ? {} : { reasoning: model.reasoning }),
    price: model.tariff === null ? null : tariffView(model.tariff),
    route: { ...rest, upstream_model: upstreamModel },
    published: model.publication === "published",
  };
}

const importView = ({ provider, publication, models }: Parameters<Catalogue["importModels"]>[0]): object => ({
  provider,
  published: publication === "published",
  models: models.map((model) => ({
    id: model.id,
    upstream_model: model.upstreamModel,
    dialect: model.dialect,
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens,
    price: tariffView(model.tariff),
  })),
});

const dateText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
