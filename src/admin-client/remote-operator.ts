import { caller } from "../wire/admin/people.ts";
import { type Declared, eachResource, RESOURCES } from "../contract/resources.ts";
import { askOperations } from "./ask-operations.ts";
import { remoteLive } from "./remote-live.ts";
import { createAskFor, createOpenEvents, type GatewayAddress } from "./ask-gateway.ts";

/** Verifying reads every charge there is; the rest is done in a moment. */
const VERIFY_TIMEOUT_MS = 3_600_000;
/** For a provider's answer, and for thousands of models at once. */
const PATIENCE_MS = 180_000;

/** What operators can do, through the admin listener of a running gateway. Who did it is for that gateway to say. */
export function remoteOperator(gateway: GatewayAddress) {
  const ask = createAskFor(gateway);
  const askPatiently = createAskFor(gateway, PATIENCE_MS);
  const asked = eachResource((operations) => askOperations(operations, ask, askPatiently)) as Declared;
  return {
    ...asked,
    books: askOperations(RESOURCES.books, ask, createAskFor(gateway, VERIFY_TIMEOUT_MS)),
    live: remoteLive({ ask, openEvents: createOpenEvents(gateway) }),
  };
}

/** Whom the gateway takes this command for. */
export const remoteCaller = (gateway: GatewayAddress) => createAskFor(gateway)(caller, "GET", "/session");
