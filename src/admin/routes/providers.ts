import type { FastifyInstance } from "fastify";
import type { CatalogueStore, ProviderOverview } from "../../catalogue/model.ts";
import { Fault } from "../../core/fault.ts";
import type { Events } from "../../telemetry/events.ts";
import { validate } from "../../wire/validate.ts";
import {
  providerPageSchema,
  providerRemovalSchema,
  providerRequestSchema,
  providerTestSchema,
} from "../../wire/admin/providers.ts";
import { pageOf } from "../page.ts";
import type { ProviderTools } from "../provider-tools.ts";
import { probeView, providerView, rekeyedView } from "../views/provider-view.ts";

type Parts = {
  catalogue: Pick<
    CatalogueStore,
    "listProviders" | "findProvider" | "addProvider" | "removeProvider" | "resealCredentials"
  >;
  providerTools: ProviderTools;
  events: Pick<Events, "catalogueChanged">;
};
type OfProvider = { Params: { provider: string } };

/** Add, list, try and remove providers. A credential comes in and is sealed; none ever goes out. */
export function addProviderRoutes(app: FastifyInstance, { catalogue, providerTools, events }: Parts): void {
  const find = async (name: string): Promise<ProviderOverview> => {
    const found = await catalogue.findProvider(name);
    if (found === null) throw new Fault("not_found", `there is no provider ${JSON.stringify(name)}.`);
    return found;
  };

  const view = (provider: ProviderOverview) => providerView(provider, providerTools.credentialProblem(provider));

  app.get("/admin/v1/providers", async (request) => {
    const { limit, after } = validate(providerPageSchema, request.query);
    const { data, next } = pageOf(await catalogue.listProviders(), { nameOf: ({ name }) => name, limit, after });
    return { data: data.map(view), next };
  });

  app.get<OfProvider>("/admin/v1/providers/:provider", async (request) => view(await find(request.params.provider)));

  app.post("/admin/v1/providers", async (request, reply) => {
    const order = validate(providerRequestSchema, request.body);
    const { name, base_url: baseUrl, credential, secret, replace } = order;
    const sealedCredential = secret === null ? null : providerTools.seal(secret, { provider: name, baseUrl });
    const { unknown_members: unknownMembers, open_members: openMembers } = order;
    const provider = { name, baseUrl, credentialRef: credential, sealedCredential, unknownMembers, openMembers };
    const changes = await catalogue.addProvider(provider, replace ? "replace" : "keep");
    events.catalogueChanged({ requestId: request.id, changes });
    const result = changes[0]?.change ?? "unchanged";
    return reply.code(result === "added" ? 201 : 200).send({ result, provider: view(await find(name)) });
  });

  app.post<OfProvider>("/admin/v1/providers/:provider/test", async (request) => {
    const { upstream_model: upstreamModel, dialect } = validate(providerTestSchema, request.body);
    const provider = await find(request.params.provider);
    return probeView(await providerTools.probe(provider, { upstreamModel, dialect }));
  });

  app.post("/admin/v1/providers/rekey", async (request) => {
    const rekeyed = await providerTools.rekey(catalogue);
    const changes = rekeyed.resealed.map((name) => ({ kind: "provider" as const, name, change: "changed" as const }));
    events.catalogueChanged({ requestId: request.id, changes });
    return rekeyedView(rekeyed);
  });

  app.delete<OfProvider>("/admin/v1/providers/:provider", async (request) => {
    const { routes } = validate(providerRemovalSchema, request.query);
    const { name, withdrawn, stranded } = await catalogue.removeProvider(request.params.provider, routes);
    const changes = [{ kind: "provider", name }, ...withdrawn.map((route) => ({ kind: "route", name: route }))].map(
      (what) => ({ ...what, change: "removed" }),
    );
    events.catalogueChanged({ requestId: request.id, changes });
    return { name, withdrawn, stranded };
  });
}
