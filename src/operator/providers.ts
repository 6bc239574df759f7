import type { CatalogueStore, ProviderOverview, RemovedProvider } from "../catalogue/model.ts";
import type { By } from "../core/people/by.ts";
import { Fault } from "../core/fault.ts";
import { type Keyset, type Page, pageOf, type PageRequest, readCursor } from "../core/page.ts";
import type { ProbeResult, ProbeTarget } from "../core/catalogue/probe.ts";
import type { ProviderTerms } from "../core/catalogue/provider-terms.ts";
import { isSpoken } from "../core/request/dialect.ts";
import type { Rekeyed } from "../core/secret/sealed-credential.ts";
import type { Credentials } from "../credentials/open-credentials.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import type { Probe } from "../upstream/probe/probe.ts";

/** A provider as operators see it: of its credential only the place and, of a stored one, which key opens it. */
export type ProviderDetails = Required<ProviderTerms> &
  Pick<ProviderOverview, "name" | "baseUrl" | "credentialRef" | "routes"> & {
    credentialKeyId: string | null;
    /** Why this process cannot have the credential, in words without it; null when it can. */
    credentialProblem: string | null;
  };

export type NewProvider = Required<ProviderTerms> & {
  name: string;
  baseUrl: string;
  credentialRef: string;
  /** The credential itself, to be sealed here and stored. */
  secret: string | null;
  /** What becomes of one of that name with another address or credential: kept, which is a refusal, or replaced. */
  present: "keep" | "replace";
};

export type AddedProvider = { result: "added" | "changed" | "unchanged"; provider: ProviderDetails };

/** What operators do with providers. A credential comes in and is sealed; none ever goes out. */
export type ManageProviders = {
  list: (page: PageRequest) => Promise<Page<ProviderDetails>>;
  show: (name: string) => Promise<ProviderDetails>;
  add: (order: NewProvider, by: By) => Promise<AddedProvider>;
  /** Makes one small call, at the provider's price, from where its credential can be had. */
  probe: (name: string, target: ProbeTarget) => Promise<ProbeResult>;
  /** Seals every stored credential with the newest key. */
  rekey: (by: By) => Promise<Rekeyed>;
  /** Refused while published models have routes there, unless these are to be withdrawn with it. */
  remove: (name: string, routes: "keep" | "withdraw", by: By) => Promise<RemovedProvider>;
};

type Parts = {
  store: Pick<
    CatalogueStore,
    "listProviders" | "findProvider" | "addProvider" | "removeProvider" | "resealCredentials"
  >;
  credentials: Credentials;
  probe: Probe;
  events: Pick<OperatorEvents, "catalogueChanged">;
};

const BY_NAME: Keyset = { list: "providers", values: [/^[^\0]{1,200}$/su] };

export function createManageProviders({ store, credentials, probe, events }: Parts): ManageProviders {
  async function find(name: string): Promise<ProviderOverview> {
    const found = await store.findProvider(name);
    if (found === null) throw new Fault("not_found", `There is no provider ${JSON.stringify(name)}.`);
    return found;
  }

  const detailsOf = (provider: ProviderOverview): ProviderDetails => ({
    name: provider.name,
    baseUrl: provider.baseUrl,
    credentialRef: provider.credentialRef,
    credentialKeyId: provider.sealedCredential?.keyId ?? null,
    credentialProblem: credentials.problem({ ...provider, provider: provider.name }),
    unknownMembers: provider.unknownMembers ?? null,
    openMembers: provider.openMembers ?? null,
    windowCheck: provider.windowCheck ?? null,
    traceparent: provider.traceparent ?? null,
    platform: provider.platform ?? null,
    routes: provider.routes.filter(({ dialect }) => isSpoken(dialect)),
  });

  return {
    list: async ({ limit, after }) => {
      const [last = null] = readCursor(BY_NAME, after) ?? [];
      const rows = await store.listProviders({ limit: limit + 1, after: last });
      return pageOf(rows.map(detailsOf), { limit, list: BY_NAME.list, valuesOf: ({ name }) => [name] });
    },
    show: async (name) => detailsOf(await find(name)),
    add: async ({ secret, present, ...order }, by) => {
      const place = { provider: order.name, baseUrl: order.baseUrl };
      const sealedCredential = secret === null ? null : credentials.seal(secret, place);
      const changes = await store.addProvider({ ...order, sealedCredential }, present);
      events.catalogueChanged({ changes, ...by });
      return { result: changes[0]?.change ?? "unchanged", provider: detailsOf(await find(order.name)) };
    },
    probe: async (name, target) => {
      const provider = await find(name);
      const credential = credentials.credential({ ...provider, provider: name });
      return probe({ baseUrl: provider.baseUrl, platform: provider.platform ?? null, credential }, target);
    },
    rekey: async (by) => {
      const rekeyed = await credentials.rekey(store);
      const changes = rekeyed.resealed.map((name) => ({ kind: "provider", name, change: "changed" }));
      events.catalogueChanged({ changes, ...by });
      return rekeyed;
    },
    remove: async (name, routes, by) => {
      const removed = await store.removeProvider(name, routes);
      const gone = [{ kind: "provider", name }, ...removed.withdrawn.map((route) => ({ kind: "route", name: route }))];
      events.catalogueChanged({ changes: gone.map((what) => ({ ...what, change: "removed" })), ...by });
      return removed;
    },
  };
}
