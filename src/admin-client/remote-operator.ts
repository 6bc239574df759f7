import { caller } from "../wire/admin/people.ts";
import { ACCOUNTS } from "../contract/accounts.ts";
import { AUDIT } from "../contract/audit.ts";
import { BOOKS } from "../contract/books.ts";
import { CATALOGUE } from "../contract/catalogue.ts";
import { CLIENT_SESSIONS } from "../contract/client-sessions.ts";
import { FUNDS } from "../contract/funds.ts";
import { KEYS } from "../contract/keys.ts";
import { CLOSED_PURSES } from "../contract/closed-purses.ts";
import { MODELS } from "../contract/models.ts";
import { NOTICES } from "../contract/notices.ts";
import { PEOPLE } from "../contract/people.ts";
import { PROVIDERS } from "../contract/providers.ts";
import { QUARANTINE } from "../contract/quarantine.ts";
import { REQUESTS } from "../contract/requests.ts";
import { SERIES } from "../contract/series.ts";
import { TOKENS } from "../contract/tokens.ts";
import { USAGE } from "../contract/usage.ts";
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
  return {
    keys: askOperations(KEYS, ask),
    accounts: askOperations(ACCOUNTS, ask),
    funds: askOperations(FUNDS, ask),
    books: askOperations(BOOKS, ask, createAskFor(gateway, VERIFY_TIMEOUT_MS)),
    closedPurses: askOperations(CLOSED_PURSES, ask),
    quarantine: askOperations(QUARANTINE, ask),
    usage: askOperations(USAGE, ask),
    live: remoteLive({ ask, openEvents: createOpenEvents(gateway) }),
    requests: askOperations(REQUESTS, ask),
    series: askOperations(SERIES, ask),
    notices: askOperations(NOTICES, ask, createAskFor(gateway, PATIENCE_MS)),
    people: askOperations(PEOPLE, ask),
    tokens: askOperations(TOKENS, ask),
    clientSessions: askOperations(CLIENT_SESSIONS, ask),
    providers: askOperations(PROVIDERS, ask, createAskFor(gateway, PATIENCE_MS)),
    catalogue: { ...askOperations(MODELS, ask), ...askOperations(CATALOGUE, ask, createAskFor(gateway, PATIENCE_MS)) },
    audit: askOperations(AUDIT, ask),
  };
}

/** Whom the gateway takes this command for. */
export const remoteCaller = (gateway: GatewayAddress) => createAskFor(gateway)(caller, "GET", "/session");
