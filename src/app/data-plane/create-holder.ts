import type { Catalogue } from "../../catalogue/catalogue.ts";
import { withoutJit } from "../../db/postgres/without-jit.ts";
import { createHolderDoor, type HolderDoor } from "../../gateway/holder/holder-door.ts";
import type { HolderChanges, HolderReads } from "../../gateway/holder/holder-reads.ts";
import { createListErrors } from "../../gateway/holder/list-errors.ts";
import { createEndOwnSessions, createListOwnSessions } from "../../gateway/holder/list-sessions.ts";
import { createListOwnModels } from "../../gateway/holder/model-speed.ts";
import { createOpenSession, type OpenSession } from "../../gateway/holder/open-session.ts";
import { createSignInPerson, type SignInPerson } from "../../gateway/holder/sign-in-person.ts";
import { createOwnKeys } from "../../gateway/holder/own-keys.ts";
import { createShowHolder } from "../../gateway/holder/show-holder.ts";
import { createShowLedger } from "../../gateway/holder/show-ledger.ts";
import { createListOwnRequests, createShowOwnRequest } from "../../gateway/holder/show-requests.ts";
import { createShowSeries } from "../../gateway/holder/show-series.ts";
import { createListModels } from "../../gateway/list-models.ts";
import { createShowUsage } from "../../gateway/show-usage.ts";
import { createAddressLimit } from "../../keys/address-limit.ts";
import type { Authenticate } from "../../keys/authenticate.ts";
import { createKeySessionStore } from "../../keys/key-session-store.ts";
import { createKeyStore } from "../../keys/key-store.ts";
import { createMinuteCount } from "../../keys/minute-count.ts";
import { createReadJournal } from "../../ledger/report/journal-store.ts";
import { createShowJournal } from "../../ledger/report/journal.ts";
import { createLedgerStore } from "../../ledger/turn/ledger-store.ts";
import type { RateDenials } from "../../ledger/turn/rate-denials.ts";
import { createListRequests } from "../../records/list-requests.ts";
import { createReadSeries } from "../../records/read-series.ts";
import { createFindStore } from "../../records/request-store.ts";
import { createSeriesStore } from "../../records/series-store.ts";
import { createShowRequest } from "../../records/show-request.ts";
import { createShowStore } from "../../records/show-store.ts";
import { createClientSessionsOn } from "../entrance/create-client-sessions.ts";
import { among } from "./join-ledgers.ts";
import type { LedgerDatabase, ProcessParts } from "./process-parts.ts";

type Beside = { authenticate: Authenticate; catalogue: Catalogue; denials: RateDenials };

type Holder = {
  door: HolderDoor;
  reads: HolderReads;
  changes: HolderChanges;
  openSession: OpenSession;
  signInPerson: SignInPerson;
};

/** What key holders read about their own keys, and how they generate with a session; null where the operator has switched it off. */
export function createHolder(parts: ProcessParts, { authenticate, catalogue, denials }: Beside): Holder | null {
  const { config, clock, random } = parts;
  if (config.holder.enabled === "off") return null;
  const { readsPerMinute } = config.holder;
  const of = among(parts.ledgers.map((ledger) => storesOf(ledger, parts)));
  const usage = (keyId: string, bucket: number) => of(bucket).ledger.usage(keyId);
  const showUsage = createShowUsage({
    ledger: { usage },
    creditUsd: config.creditUsd,
    random,
    showAccounts: config.usage.showAccounts,
  });
  const records = withoutJit(parts.operatorDatabase);
  const readSeries = createReadSeries({ store: createSeriesStore(records), clock });
  const listRequests = createListRequests({ store: createFindStore(records), clock });
  const { record } = createShowStore(records);
  const sessions = createClientSessionsOn({ database: parts.operatorDatabase, events: parts.events, clock });
  const door = createHolderDoor({
    authenticate,
    storesOf: of,
    unknown: createAddressLimit({ clock, perMinute: config.keys.unknownPerMinute }),
    reads: createMinuteCount({ clock, perMinute: readsPerMinute }),
    readsPerMinute,
    leaveBrowser: sessions.leaveBrowser,
    clock,
  });
  const ownKeys = createOwnKeys({ sessions });
  return {
    door,
    changes: { endSessions: createEndOwnSessions({ sessions }) },
    openSession: createOpenSession({ door, denials }),
    signInPerson: createSignInPerson({ door, sessions }),
    reads: {
      showHolder: createShowHolder({ showUsage, listSessions: sessions.list, publicUrl: config.publicUrl }),
      listSessions: createListOwnSessions({ sessions }),
      showLedger: createShowLedger({ journalOf: (bucket) => of(bucket).showJournal }),
      showSeries: createShowSeries({ readSeries, ownKeys, clock }),
      listRequests: createListOwnRequests({ listRequests, ownKeys }),
      showRequest: createShowOwnRequest({
        ownKeys,
        showRequest: (bucket) => createShowRequest({ store: { ...of(bucket).shown, record } }),
      }),
      listErrors: createListErrors({ readSeries, listRequests, ownKeys, clock }),
      listModels: createListOwnModels({ listModels: createListModels({ catalogue }), readSeries, clock }),
    },
  };
}

/** On the connections of operators: a page that somebody leaves open must not keep generations waiting. */
function storesOf({ first, last, database: kept }: LedgerDatabase, { database, operatorDatabase }: ProcessParts) {
  const reading = kept === database ? operatorDatabase : kept;
  return {
    first,
    last,
    sessions: createKeySessionStore(reading),
    keys: createKeyStore(reading),
    ledger: createLedgerStore(reading),
    shown: createShowStore(withoutJit(reading)),
    showJournal: createShowJournal({ readJournal: createReadJournal(withoutJit(reading)) }),
  };
}
