import { createAuditStore } from "../../audit/audit-store.ts";
import type { Config } from "../../config/load-config.ts";
import type { Clock } from "../../core/clock.ts";
import { readGroupMappings } from "../../core/people/group-mapping.ts";
import type { Credentials } from "../../credentials/open-credentials.ts";
import type { Database } from "../../db/database.ts";
import { confirmedHere } from "../../db/postgres/confirmed-here.ts";
import { createAccountStore } from "../../ledger/structure/account-store.ts";
import { createFindAccount } from "../../operator/find/find-account.ts";
import type { Operator } from "../../operator/operator.ts";
import { createPlacePerson } from "../../entrance/single-sign-on/place-person.ts";
import { createSignIn, type RefusedSignIn, type SignIn } from "../../entrance/single-sign-on/sign-in.ts";
import { createIdentityStore } from "../../entrance/single-sign-on/identity-store.ts";
import type { IdentityKey } from "../../entrance/single-sign-on/identity.ts";
import { type Refreshing, startRefreshing } from "../../entrance/single-sign-on/start-refreshing.ts";
import { createRecognise } from "../../entrance/recognise.ts";
import { createSessionStore } from "../../entrance/session/session-store.ts";
import { createTokenStore } from "../../entrance/token/token-store.ts";
import { createIdentityProvider } from "../../entrance/single-sign-on/identity-provider.ts";
import type { SignInEvents } from "../../telemetry/sign-in-events.ts";
import { createAuditPerson } from "./audit-person.ts";

export type SignInParts = {
  config: Pick<Config, "signIn">;
  database: Database;
  credentials: Pick<Credentials, "seal" | "open">;
  /** Through it accounts are made, so that whatever is done for a person is written down as anything operators do. */
  operator: Pick<Operator, "accounts">;
  events: SignInEvents;
  clock: Clock;
  random: () => number;
  onRefused: (refused: RefusedSignIn & { operation: string }) => void;
};

/** Without sign-on there is nothing to check. */
export const startIdentityChecks = (
  signIn: SignIn | null,
  { config, events, random }: Pick<SignInParts, "config" | "events" | "random">,
): Refreshing =>
  signIn === null
    ? { stop: () => Promise.resolve() }
    : startRefreshing({
        refreshDue: signIn.refreshDue,
        refreshEveryMs: config.signIn.refreshEveryMs,
        random,
        onFailed: (error) =>
          events.identityCheckFailed({ detail: error instanceof Error ? error.message : "it failed" }),
      });

const CALLBACK = "/admin/v1/sign-in/oidc/callback";

/** Single sign-on; null: the settings name no provider. */
export const createSignInOn = (parts: SignInParts & { adminUrl: () => string }): SignIn | null =>
  createSignInAt(parts, { base: parts.adminUrl, callback: CALLBACK });

/** The same with another address that the provider sends browsers back to. */
export function createSignInAt(
  parts: SignInParts,
  { base, callback }: { base: () => string; callback: string },
): SignIn | null {
  const { config, credentials, operator, events, clock, random } = parts;
  const database = confirmedHere(parts.database);
  const { issuer, clientId, clientSecret, scopes, authorizationParameters, groupsClaim, groups } = config.signIn;
  const { linkByEmail, refreshEveryMs } = config.signIn;
  if (issuer === null || clientId === null) return null;
  const accounts = createAccountStore(database);
  const findAccount = createFindAccount({ store: accounts });
  const store = createIdentityStore(database);
  // A refresh token is sealed for its person and its provider.
  const place = ({ subject }: IdentityKey) => ({ provider: `identity ${subject}`, baseUrl: issuer });
  return createSignIn({
    provider: createIdentityProvider({
      settings: {
        issuer,
        clientId,
        clientSecret,
        scopes,
        authorizationParameters,
        groupsClaim,
        redirectUri: () => `${base()}${callback}`,
      },
      clock,
    }),
    mappings: readGroupMappings(groups) ?? [],
    linkByEmail,
    refreshEveryMs,
    store,
    recognise: createRecognise({
      sessions: createSessionStore(database),
      tokens: createTokenStore(database),
      nowMs: clock.nowMs,
    }),
    findAccount,
    place: createPlacePerson({ accounts: operator.accounts, store: accounts, identities: store, findAccount }),
    seal: (token, key) => credentials.seal(token, place(key)),
    open: (sealed, key) => credentials.open(sealed, place(key)),
    onRefused: (refused) => parts.onRefused({ ...refused, operation: `GET ${callback}` }),
    audit: createAuditPerson(createAuditStore(database), clock),
    events,
    clock,
    random,
  });
}
