import { tariffPartsView, tariffView } from "../core/tariff-view.ts";
import { createAsk, type GatewayAddress, GatewayRefusal, queryOf } from "./ask-gateway.ts";
import { descriptionView } from "./description-view.ts";
import type { Catalogue } from "./operator-control.ts";
import {
  type BookedPriceView,
  bookedPriceOf,
  type ChangeView,
  changeOf,
  type ImportedModelView,
  importedModelOf,
  type ModelView,
  modelOf,
  type ProbeView,
  probeResultOf,
  type ProviderView,
  providerOf,
} from "./read-views.ts";

/** An import writes thousands of rows, and a provider that is tried may take a minute to answer. */
const PATIENCE_MS = 180_000;
const PAGE = 1_000;

/** The catalogue of a running gateway, through its admin listener. */
export function remoteCatalogue(gateway: GatewayAddress): Catalogue {
  const ask = createAsk(gateway);
  const askPatiently = createAsk(gateway, PATIENCE_MS);
  const of = (kind: "models" | "providers", name: string, rest = ""): string =>
    `/${kind}/${encodeURIComponent(name)}${rest}`;

  async function listAll<Row>(path: string): Promise<Row[]> {
    const rows: Row[] = [];
    let after: string | null = null;
    do {
      const query = queryOf({ limit: PAGE, after });
      const page: { data: Row[]; next: string | null } = await ask("GET", `${path}?${query}`);
      rows.push(...page.data);
      after = page.next;
    } while (after !== null);
    return rows;
  }
  const changesFrom = async (answer: Promise<{ changes: ChangeView[] }>) => (await answer).changes.map(changeOf);

  return {
    listProviders: async () => (await listAll<ProviderView>("/providers")).map(providerOf),
    // Which prices hold is said by the gateway's clock.
    listModels: async () => (await listAll<ModelView>("/models")).map(modelOf),
    addProvider: async ({ name, baseUrl, credentialRef, secret }, present) => {
      const order = { name, base_url: baseUrl, credential: credentialRef, secret, replace: present === "replace" };
      const { result, provider } = await ask<{ result: string; provider: ProviderView }>("POST", "/providers", order);
      const { sealedCredential = null } = providerOf(provider);
      return { result, sealedCredential, credentialProblem: provider.credential_problem };
    },
    rekeyProviders: async () => {
      const { key: keyId, ...rekeyed } = await ask<RekeyedView>("POST", "/providers/rekey");
      return { keyId, ...rekeyed };
    },
    probeProvider: async (name, { upstreamModel, dialect }) => {
      const target = { upstream_model: upstreamModel, dialect };
      return probeResultOf(await askPatiently<ProbeView>("POST", of("providers", name, "/test"), target));
    },
    removeProvider: (name, routes) => ask("DELETE", of("providers", name, `?${queryOf({ routes })}`)),
    addModel: ({ id, displayName, contextWindow, maxOutputTokens, tariff, route, publication }) => {
      const { upstreamModel, ...rest } = route;
      const order = {
        id,
        display_name: displayName,
        context_window: contextWindow,
        max_output_tokens: maxOutputTokens,
        price: tariff === null ? null : tariffView(tariff),
        route: { ...rest, upstream_model: upstreamModel },
        published: publication === "published",
      };
      return changesFrom(ask("POST", "/models", order));
    },
    publish: async (models, state) => {
      const word = state === "published" ? "publish" : "unpublish";
      return (await ask<{ data: { id: string; changed: boolean }[] }>("POST", `/models/${word}`, { models })).data;
    },
    changePrice: async (id, { parts, fromMs }) => {
      const change = { ...tariffPartsView(parts), effective_from: dateText(fromMs) };
      const answer = ask<{ changes: ChangeView[] }>("POST", of("models", id, "/prices"), change);
      return (await changesFrom(answer)).filter((told) => told.kind === "price");
    },
    prices: async (id) => {
      try {
        return (await ask<{ data: BookedPriceView[] }>("GET", of("models", id, "/prices"))).data.map(bookedPriceOf);
      } catch (error) {
        if (error instanceof GatewayRefusal && error.status === 404) return null;
        throw error;
      }
    },
    removeRoute: async (id, route, last) => {
      const path = of("models", id, `/routes/${encodeURIComponent(route)}?${queryOf({ last })}`);
      const removed = await ask<{ id: string; name: string; routes_left: number }>("DELETE", path);
      return { id: removed.id, name: removed.name, routesLeft: removed.routes_left };
    },
    importModels: async ({ provider, publication, models }, mode) => {
      const order = {
        provider,
        published: publication === "published",
        apply: mode === "apply",
        models: models.map((model) => ({
          id: model.id,
          upstream_model: model.upstreamModel,
          dialect: model.dialect,
          context_window: model.contextWindow,
          max_output_tokens: model.maxOutputTokens,
          price: tariffView(model.tariff),
        })),
      };
      const { data } = await askPatiently<{ data: ImportedModelView[] }>("POST", "/models/import", order);
      return data.map(importedModelOf);
    },
    apply: (description) => changesFrom(askPatiently("POST", "/catalogue", descriptionView(description))),
  };
}

type RekeyedView = {
  key: string;
  resealed: string[];
  current: string[];
  unopened: { provider: string; problem: string }[];
};

const dateText = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
