import { createCatalogueStore } from "../../catalogue/catalogue-store.ts";
import type { Credentials } from "../../credentials/open-credentials.ts";
import type { Database } from "../../db/database.ts";
import type { ReachedProvider } from "../../doctor/patient.ts";
import { createReach } from "../../upstream/probe/reach.ts";

type Parts = { database: Database; credentials: Credentials; fetch: typeof globalThis.fetch };

/** Asks every provider of the catalogue for its list of models, all at once, with the credentials that this process has. */
export function createReachProviders({ database, credentials, fetch }: Parts): () => Promise<ReachedProvider[]> {
  const store = createCatalogueStore(database);
  const reach = createReach({ fetch });
  return async () =>
    Promise.all(
      (await store.listProviders()).map(async (provider): Promise<ReachedProvider> => {
        const { name, baseUrl, routes, platform = null } = provider;
        const holder = { ...provider, provider: name };
        const credentialProblem = credentials.problem(holder);
        const known = { name, baseUrl, published: routes.some((route) => route.published), credentialProblem };
        if (credentialProblem !== null) return { ...known, status: null, problem: null };
        const credential = credentials.credential(holder);
        return { ...known, ...(await reach({ baseUrl, platform, dialect: routes[0]?.dialect ?? "chat", credential })) };
      }),
    );
}
