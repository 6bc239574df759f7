import { presetList, PROVIDERS } from "../../contract/providers.ts";
import { PRESETS } from "../../core/catalogue/provider-presets.ts";
import { type AdminRoute, route } from "../route.ts";
import { serveOperations } from "../serve-operations.ts";

const presets = route({
  id: "listProviderPresets",
  tag: "providers",
  method: "GET",
  path: "/admin/v1/provider-presets",
  summary: "List well-known providers with their addresses",
  answers: { 200: presetList },
  handle: () => ({
    status: 200,
    body: {
      data: Object.entries(PRESETS).map(([name, { url, credential, dialect, platform = null }]) => ({
        name,
        base_url: url,
        credential,
        format: dialect,
        platform,
      })),
    },
  }),
});

/** The list, the well-known ones, the rest. */
export const providerRoutes: readonly AdminRoute[] = serveOperations({
  tag: "providers",
  operations: PROVIDERS,
  of: ({ providers }) => providers,
}).toSpliced(1, 0, presets);
