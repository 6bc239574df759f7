import type { GatewayParts } from "../app.ts";
import { systemClock } from "../core/clock.ts";

type ProviderTools = GatewayParts["providerTools"];

/** What can be done with providers' credentials where the keys to them are. */
export const createProviderTools = ({
  credential,
  problem,
  seal,
  rekey,
}: GatewayParts["credentials"]): ProviderTools => ({
  credentialProblem: (provider) => problem({ ...provider, provider: provider.name }),
  seal,
  rekey,
  probe: async (provider, { upstreamModel, dialect }) => {
    const secret = credential({ ...provider, provider: provider.name });
    // Loaded here because it brings the whole gateway along, which commands that call nobody do not need.
    const { createProbe } = await import("../app.ts");
    const probe = createProbe({ fetch, elapsedMs: systemClock.elapsedMs });
    return probe({ baseUrl: provider.baseUrl, secret }, { upstreamModel, dialect });
  },
});
