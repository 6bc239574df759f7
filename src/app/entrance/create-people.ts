import { createAuditStore } from "../../audit/audit-store.ts";
import type { By } from "../../core/people/by.ts";
import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { createClientSessions } from "../../keys/client-session.ts";
import { createClientSessionStore } from "../../keys/client-session-store.ts";
import { createAccountStore } from "../../ledger/structure/account-store.ts";
import { NO_LOOKS } from "../../operator/audit/audit-looks.ts";
import { SIGN_IN_ROWS } from "../../contract/audit-table.ts";
import { audited } from "../../operator/audit/audited.ts";
import type { ManageAccounts } from "../../operator/accounts.ts";
import { accountWithin } from "../../operator/find/find-within.ts";
import { createFindAccount } from "../../operator/find/find-account.ts";
import { createManageClientSessions } from "../../entrance/client-session/manage-client-sessions.ts";
import type { Operator } from "../../operator/operator.ts";
import { createManagePeople } from "../../operator/people.ts";
import { createPasswordSignIn, type PasswordSignIn } from "../../entrance/password/password-sign-in.ts";
import { throttledSignIn } from "../../entrance/password/throttled-sign-in.ts";
import { createManageTokens } from "../../entrance/token/manage-tokens.ts";
import { createPeopleStore } from "../../people/people-store.ts";
import { createRecognise } from "../../entrance/recognise.ts";
import { createSessionStore } from "../../entrance/session/session-store.ts";
import { createSignInThrottle } from "../../entrance/sign-in-throttle.ts";
import { createPasswordStore } from "../../entrance/password/password-store.ts";
import { createFailureStore } from "../../entrance/failure-store.ts";
import { createSetupStore } from "../../entrance/password/setup-store.ts";
import { createTokenStore } from "../../entrance/token/token-store.ts";
import type { OperatorEvents } from "../../telemetry/operator-events.ts";

type Parts = { database: Database; events: OperatorEvents; clock: Clock };

/** What is done with people and their tokens. */
export function createPeople({
  database,
  accounts,
  events,
  clock,
}: Parts & { accounts: Pick<ManageAccounts, "changeStatus"> }): Pick<Operator, "people" | "tokens" | "clientSessions"> {
  const people = createPeopleStore(database);
  const findAccount = createFindAccount({ store: createAccountStore(database) });
  const findWithin = (name: string, within: By["within"]) => accountWithin(findAccount, { name, within });
  const clientSessions = createClientSessionStore(database);
  return {
    people: createManagePeople({
      people,
      passwords: createPasswordStore(database),
      sessions: createSessionStore(database),
      accounts,
      findAccount,
      throttle: createSignInThrottle({ store: createFailureStore(database), nowMs: clock.nowMs }),
      clock,
      events,
    }),
    tokens: createManageTokens({ tokens: createTokenStore(database), people, findAccount: findWithin, clock, events }),
    clientSessions: createManageClientSessions({
      sessions: createClientSessions({ store: clientSessions, clock }),
      store: clientSessions,
      people,
      findAccount: findWithin,
      events,
    }),
  };
}

/** How people get in. Every attempt stands in the audit log; those that come too often are counted there together, as others at the door. */
export function createPasswordSignInOn({ database, events, clock }: Parts): PasswordSignIn {
  const { nowMs } = clock;
  const sessions = createSessionStore(database);
  const signIn = createPasswordSignIn({
    people: createPeopleStore(database),
    passwords: createPasswordStore(database),
    sessions,
    recognise: createRecognise({ sessions, tokens: createTokenStore(database), nowMs }),
    setup: createSetupStore(database),
    clock,
    events,
  });
  const parts = { store: createAuditStore(database), looks: NO_LOOKS, events, clock };
  const throttle = createSignInThrottle({ store: createFailureStore(database), nowMs });
  return throttledSignIn(audited(signIn, SIGN_IN_ROWS, parts), throttle);
}
