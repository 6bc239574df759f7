/** The composition root: every part is made here, in the order of dependence, and nowhere else. */
import { setTimeout as sleep } from "node:timers/promises";
import { createAdmin } from "./admin/create-admin.ts";
import type { ProviderTools } from "./admin/provider-tools.ts";
import { createCatalogueStore } from "./catalogue/catalogue-store.ts";
import { createCatalogue } from "./catalogue/catalogue.ts";
import { keepFresh } from "./catalogue/keep-fresh.ts";
import type { CatalogueStore } from "./catalogue/model.ts";
import type { Credentials } from "./credentials/open-credentials.ts";
import type { Config } from "./config/load-config.ts";
import { systemClock } from "./core/clock.ts";
import { createId } from "./core/ids.ts";
import { invariant } from "./core/invariant.ts";
import { isLoopback, readNetworkList } from "./core/network-list.ts";
import { readCredits } from "./core/read-credits.ts";
import { waitUntil } from "./core/wait-until.ts";
import { whyRefused } from "./db/database-error.ts";
import type { Database } from "./db/database.ts";
import { createAdmit } from "./gateway/generate/admit.ts";
import { createAskLedger, ledgerAway } from "./gateway/ask-ledger.ts";
import { createCountRequest } from "./gateway/count-request.ts";
import { createCountTokens } from "./gateway/count-tokens.ts";
import { createCutStopped } from "./gateway/generate/cut-stopped.ts";
import { createDeliverPlain } from "./gateway/generate/deliver-plain.ts";
import { createDeliverStream } from "./gateway/generate/deliver-stream.ts";
import { createGenerate } from "./gateway/generate/generate.ts";
import { CHANGE_CHANNELS, createHearChanges } from "./gateway/hear-changes.ts";
import { createListModels, createShowModel } from "./gateway/list-models.ts";
import { createOpenRequest } from "./gateway/open-request.ts";
import { createRequireFunds } from "./gateway/require-funds.ts";
import { createRunning } from "./gateway/generate/running.ts";
import { createShowUsage } from "./gateway/show-usage.ts";
import { createHttp } from "./http/create-http.ts";
import { createDrain } from "./http/drain.ts";
import { listen } from "./http/listen.ts";
import { createAuthenticate } from "./keys/authenticate.ts";
import { createFindKey } from "./keys/find-key.ts";
import { createIssuedDigests } from "./keys/issued-digests.ts";
import { createIssueKey } from "./keys/issue-key.ts";
import { createKeyStore } from "./keys/key-store.ts";
import { createManageKeys, type ManageKeys } from "./operator/keys.ts";
import { createAccountStore } from "./ledger/account-store.ts";
import { createBatcher } from "./ledger/batcher.ts";
import { startDuties } from "./ledger/duties.ts";
import { createFundNewKey } from "./ledger/fund-new-key.ts";
import { createReadJournal } from "./ledger/journal-store.ts";
import { createShowJournal, type ShowJournal } from "./ledger/journal.ts";
import { createHousekeepingStore } from "./ledger/housekeeping-store.ts";
import { createPartitions } from "./ledger/partitions-store.ts";
import type { Partitions } from "./ledger/partitions.ts";
import { createLedgerStore, ledgerFailureOf } from "./ledger/ledger-store.ts";
import { startStandbyGuard } from "./ledger/standby-guard.ts";
import { createManageFunds, type ManageFunds } from "./operator/funds.ts";
import { createManageQuarantine, type ManageQuarantine } from "./ledger/quarantine.ts";
import { createQuarantineStore } from "./ledger/quarantine-store.ts";
import { createReadUsage } from "./ledger/usage-report-store.ts";
import { createReportUsage, type ReportUsage } from "./ledger/usage-report.ts";
import { createVerifyStore } from "./ledger/verify-store.ts";
import { createVerifyLedger, type VerifyLedger } from "./ledger/verify.ts";
import { createRateDenials } from "./ledger/rate-denials.ts";
import { createPaperwork } from "./offload/create-paperwork.ts";
import { createPool, POOL_LIMITS } from "./offload/pool.ts";
import { createRelay } from "./relay/relay.ts";
import type { Events } from "./telemetry/events.ts";
import type { Metrics } from "./telemetry/metrics.ts";
import { createCountAtProvider } from "./upstream/count-at-provider.ts";
import { createDispatch } from "./upstream/dispatch.ts";
import { createPools } from "./upstream/pools.ts";
import { createRouteHealth } from "./upstream/route-health.ts";
import { createWatchCredentials } from "./credentials/watch-credentials.ts";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Beside what an event repeats of the request. No model gives a whole answer as large; reading 12 MiB takes 44 ms. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;
/** How long a process that is leaving waits for its last settlements, which the sweeper ends else, and then for operators. */
const FAREWELL_MS = 5_000;
/** Until all digests have been read, keys are looked up under the limits for guesses; millions of them are worth no wait. */
const ISSUED_WAIT_MS = 5_000;
/** A key that expires amid its streams has them cut within so long. */
const EXPIRY_LOOK_MS = 1_000;
const STANDBY_LACKING = "the database has no synchronous standby, and one is required";
const CHANGES_UNHEARD = "changes of keys and models are not announced to this process; it reads them every few seconds";

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
  const { config, adminToken, database, credentials, providerTools, events, metrics } = parts;
  const { limits } = config;
  const { credential } = credentials;
  const clock = systemClock;
  let publicUrl = config.publicUrl ?? "";

  const control = createControl(database, "admin");
  const keyStore = createKeyStore(database);
  const issued = createIssuedDigests({ store: keyStore, onFailed: events.databaseLost });
  const authenticate = createAuthenticate({ store: keyStore, issued, clock, ...config.keys });
  const denials = createRateDenials(clock);
  const openRequest = createOpenRequest({ authenticate, denials, clock, publicUrl: () => publicUrl });

  const catalogue = createCatalogue(clock);
  const watchCredentials = createWatchCredentials({ problem: credentials.problem, onChange: events.credentialChanged });
  let catalogueLoaded = false;
  const freshness = keepFresh({
    catalogue,
    store: control.catalogue,
    clock,
    pollMs: config.catalogue.pollMs,
    onLoaded: (models) => {
      catalogueLoaded = true;
      events.catalogueLoaded({ models: models.length });
      watchCredentials(models.flatMap(({ routes }) => routes));
      events.databaseBack();
    },
    onFailed: events.databaseLost,
  });
  const running = createRunning();
  const cutStopped = createCutStopped({ running, findKey: keyStore.find, clock });
  const expiryLook = setInterval(() => void cutStopped.passed(), EXPIRY_LOOK_MS).unref();
  const standby = await startStandbyGuard({
    required: config.ledger.requireSynchronousStandby,
    read: async () => (await database.inspect())?.replication ?? null,
    clock,
    onChange: events.standbyRequired,
  });
  const failureOf = standby.doubting((error) => {
    const failure = ledgerFailureOf(error);
    if (failure === "refused") events.databaseLost(error);
    return failure;
  });
  const changes = createHearChanges({
    keyChanged: (keyId) => {
      authenticate.forget(keyId);
      denials.forget(keyId);
      return cutStopped.changed(keyId);
    },
    secretsMade: issued.noticed,
    catalogueChanged: freshness.refresh,
    onGap: standby.doubt,
    onHearing: events.changesHeard,
  });
  const subscription = await database.listen(CHANGE_CHANNELS, changes);
  await Promise.all([
    freshness.refresh(),
    Promise.race([issued.settled(), sleep(ISSUED_WAIT_MS, null, { ref: false })]),
  ]);

  const ledger = createLedgerStore(database);
  const processId = createId(clock.nowMs());
  const batcher = createBatcher({
    ledger,
    processId,
    failureOf,
    clock,
    limits: {
      items: config.ledger.batchItems,
      bytes: config.ledger.batchBytes,
      queued: config.ledger.queue,
      timeoutMs: config.ledger.timeoutMs,
      retryMs: config.ledger.retryMs,
      paceMs: config.ledger.paceMs,
    },
    settleTimeoutMs: config.ledger.settleTimeoutMs,
    voidTimeoutMs: config.ledger.voidTimeoutMs,
    onLostRelease: events.databaseLost,
  });
  const duties = await startDuties({
    ledger,
    housekeeping: createHousekeepingStore(database),
    failureOf,
    processId,
    clock,
    batchItems: config.ledger.batchItems,
    events,
    running: running.ids,
    onLeaseLost: running.cutLost,
    onHoldClosed: running.cutClosed,
  });
  const askLedger = createAskLedger({
    batcher,
    denials,
    random: Math.random,
    obstacle: () => (standby.lack() === null ? null : STANDBY_LACKING),
  });
  const countRequest = createCountRequest({ askLedger });
  const pool = createPool({ ...POOL_LIMITS, threads: limits.bodyThreads });
  const paperwork = createPaperwork(pool);
  const admit = createAdmit({
    askLedger,
    paperwork,
    random: Math.random,
    deadlineMs: limits.streamDeadlineMs,
    hold: {
      batcher,
      checkpoints: duties.checkpoints,
      countTokens: paperwork.countTokens,
      checkpointWorth: {
        credit: readCredits(config.ledger.checkpointWorth, "ledger.checkpoint_worth"),
        tokens: BigInt(config.ledger.checkpointTokens),
      },
      writeOffCap: {
        credit: readCredits(config.ledger.writeOffCap, "ledger.write_off_cap"),
        tokens: BigInt(config.ledger.writeOffCapTokens),
      },
      unconfirmed: (cause) => ledgerAway(Math.random, cause),
      onAlarm: events.moneyAlarm,
      onUnpriced: ({ model, version, part }) =>
        void control.catalogue.suspend(model, { version, part }).catch(events.databaseLost),
    },
  });

  const pools = createPools({ connectionsPerOrigin: config.upstream.connectionsPerOrigin });
  const health = createRouteHealth({ clock, random: Math.random, onChange: events.routeChanged });
  metrics.watchRoutes(health.report);
  const dispatch = createDispatch({ pools, credential, health, random: Math.random, clock });
  const countAtProvider = createCountAtProvider({ pools, credential, health, random: Math.random, clock });
  const relay = createRelay({
    clock,
    limits: {
      deadlineMs: limits.streamDeadlineMs,
      keepAliveMs: limits.keepAliveMs,
      maxEventBytes: MAX_EVENT_BYTES,
    },
  });
  const generate = createGenerate({
    paperwork,
    catalogue,
    countRequest,
    admit,
    running,
    dispatch,
    paceOf: health.pace,
    deliverStream: createDeliverStream({ relay }),
    deliverPlain: createDeliverPlain({
      paperwork,
      limits: { deadlineMs: limits.streamDeadlineMs, maxAnswerBytes: MAX_ANSWER_BYTES },
    }),
    clock,
    deadlineMs: limits.streamDeadlineMs,
    storedAnswerBytes: config.idempotency.bodyBytes,
  });

  const drain = createDrain({ clock });
  const readiness = async (): Promise<string[]> => {
    const reasons = drain.isDraining() ? ["draining"] : [];
    if (!catalogueLoaded) reasons.push("the catalogue has not been loaded");
    await database.ping().then(events.databaseBack, (error: unknown) => {
      events.databaseLost(error);
      reasons.push(whyRefused(error) ?? "the database does not answer");
    });
    if (standby.lack() !== null) reasons.push(STANDBY_LACKING);
    return reasons;
  };
  const degraded = (): string[] => (changes.hearing() ? [] : [CHANGES_UNHEARD]);
  const trustedProxies = readNetworkList(config.listen.trustedProxies);
  invariant(trustedProxies, "settings are checked when they are read");
  const http = createHttp({
    openRequest,
    countRequest,
    generate,
    showUsage: createShowUsage({ ledger, creditUsd: config.creditUsd, random: Math.random }),
    listModels: createListModels({ catalogue }),
    showModel: createShowModel({ catalogue }),
    countTokens: createCountTokens({
      catalogue,
      countRequest,
      countAtProvider,
      readPosted: ledger.usage,
      paperwork,
    }),
    readRequest: paperwork.readRequest,
    readCountRequest: paperwork.readCountRequest,
    fingerprint: paperwork.fingerprint,
    requireFunds: createRequireFunds({ ledger, clock }),
    events,
    drain,
    readiness,
    degraded,
    clock,
    random: Math.random,
    publicUrl: () => publicUrl,
    limits,
    trustedProxies,
    equalCredentials: config.auth.acceptEqualCredentials === "on" ? "accepted" : "refused",
    betas: config.upstream.anthropicBetas.split(",").filter((flag) => flag !== ""),
  });
  const admin = createAdmin({
    token: adminToken,
    control,
    providerTools,
    reportRoutes: health.report,
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
      events.drainStarted({ openRequests: drain.openRequests(), deadlineMs: config.drain.deadlineMs });
      const left = await drain.finish({
        delayMs: config.drain.delayMs,
        deadlineMs: config.drain.deadlineMs,
        closeListener: () => http.close(),
      });
      events.drainFinished({ openRequests: left });
      // What is cut here costs its caller nothing, and the process waits a moment for the ledger to have given it back.
      running.cutStopping();
      await waitUntil(() => drain.openRequests() === 0 && batcher.waiting() === 0, FAREWELL_MS);
      await duties.stop();
      freshness.close();
      changes.close();
      standby.close();
      clearInterval(expiryLook);
      http.closeAllConnections();
      await Promise.all([admin.close(), subscription.close(), pools.close(), pool.close()]);
      await database.close();
      return left;
    },
  };
}
