import { type Asking, listAll, queryOf } from "../admin-client/ask-gateway.ts";
import type { Catalogue } from "./operator-control.ts";
import { type ProbeView, probeResultOf, type ProviderView, providerOf } from "./read-provider-view.ts";

type RemoteProviders = Pick<
  Catalogue,
  "listProviders" | "addProvider" | "rekeyProviders" | "probeProvider" | "removeProvider"
>;

export function remoteProviders({ ask, askPatiently }: Asking): RemoteProviders {
  const of = (name: string, rest: string): string => `/providers/${encodeURIComponent(name)}${rest}`;
  return {
    listProviders: async () => (await listAll<ProviderView>(ask, "/providers")).map(providerOf),
    addProvider: async ({ name, baseUrl, credentialRef, secret, unknownMembers, openMembers }, present) => {
      const order = {
        name,
        base_url: baseUrl,
        credential: credentialRef,
        secret,
        unknown_members: unknownMembers ?? null,
        open_members: openMembers ?? null,
        replace: present === "replace",
      };
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
      return probeResultOf(await askPatiently<ProbeView>("POST", of(name, "/test"), target));
    },
    removeProvider: (name, routes) => ask("DELETE", of(name, `?${queryOf({ routes })}`)),
  };
}

type RekeyedView = {
  key: string;
  resealed: string[];
  current: string[];
  unopened: { provider: string; problem: string }[];
};
