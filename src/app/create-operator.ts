import { createAuditStore } from "../audit/audit-store.ts";
import { createPeople } from "./entrance/create-people.ts";
import { createCatalogueStore } from "../catalogue/catalogue-store.ts";
import { createPriceCheckStore } from "../catalogue/price-check-store.ts";
import { createCostStore } from "../catalogue/cost/cost-store.ts";
import { createReadNames } from "../catalogue/names-store.ts";
import type { Config } from "../config/load-config.ts";
import type { Clock } from "../core/clock.ts";
import { createId } from "../core/ids.ts";
import { readWebhookList } from "../core/webhook-list.ts";
import type { Credentials } from "../credentials/open-credentials.ts";
import type { Database } from "../db/database.ts";
import { withoutJit } from "../db/postgres/without-jit.ts";
import { createFindKey } from "../keys/find-key.ts";
import { createIssueKey } from "../keys/issue-key.ts";
import { createKeyStore } from "../keys/key-store.ts";
import { createAccountStore } from "../ledger/structure/account-store.ts";
import { createFundFirst } from "../ledger/structure/fund-first.ts";
import { createFundNewKey } from "../ledger/structure/fund-new-key.ts";
import { createReadMarginGroups } from "../ledger/report/margin-groups-store.ts";
import { createReadJournal } from "../ledger/report/journal-store.ts";
import { createReadServed } from "../ledger/report/served-charges-store.ts";
import { createListServed } from "../ledger/report/served-charges.ts";
import { createShowJournal } from "../ledger/report/journal.ts";
import { createLedgerStore } from "../ledger/turn/ledger-store.ts";
import { createStructureStore } from "../ledger/structure/structure-store.ts";
import { createClosedPurses } from "../ledger/structure/closed-purse-store.ts";
import { createQuarantineStore } from "../ledger/duties/quarantine-store.ts";
import { createReadOutstanding } from "../ledger/report/outstanding-store.ts";
import { createReadStatement } from "../ledger/report/statement-store.ts";
import { createReadUsage } from "../ledger/report/usage-report-store.ts";
import { createReportUsage } from "../ledger/report/usage-report.ts";
import { createReadContinuous } from "../ledger/verify/days/continuous-store.ts";
import { createVerificationStore } from "../ledger/verify/verification-store.ts";
import { createVerifyStore } from "../ledger/verify/verify-store.ts";
import { createVerifyLedger } from "../ledger/verify/verify.ts";
import { createLiveStore } from "../live/live-store.ts";
import { createWatchLive } from "../live/watch-live.ts";
import { createNoticeStore } from "../notices/notices-store.ts";
import { createSendWebhook } from "../notices/send-webhook.ts";
import { createManageAccounts } from "../operator/accounts.ts";
import { createReadAudit } from "../operator/audit/audit.ts";
import { createAuditLooks } from "../operator/audit/audit-looks.ts";
import { auditedOperator } from "../contract/audit-table.ts";
import { createManageCosts } from "../operator/money/costs.ts";
import { createReadBooks } from "../operator/money/books.ts";
import { createManageCatalogue } from "../operator/catalogue.ts";
import { createFindAccount } from "../operator/find/find-account.ts";
import { createManageFunds } from "../operator/money/funds.ts";
import { createManageKeys } from "../operator/keys/keys.ts";
import { createLiveNames } from "../operator/find/live-names.ts";
import { createLimits } from "../operator/money/limits.ts";
import { createManageLive } from "../operator/live.ts";
import type { Operator } from "../operator/operator.ts";
import { createManageNotices } from "../operator/notices.ts";
import { createManageProviders } from "../operator/providers.ts";
import { createManageClosedPurses } from "../operator/money/closed-purses.ts";
import { createManageQuarantine } from "../operator/money/quarantine.ts";
import { createRequireGiven } from "../operator/find/require-given.ts";
import { refusalOf } from "../operator/structure-refusal.ts";
import { createReadRequests } from "../operator/requests.ts";
import { createReportSeries } from "../operator/series.ts";
import { createReportToOperators } from "../operator/money/usage.ts";
import { createListRequests } from "../records/list-requests.ts";
import { createReadSeries } from "../records/read-series.ts";
import { createFindStore } from "../records/request-store.ts";
import { createSeriesStore } from "../records/series-store.ts";
import { createShowRequest } from "../records/show-request.ts";
import { createShowStore } from "../records/show-store.ts";
import type { OperatorEvents } from "../telemetry/operator-events.ts";
import { createProbe } from "../upstream/probe/probe.ts";

type Parts = {
  database: Database;
  credentials: Credentials;
  events: OperatorEvents;
  clock: Clock;
  /** `keys.accept_foreign`. */
  acceptForeign: "on" | "off";
  /** The setting of that name; absent: a credit is a dollar. */
  creditUsd?: string;
  /** Absent: there are no webhooks. */
  notices?: Config["notices"];
};

/** What operators can do to a database, for a listener or a command. Every change stands in the audit log, and `events` is told of it. */
export function createOperator({ database, credentials, events, clock, notices, ...settings }: Parts): Operator {
  const books = createBooks(database, { events, clock });
  const { findKey, findAccount, accounts, reading } = books;
  const live = createLiveStore(database);
  const catalogue = createCatalogueStore(database);
  const readNames = createReadNames(database);
  const webhooks = readWebhookList(notices?.webhooks?.reveal() ?? "") ?? [];
  const send = createSendWebhook({ fetch, clock, timeoutMs: notices?.timeoutMs ?? 15_000 });
  const probe = createProbe({ fetch, elapsedMs: clock.elapsedMs });
  const operator: Operator = {
    ...useBooks(database, { ...books, ...settings, readNames, events, clock }),
    live: createManageLive({
      watch: createWatchLive({ store: live, clock }),
      store: live,
      findKey,
      findAccount,
      events,
      clock,
    }),
    requests: createReadRequests({
      listRequests: createListRequests({ store: createFindStore(reading), clock }),
      showRequest: createShowRequest({ store: createShowStore(database) }),
      findKey,
      findAccount,
      nameAll: createLiveNames({ store: live, clock }),
    }),
    series: createReportSeries({
      readSeries: createReadSeries({ store: createSeriesStore(reading), clock }),
      findKey,
      findAccount,
      clock,
    }),
    notices: createManageNotices({
      store: createNoticeStore(database),
      webhooks,
      send,
      createId: () => createId(clock.nowMs()),
      findKey,
      findAccount,
      clock,
      events,
    }),
    providers: createManageProviders({ store: catalogue, credentials, probe, events }),
    catalogue: {
      ...createManageCatalogue({ store: catalogue, readNames, credentials, events, clock }),
      showPriceCheck: createPriceCheckStore(database).read,
    },
    audit: createReadAudit({ store: createAuditStore(reading), findAccount }),
    ...createPeople({
      database,
      // What happens to the account of a person stands in the audit log like any other change of an account.
      accounts: { changeStatus: (...change) => inTheLog.accounts.changeStatus(...change) },
      events,
      clock,
    }),
  };
  const looks = createAuditLooks({ operator, findKey, findAccount, accounts });
  const inTheLog = auditedOperator(operator, { store: createAuditStore(database), looks, events, clock });
  return inTheLog;
}

/** The ledger, and the keys and accounts that it is kept for. */
function createBooks(database: Database, { events, clock }: Pick<Parts, "events" | "clock">) {
  const store = createKeyStore(database);
  const ledger = createLedgerStore(database);
  const accounts = createAccountStore(database);
  const structure = createStructureStore(database);
  const requireGiven = createRequireGiven({ accounts });
  const issueKey = createIssueKey({
    atomically: (work) =>
      database.transaction((tx) => {
        const parts = { ledger: createLedgerStore(tx), structure: createStructureStore(tx), refusalOf };
        return work({ insert: createKeyStore(tx).insert, fund: createFundNewKey(parts) });
      }),
    clock,
  });
  const fundFirst = createFundFirst({
    atomically: (work) =>
      database.transaction(async (tx) => {
        // It locks the keys below between two statements: whoever stalls here must not keep their requests waiting.
        await tx.script("set local idle_in_transaction_session_timeout = '2s'");
        return work({ ledger: createLedgerStore(tx), structure: createStructureStore(tx) });
      }),
    refusalOf,
  });
  return {
    reading: withoutJit(database),
    store,
    ledger,
    accounts,
    structure,
    requireGiven,
    issueKey,
    fundFirst,
    findKey: createFindKey({ store }),
    findAccount: createFindAccount({ store: accounts }),
    limits: createLimits({ ledger, structure, accounts, requireGiven, events, clock }),
  };
}

type BookParts = ReturnType<typeof createBooks> &
  Pick<Parts, "events" | "clock" | "acceptForeign" | "creditUsd"> & {
    readNames: ReturnType<typeof createReadNames>;
  };

/** What operators do with them. */
function useBooks(database: Database, parts: BookParts) {
  const { reading, accounts, findKey, findAccount, events, clock } = parts;
  const closedPurses = createClosedPurses(database);
  return {
    keys: createManageKeys(parts),
    accounts: createManageAccounts({ ...parts, store: accounts }),
    funds: createManageFunds(parts),
    books: createReadBooks({
      findKey,
      findAccount,
      showJournal: createShowJournal({ readJournal: createReadJournal(reading) }),
      listServed: createListServed({ readServed: createReadServed(reading) }),
      readOutstanding: createReadOutstanding(reading),
      closedPurses,
      verifyLedger: createVerifyLedger({ store: createVerifyStore(reading) }),
      verifications: createVerificationStore(database),
      readContinuous: createReadContinuous(reading),
      clock,
      events,
    }),
    costs: createManageCosts({
      store: createCostStore(database),
      readGroups: createReadMarginGroups(reading),
      creditUsd: parts.creditUsd ?? "1",
      events,
      clock,
    }),
    closedPurses: createManageClosedPurses({ findKey, findAccount, closedPurses, accounts, events }),
    quarantine: createManageQuarantine({ store: createQuarantineStore(database), events }),
    usage: createReportToOperators({
      findKey,
      findAccount,
      reportUsage: createReportUsage({ readUsage: createReadUsage(reading) }),
      readStatement: createReadStatement(reading),
    }),
  } satisfies Partial<Operator>;
}
