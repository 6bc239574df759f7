import type { Operator } from "../operator/operator.ts";
import { ACCOUNTS } from "./accounts.ts";
import { AUDIT } from "./audit.ts";
import { BOOKS } from "./books.ts";
import { CATALOGUE } from "./catalogue.ts";
import { CLIENT_SESSIONS } from "./client-sessions.ts";
import { CLOSED_PURSES } from "./closed-purses.ts";
import { COSTS } from "./costs.ts";
import { FUNDS } from "./funds.ts";
import { KEYS } from "./keys.ts";
import { LIVE } from "./live.ts";
import { MODELS } from "./models.ts";
import { NOTICES } from "./notices.ts";
import type { Operations } from "./operation.ts";
import { PEOPLE } from "./people.ts";
import { PROVIDERS } from "./providers.ts";
import { QUARANTINE } from "./quarantine.ts";
import { REQUESTS } from "./requests.ts";
import { SERIES } from "./series.ts";
import { TOKENS } from "./tokens.ts";
import { USAGE } from "./usage.ts";

/** What operators can do, without the one method that streams. */
export type Declared = Omit<Operator, "live"> & { live: Omit<Operator["live"], "watch"> };

/** The operations of every group of use cases. A group without a line does not compile. */
export const RESOURCES: { readonly [Group in keyof Declared]: Operations<Declared[Group]> } = {
  keys: KEYS,
  accounts: ACCOUNTS,
  funds: FUNDS,
  books: BOOKS,
  costs: COSTS,
  closedPurses: CLOSED_PURSES,
  quarantine: QUARANTINE,
  requests: REQUESTS,
  series: SERIES,
  live: LIVE,
  notices: NOTICES,
  audit: AUDIT,
  people: PEOPLE,
  tokens: TOKENS,
  clientSessions: CLIENT_SESSIONS,
  usage: USAGE,
  providers: PROVIDERS,
  catalogue: { ...MODELS, ...CATALOGUE },
};

/** The same made of each of them. */
export const eachResource = (make: <Group>(operations: Operations<Group>) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(RESOURCES).map(([group, operations]) => [group, make(operations as never)]));
