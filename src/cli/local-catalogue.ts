import type { Control, GatewayParts } from "../app.ts";
import { Fault } from "../core/fault.ts";
import type { Catalogue } from "./operator-control.ts";

type Store = Control["catalogue"];

/** The catalogue of a database, with the keys that this command was given. */
export function localCatalogue(store: Store, providerTools: GatewayParts["providerTools"]): Catalogue {
  return {
    ...store,
    addProvider: async ({ secret, ...provider }, present) => {
      const place = { provider: provider.name, baseUrl: provider.baseUrl };
      const sealedCredential = secret === null ? null : providerTools.seal(secret, place);
      const [change] = await store.addProvider({ ...provider, sealedCredential }, present);
      const added = await store.findProvider(provider.name);
      return {
        result: change?.change ?? "unchanged",
        sealedCredential: added?.sealedCredential ?? null,
        credentialProblem: null,
      };
    },
    rekeyProviders: () => providerTools.rekey(store),
    probeProvider: async (name, target) => {
      const provider = await store.findProvider(name);
      if (provider === null) throw new Fault("not_found", `there is no provider ${JSON.stringify(name)}.`);
      return providerTools.probe(provider, target);
    },
  };
}
