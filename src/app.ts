/** The composition root: with `app/`, the one place where parts are made and introduced to each other, in the order of dependence. */
import { createAdmin } from "./admin/create-admin.ts";
import type { ProviderTools } from "./admin/provider-tools.ts";
import { startDataPlane } from "./app/start-data-plane.ts";
import { createCatalogueStore } from "./catalogue/catalogue-store.ts";
import type { CatalogueStore } from "./catalogue/model.ts";
import type { Credentials } from "./credentials/open-credentials.ts";
import type { Config } from "./config/load-config.ts";
import { systemClock } from "./core/clock.ts";
import { isLoopback } from "./core/network-list.ts";
import type { Database } from "./db/database.ts";
import { listen } from "./http/listen.ts";
import { createFindKey } from "./keys/find-key.ts";
import { createIssueKey } from "./keys/issue-key.ts";
import { createKeyStore } from "./keys/key-store.ts";
import { createManageKeys, type ManageKeys } from "./operator/keys.ts";
import { createAccountStore } from "./ledger/account-store.ts";
import { createFundNewKey } from "./ledger/fund-new-key.ts";
import { createReadJournal } from "./ledger/journal-store.ts";
import { createShowJournal, type ShowJournal } from "./ledger/journal.ts";
import { createPartitions } from "./ledger/partitions-store.ts";
import type { Partitions } from "./ledger/partitions.ts";
import { createLedgerStore, ledgerFailureOf } from "./ledger/ledger-store.ts";
import { createManageFunds, type ManageFunds } from "./operator/funds.ts";
import { createManageQuarantine, type ManageQuarantine } from "./ledger/quarantine.ts";
import { createQuarantineStore } from "./ledger/quarantine-store.ts";
import { createReadUsage } from "./ledger/usage-report-store.ts";
import { createReportUsage, type ReportUsage } from "./ledger/usage-report.ts";
import { createVerifyStore } from "./ledger/verify-store.ts";
import { createVerifyLedger, type VerifyLedger } from "./ledger/verify.ts";
import type { Events } from "./telemetry/events.ts";
import type { Metrics } from "./telemetry/metrics.ts";

/** How long a process that is leaving waits for its last settlements, which the sweeper ends else, and then for operators. */
const FAREWELL_MS = 5_000;

/** For commands that call a provider themselves. */
export { createProbe } from "./upstream/probe/probe.ts";

export type GatewayParts = {
  config: Config;
  adminToken: string;
  database: Database;
  credentials: Credentials;
  providerTools: ProviderTools;
  events: Events;
  metrics: Metrics;
};

export type Gateway = {
  publicUrl: string;
  adminUrl: string;
  /** Stops new work, lets open requests end, and closes: how many were cut off. */
  stop: () => Promise<number>;
};

/** What an operator's commands do without a gateway in between. */
export type Control = {
  keys: ManageKeys;
  funds: ManageFunds;
  showJournal: ShowJournal;
  verifyLedger: VerifyLedger;
  quarantine: ManageQuarantine;
  reportUsage: ReportUsage;
  catalogue: CatalogueStore;
};

/** The days of the journal, for its owner; `pause` waits between two tries for a lock. */
export const createJournalPartitions = (database: Database, pause: () => Promise<void>): Partitions =>
  createPartitions({ database, clock: systemClock, pause });

/** `actor` stands in the journal beside what was booked. */
export function createControl(database: Database, actor = "cli"): Control {
  const store = createKeyStore(database);
  const ledger = createLedgerStore(database);
  const findKey = createFindKey({ store });
  const issueKey = createIssueKey({
    atomically: (work) =>
      database.transaction((tx) =>
        work({
          insert: createKeyStore(tx).insert,
          fund: createFundNewKey({ ledger: createLedgerStore(tx), actor }),
        }),
      ),
    clock: systemClock,
  });
  return {
    keys: createManageKeys({ store, findKey, issueKey, clock: systemClock }),
    funds: createManageFunds({ ledger, accounts: createAccountStore(database), findKey, actor }),
    showJournal: createShowJournal({ findKey, readJournal: createReadJournal(database) }),
    verifyLedger: createVerifyLedger({ store: createVerifyStore(database), findKey }),
    quarantine: createManageQuarantine({ store: createQuarantineStore(database), actor }),
    reportUsage: createReportUsage({ findKey, readUsage: createReadUsage(database) }),
    catalogue: createCatalogueStore(database),
  };
}

export async function startGateway(parts: GatewayParts): Promise<Gateway> {
  const { config, adminToken, database, providerTools, events, metrics } = parts;
  const clock = systemClock;
  let publicUrl = config.publicUrl ?? "";

  const control = createControl(database, "admin");
  const dataPlane = await startDataPlane(
    { ...parts, clock, random: Math.random },
    { catalogueStore: control.catalogue, publicUrl: () => publicUrl },
  );
  const { http, readiness, degraded, reportRoutes } = dataPlane;
  const admin = createAdmin({
    token: adminToken,
    control,
    providerTools,
    reportRoutes,
    metrics,
    events,
    readiness,
    degraded,
    isDatabaseAway: (error) => ledgerFailureOf(error) === "lost",
    farewellMs: FAREWELL_MS,
    clock,
  });

  const publicAddress = await listen(http, config.listen);
  await admin.ready();
  const adminUrl = await listen(admin.server, config.admin);
  publicUrl ||= publicAddress;
  events.serverListening({ name: "public", url: publicAddress });
  events.serverListening({ name: "admin", url: adminUrl });
  if (config.listen.trustedProxies === "" && isLoopback(config.listen.host))
    events.addressesHidden({ peer: config.listen.host, reason: "loopback" });

  return {
    publicUrl,
    adminUrl,
    stop: async () => {
      const left = await dataPlane.drain();
      await dataPlane.stop(FAREWELL_MS);
      await Promise.all([admin.close(), dataPlane.close()]);
      await database.close();
      return left;
    },
  };
}
