import { type ChangeView, changeOf } from "../wire/admin/change.ts";
import { type Asking, createAsk, type GatewayAddress } from "../admin-client/ask-gateway.ts";
import { descriptionView } from "./description-view.ts";
import type { Catalogue } from "./operator-control.ts";
import { remoteModels } from "./remote-models.ts";
import { remoteProviders } from "./remote-providers.ts";

/** An import writes thousands of rows, and a provider that is tried may take a minute to answer. */
const PATIENCE_MS = 180_000;

/** The catalogue of a running gateway, through its admin listener. */
export function remoteCatalogue(gateway: GatewayAddress): Catalogue {
  const asking: Asking = { ask: createAsk(gateway), askPatiently: createAsk(gateway, PATIENCE_MS) };
  return {
    ...remoteProviders(asking),
    ...remoteModels(asking),
    apply: async (description) => {
      const body = descriptionView(description);
      const { changes } = await asking.askPatiently<{ changes: ChangeView[] }>("POST", "/catalogue", body);
      return changes.map(changeOf);
    },
  };
}
