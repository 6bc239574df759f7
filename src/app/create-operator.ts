import { createCatalogueStore } from "../catalogue/catalogue-store.ts";
import { createReadNames } from "../catalogue/names-store.ts";
import type { Clock } from "../core/clock.ts";
import type { Credentials } from "../credentials/open-credentials.ts";
import type { Database } from "../db/database.ts";
import { createFindKey } from "../keys/find-key.ts";
import { createIssueKey } from "../keys/issue-key.ts";
import { createKeyStore } from "../keys/key-store.ts";
import { createAccountStore } from "../ledger/account-store.ts";
import { createFundNewKey } from "../ledger/fund-new-key.ts";
import { createReadJournal } from "../ledger/journal-store.ts";
import { createShowJournal } from "../ledger/journal.ts";
import { createLedgerStore } from "../ledger/ledger-store.ts";
import { createQuarantineStore } from "../ledger/quarantine-store.ts";
import { createReadUsage } from "../ledger/usage-report-store.ts";
import { createReportUsage } from "../ledger/usage-report.ts";
import { createVerifyStore } from "../ledger/verify-store.ts";
import { createVerifyLedger } from "../ledger/verify.ts";
import { createReadBooks } from "../operator/books.ts";
import { createManageCatalogue } from "../operator/catalogue.ts";
import { createManageFunds } from "../operator/funds.ts";
import { createManageKeys } from "../operator/keys.ts";
import type { Operator } from "../operator/operator.ts";
import { createManageProviders } from "../operator/providers.ts";
import { createManageQuarantine } from "../operator/quarantine.ts";
import { createShowKeyUsage } from "../operator/usage.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import { createProbe } from "../upstream/probe/probe.ts";

type Parts = {
  database: Database;
  credentials: Credentials;
  events: OperatorEvents;
  clock: Clock;
  /** `keys.accept_foreign`. */
  acceptForeign: "on" | "off";
};

/** What operators can do to a database, for a listener or a command; `events` is told of every change. */
export function createOperator({ database, credentials, events, clock, acceptForeign }: Parts): Operator {
  const store = createKeyStore(database);
  const findKey = createFindKey({ store });
  const issueKey = createIssueKey({
    atomically: (work) =>
      database.transaction((tx) =>
        work({ insert: createKeyStore(tx).insert, fund: createFundNewKey({ ledger: createLedgerStore(tx) }) }),
      ),
    clock,
  });
  const ledger = createLedgerStore(database);
  const catalogue = createCatalogueStore(database);
  const readNames = createReadNames(database);
  const probe = createProbe({ fetch, elapsedMs: clock.elapsedMs });
  return {
    keys: createManageKeys({ store, findKey, issueKey, readNames, events, clock, acceptForeign }),
    funds: createManageFunds({ ledger, accounts: createAccountStore(database), findKey, events }),
    books: createReadBooks({
      findKey,
      showJournal: createShowJournal({ readJournal: createReadJournal(database) }),
      verifyLedger: createVerifyLedger({ store: createVerifyStore(database) }),
    }),
    quarantine: createManageQuarantine({ store: createQuarantineStore(database), events }),
    usage: createShowKeyUsage({ findKey, reportUsage: createReportUsage({ readUsage: createReadUsage(database) }) }),
    providers: createManageProviders({ store: catalogue, credentials, probe, events }),
    catalogue: createManageCatalogue({ store: catalogue, readNames, credentials, events, clock }),
  };
}
