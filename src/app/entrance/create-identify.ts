import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { createFindKey } from "../../keys/find-key.ts";
import { createKeyStore } from "../../keys/key-store.ts";
import { createAccountStore } from "../../ledger/structure/account-store.ts";
import { createFindAccount } from "../../operator/find/find-account.ts";
import { createIdentify, type Identify } from "../../entrance/identify.ts";
import { createPeopleStore } from "../../people/people-store.ts";
import { createRecognise } from "../../entrance/recognise.ts";
import { createSessionStore } from "../../entrance/session/session-store.ts";
import { createTokenStore } from "../../entrance/token/token-store.ts";

/** Who comes to the admin listener, and what is theirs. */
export const createIdentifyOn = (database: Database, { nowMs }: Pick<Clock, "nowMs">): Identify =>
  createIdentify({
    recognise: createRecognise({
      sessions: createSessionStore(database),
      tokens: createTokenStore(database),
      nowMs,
    }),
    findKey: createFindKey({ store: createKeyStore(database) }),
    findAccount: createFindAccount({ store: createAccountStore(database) }),
    people: createPeopleStore(database),
  });
