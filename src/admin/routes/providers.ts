import { PRESETS } from "../../core/provider-presets.ts";
import { pageView } from "../../wire/admin/page.ts";
import {
  ofProvider,
  presetListSchema,
  probeView,
  providerAddedSchema,
  providerListSchema,
  providerPageSchema,
  providerRemovalSchema,
  providerRemovedSchema,
  providerRequestSchema,
  providerSchema,
  providerTestedSchema,
  providerTestSchema,
  providerView,
  rekeyedSchema,
  rekeyedView,
} from "../../wire/admin/providers.ts";
import { type AdminRoute, route } from "../route.ts";

/** A credential comes in and is sealed; none ever goes out. */
export const providerRoutes: readonly AdminRoute[] = [
  route({
    id: "listProviders",
    tag: "providers",
    method: "GET",
    path: "/admin/v1/providers",
    summary: "List providers with their routes",
    query: providerPageSchema,
    answers: { 200: providerListSchema },
    refusals: ["invalid_request"],
    handle: async ({ operator: { providers } }, { query }) => ({
      status: 200,
      body: pageView(await providers.list(query), providerView),
    }),
  }),
  route({
    id: "listProviderPresets",
    tag: "providers",
    method: "GET",
    path: "/admin/v1/provider-presets",
    summary: "List well-known providers with their addresses",
    answers: { 200: presetListSchema },
    handle: () => ({
      status: 200,
      body: {
        data: Object.entries(PRESETS).map(([name, { url, credential, dialect }]) => ({
          name,
          base_url: url,
          credential,
          format: dialect,
        })),
      },
    }),
  }),
  route({
    id: "showProvider",
    tag: "providers",
    method: "GET",
    path: "/admin/v1/providers/{provider}",
    summary: "Show a provider with its routes",
    params: ofProvider,
    answers: { 200: providerSchema },
    refusals: ["invalid_request", "not_found"],
    handle: async ({ operator: { providers } }, { params }) => ({
      status: 200,
      body: providerView(await providers.show(params.provider)),
    }),
  }),
  route({
    id: "addProvider",
    tag: "providers",
    method: "POST",
    path: "/admin/v1/providers",
    summary: "Add a provider, or with `replace` change the address or credential of an existing one",
    body: providerRequestSchema,
    answers: { 201: providerAddedSchema, 200: providerAddedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { providers } }, { body: order, by }) => {
      const { result, provider } = await providers.add(order, by);
      return { status: result === "added" ? 201 : 200, body: { result, provider: providerView(provider) } };
    },
  }),
  route({
    id: "testProvider",
    tag: "providers",
    method: "POST",
    path: "/admin/v1/providers/{provider}/test",
    summary: "Test a provider with one small streamed call, which the provider bills",
    params: ofProvider,
    body: providerTestSchema,
    answers: { 200: providerTestedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { providers } }, { params, body: target }) => ({
      status: 200,
      body: probeView(await providers.probe(params.provider, target)),
    }),
  }),
  route({
    id: "rekeyProviders",
    tag: "providers",
    method: "POST",
    path: "/admin/v1/providers/rekey",
    summary: "Re-encrypt every stored credential with the newest key",
    answers: { 200: rekeyedSchema },
    refusals: ["conflict"],
    handle: async ({ operator: { providers } }, { by }) => ({
      status: 200,
      body: rekeyedView(await providers.rekey(by)),
    }),
  }),
  route({
    id: "removeProvider",
    tag: "providers",
    method: "DELETE",
    path: "/admin/v1/providers/{provider}",
    summary: "Remove a provider; returns 409 while published models have routes to it, unless `routes` is `withdraw`",
    params: ofProvider,
    query: providerRemovalSchema,
    answers: { 200: providerRemovedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ operator: { providers } }, { params, query: { routes }, by }) => ({
      status: 200,
      body: await providers.remove(params.provider, routes, by),
    }),
  }),
];
