import type { ProviderOverview } from "../../catalogue/model.ts";
import { Fault } from "../../core/fault.ts";
import {
  ofProvider,
  providerAddedSchema,
  providerListSchema,
  providerPageSchema,
  providerRemovalSchema,
  providerRemovedSchema,
  providerRequestSchema,
  providerSchema,
  providerTestedSchema,
  providerTestSchema,
  rekeyedSchema,
} from "../../wire/admin/providers.ts";
import type { AdminParts } from "../admin-parts.ts";
import { pageOf } from "../page.ts";
import { type AdminRoute, route } from "../route.ts";
import { probeView, providerView, rekeyedView } from "../views/provider-view.ts";

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
    handle: async (parts, { query: { limit, after } }) => {
      const list = await parts.control.catalogue.listProviders();
      const { data, next } = pageOf(list, { nameOf: ({ name }) => name, limit, after });
      return { status: 200, body: { data: data.map((provider) => view(parts, provider)), next } };
    },
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
    handle: async (parts, { params }) => ({ status: 200, body: view(parts, await find(parts, params.provider)) }),
  }),
  route({
    id: "addProvider",
    tag: "providers",
    method: "POST",
    path: "/admin/v1/providers",
    summary: "Add a provider; with `replace`, change the address or credential of one that is there",
    body: providerRequestSchema,
    answers: { 201: providerAddedSchema, 200: providerAddedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async (parts, { body: order, by }) => {
      const { name, base_url: baseUrl, credential, secret, replace } = order;
      const sealedCredential = secret === null ? null : parts.providerTools.seal(secret, { provider: name, baseUrl });
      const { unknown_members: unknownMembers, open_members: openMembers } = order;
      const provider = { name, baseUrl, credentialRef: credential, sealedCredential, unknownMembers, openMembers };
      const changes = await parts.control.catalogue.addProvider(provider, replace ? "replace" : "keep");
      parts.events.catalogueChanged({ changes, ...by });
      const result = changes[0]?.change ?? "unchanged";
      const body = { result, provider: view(parts, await find(parts, name)) };
      return { status: result === "added" ? 201 : 200, body };
    },
  }),
  route({
    id: "testProvider",
    tag: "providers",
    method: "POST",
    path: "/admin/v1/providers/{provider}/test",
    summary: "Make one small streamed call to a provider, at its price",
    params: ofProvider,
    body: providerTestSchema,
    answers: { 200: providerTestedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async (parts, { params, body: { upstream_model: upstreamModel, dialect } }) => {
      const provider = await find(parts, params.provider);
      return { status: 200, body: probeView(await parts.providerTools.probe(provider, { upstreamModel, dialect })) };
    },
  }),
  route({
    id: "rekeyProviders",
    tag: "providers",
    method: "POST",
    path: "/admin/v1/providers/rekey",
    summary: "Seal every stored credential with the newest key",
    answers: { 200: rekeyedSchema },
    refusals: ["conflict"],
    handle: async ({ control: { catalogue }, providerTools, events }, { by }) => {
      const rekeyed = await providerTools.rekey(catalogue);
      const changes = rekeyed.resealed.map((name) => ({ kind: "provider" as const, name, change: "changed" as const }));
      events.catalogueChanged({ changes, ...by });
      return { status: 200, body: rekeyedView(rekeyed) };
    },
  }),
  route({
    id: "removeProvider",
    tag: "providers",
    method: "DELETE",
    path: "/admin/v1/providers/{provider}",
    summary: "Remove a provider; refused while published models have routes there, unless these are withdrawn",
    params: ofProvider,
    query: providerRemovalSchema,
    answers: { 200: providerRemovedSchema },
    refusals: ["invalid_request", "not_found", "conflict"],
    handle: async ({ control: { catalogue }, events }, { params, query: { routes }, by }) => {
      const { name, withdrawn, stranded } = await catalogue.removeProvider(params.provider, routes);
      const changes = [{ kind: "provider", name }, ...withdrawn.map((route) => ({ kind: "route", name: route }))].map(
        (what) => ({ ...what, change: "removed" }),
      );
      events.catalogueChanged({ changes, ...by });
      return { status: 200, body: { name, withdrawn, stranded } };
    },
  }),
];

async function find({ control: { catalogue } }: AdminParts, name: string): Promise<ProviderOverview> {
  const found = await catalogue.findProvider(name);
  if (found === null) throw new Fault("not_found", `there is no provider ${JSON.stringify(name)}.`);
  return found;
}

const view = ({ providerTools }: AdminParts, provider: ProviderOverview) =>
  providerView(provider, providerTools.credentialProblem(provider));
