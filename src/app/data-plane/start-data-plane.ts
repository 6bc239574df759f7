import type { Server } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { CatalogueStore } from "../../catalogue/model.ts";
import type { ConsoleFiles } from "../../console/console-files.ts";
import { createServeConsole } from "../../console/serve-console.ts";
import type { Health } from "../../core/health.ts";
import { createId } from "../../core/ids.ts";
import { invariant } from "../../core/invariant.ts";
import { describeLedger, type LedgerState } from "../../core/ledger-state.ts";
import { readNetworkList } from "../../core/network-list.ts";
import { createAskLedger } from "../../gateway/ask-ledger.ts";
import { createChainFor } from "../../gateway/chain-for.ts";
import { createCountRequest } from "../../gateway/count-request.ts";
import { createCountTokens } from "../../gateway/count-tokens.ts";
import { createRunning, type Running } from "../../gateway/generate/running.ts";
import { createListModels, createShowModel } from "../../gateway/list-models.ts";
import { createOpenRequest } from "../../gateway/open-request.ts";
import { createRequireFunds } from "../../gateway/require-funds.ts";
import { createRecentLimits } from "../../gateway/client/recent-limits.ts";
import { createShowClientUsage } from "../../gateway/client/show-client-usage.ts";
import { createShowUsage, type ShowUsage } from "../../gateway/show-usage.ts";
import { createHttp } from "../../http/create-http.ts";
import { createDrain, type Drain } from "../../http/connection/drain.ts";
import { createLiveStore } from "../../live/live-store.ts";
import { createPublishLive, type PublishLive } from "../../live/publish-live.ts";
import { createPaperwork } from "../../offload/create-paperwork.ts";
import { createPool, type Pool, POOL_LIMITS } from "../../offload/pool.ts";
import { createCountAtProvider } from "../../upstream/count-at-provider.ts";
import { createDispatch } from "../../upstream/dispatch.ts";
import { createPools } from "../../upstream/pools.ts";
import { describeRoutes } from "../../upstream/route/describe-routes.ts";
import { createRouteHealth } from "../../upstream/route/route-health.ts";
import type { ClientSignIn } from "../entrance/create-client-sign-in.ts";
import { createHolder } from "./create-holder.ts";
import { createGeneration } from "./create-generation.ts";
import { createSpentByDay } from "../status/create-spent-by-day.ts";
import { keepCurrent } from "./keep-current.ts";
import { type JoinedLedgers, joinLedgers } from "./join-ledgers.ts";
import type { ProcessParts } from "./process-parts.ts";
import { guardStandby, startLedger, STANDBY_LACKING } from "./start-duties.ts";
import { shareRoutes, type ShareRoutes } from "./share-routes.ts";
import { startRecording } from "./start-recording.ts";
import { tellEnds } from "./tell-ends.ts";
import { startSending } from "./start-notices.ts";
import { startPriceCheck } from "./start-price-check.ts";
import { startVerifying } from "./start-verifying.ts";
import { watchCertificates } from "../status/watch-certificates.ts";
import { watchServer } from "../status/watch-server.ts";
import { readDescription } from "../read-description.ts";

const CHANGES_UNHEARD = "changes of keys and models are not announced to this process; it reads them every few seconds";

type Beside = {
  catalogueStore: CatalogueStore;
  publicUrl: () => string;
  consoleFiles: ConsoleFiles;
  clientSignIn: ClientSignIn | null;
  /** Why this process serves badly, whatever the ledger does. */
  processTrouble: () => string | null;
};

/** Everything that serves callers, in the order of dependence. */
export async function startDataPlane(parts: ProcessParts, beside: Beside) {
  const { config, clock } = parts;
  const running = createRunning();
  const processId = createId(clock.nowMs());
  const standby = await guardStandby(parts);
  const server = watchServer({
    database: parts.operatorDatabase,
    clock,
    onFacts: parts.events.serverWatched,
    onDisk: (facts) => parts.metrics.databaseDisk(facts, config.database.diskBytes),
  });
  const certificates = watchCertificates(clock);
  parts.metrics.watchCertificates(() => [...certificates.seen(), ...server.certificates()]);
  const live = publishing(parts, { running, processId });
  const sharing = shareRoutes(parts, processId);
  const upstream = createUpstream(parts, sharing);
  const current = await keepCurrent(parts, {
    catalogueStore: beside.catalogueStore,
    running,
    standby,
    live,
    routes: sharing,
  });
  const ledgers = await Promise.all(
    parts.ledgers.map((one) =>
      startLedger(parts, one, { standby, running, processId, onState: parts.events.ledgerChanged }),
    ),
  );
  const { ledger, batcher, duties, state } = joinLedgers(ledgers);
  const notices = parts.ledgers.map(({ database }) => startSending({ ...parts, database }));
  await Promise.all(notices.map(({ prepared }) => prepared));
  const checks = [startVerifying(parts, processId), startPriceCheck(parts)];
  const records = startRecording(parts, tellEnds(live, clock.nowMs));
  const pool = createPool({ ...POOL_LIMITS, threads: config.limits.bodyThreads });

  const obstacle = (): string | null => (standby.lack() === null ? null : STANDBY_LACKING.words);
  const drain = createDrain({ clock });
  const routes = (): string[] => describeRoutes(upstream.health.report(), clock.nowMs());
  const health = createHealth({ ...beside, drain, state, concerns: [server.concerns, routes], ...current });
  const made = { ...beside, running, current, ledger, batcher, duties, state, pool, upstream, obstacle, drain };
  const http = createHttp({ ...useCases(parts, made), ...edge(parts, made), health });

  return {
    http,
    processId,
    health,
    reportRoutes: upstream.health.report,
    /** Stops new work and lets open requests end: how many were left. */
    drain: () => drainListener(parts, drain, http),
    /** Cuts what is left, and waits a moment for the ledger to have given it back: it costs its caller nothing. */
    stop: async (farewellMs: number): Promise<void> => {
      running.cutStopping();
      await waitUntil(() => drain.openRequests() === 0 && batcher.waiting() === 0, farewellMs);
      const ends = [duties.stop(), live.close(), records.stop(farewellMs), server.stop()];
      await Promise.all([...ends, ...[...notices, ...checks].map((each) => each.stop())]);
      current.stop();
      sharing.close();
      standby.close();
      certificates.stop();
      http.closeAllConnections();
    },
    close: () => Promise.all([current.unsubscribe(), upstream.pools.close(), pool.close()]),
  };
}

/** Tells operators what is in flight here, while any of them watches. */
const publishing = (
  { operatorDatabase, clock, events }: ProcessParts,
  { running, processId }: { running: Running; processId: string },
): PublishLive =>
  createPublishLive({
    store: createLiveStore(operatorDatabase),
    process: processId,
    requests: running,
    clock,
    onFailed: (error) => events.readFailed("requests in flight", error),
  });

/** Calls to providers, and what they have taught this process, and others, about its routes. */
function createUpstream(parts: ProcessParts, { tell, onHeard }: Pick<ShareRoutes, "tell" | "onHeard">) {
  const { config, credentials, events, metrics, clock, random, overhear } = parts;
  const { credential } = credentials;
  const pools = createPools({ connectionsPerOrigin: config.upstream.connectionsPerOrigin, overhear });
  const health = createRouteHealth({
    clock,
    random,
    onChange: events.routeChanged,
    onSlowness: events.routeSlowed,
    tell,
  });
  onHeard(health.heard);
  metrics.watchRoutes(health.report);
  const calls = { pools, credential, health, random, clock };
  return { pools, health, dispatch: createDispatch(calls), countAtProvider: createCountAtProvider(calls) };
}

type Made = Beside & {
  running: Running;
  current: Awaited<ReturnType<typeof keepCurrent>>;
  upstream: ReturnType<typeof createUpstream>;
  pool: Pool;
  obstacle: () => string | null;
  drain: Drain;
} & JoinedLedgers;

/** What callers can do. */
function useCases(parts: ProcessParts, made: Made) {
  const { config, clock, random } = parts;
  const { current, ledger, batcher, obstacle, publicUrl } = made;
  const { authenticate, denials, catalogue } = current;
  const { countAtProvider, dispatch, health } = made.upstream;
  const chainFor = createChainFor({ ledger });
  const askLedger = createAskLedger({ batcher, denials, random, obstacle });
  const countRequest = createCountRequest({ askLedger });
  const paperwork = createPaperwork(made.pool);
  const { creditUsd } = config;
  const showUsage = createShowUsage({ ledger, creditUsd, random, showAccounts: config.usage.showAccounts });
  return {
    openRequest: createOpenRequest({ authenticate, denials, clock, publicUrl }),
    countRequest,
    ...createGeneration(parts, {
      ...made,
      catalogue,
      askLedger,
      chainFor,
      countRequest,
      paperwork,
      dispatch,
      health,
    }),
    showUsage,
    listModels: createListModels({ catalogue }),
    showModel: createShowModel({ catalogue }),
    countTokens: createCountTokens({ catalogue, countRequest, countAtProvider, ledger, paperwork }),
    readRequest: paperwork.readRequest,
    readEmbeddings: paperwork.readEmbeddings,
    readCountRequest: paperwork.readCountRequest,
    readSocketMessage: paperwork.readSocketMessage,
    fingerprint: paperwork.fingerprint,
    requireFunds: createRequireFunds({ ledger, clock }),
    ...sessionUses(parts, showUsage),
    holder: createHolder(parts, { authenticate, catalogue, denials }),
  };
}

/** What sessions of clients have beside what keys have. */
const sessionUses = (parts: ProcessParts, showUsage: ShowUsage) => ({
  showClientUsage: createShowClientUsage({
    showUsage,
    spentByDay: createSpentByDay(parts),
    creditUsd: parts.config.creditUsd,
  }),
  recentLimits: createRecentLimits({ showUsage, clock: parts.clock }),
});

/** What the public listener knows beside its use cases. */
function edge({ config, adminToken, events, clock, random }: ProcessParts, made: Made) {
  const { drain, publicUrl, consoleFiles, clientSignIn } = made;
  const trustedProxies = readNetworkList(config.listen.trustedProxies);
  invariant(trustedProxies, "settings are checked when they are read");
  return {
    events,
    drain,
    clock,
    random,
    publicUrl,
    clientSignIn,
    address: config.publicUrl === null ? ("guessed" as const) : ("set" as const),
    limits: config.limits,
    webSocket: config.websocket.enabled === "on" ? config.websocket : null,
    serveConsole: createServeConsole(consoleFiles, "holder.html"),
    readDescription,
    adminToken,
    trustedProxies,
    equalCredentials: config.auth.acceptEqualCredentials === "on" ? ("accepted" as const) : ("refused" as const),
    betas: config.upstream.anthropicBetas.split(",").filter((flag) => flag !== ""),
  };
}

async function drainListener({ config, events }: ProcessParts, drain: Drain, http: Server): Promise<number> {
  const { delayMs, deadlineMs } = config.drain;
  events.drainStarted({ openRequests: drain.openRequests(), deadlineMs });
  const left = await drain.finish({ delayMs, deadlineMs, closeListener: () => http.close() });
  events.drainFinished({ openRequests: left });
  return left;
}

type Watched = {
  drain: Drain;
  state: () => LedgerState;
  isCatalogueLoaded: () => boolean;
  hearsChanges: () => boolean;
  processTrouble: () => string | null;
  concerns: readonly (() => string[])[];
};

/** What is wrong now: nothing is asked, everything was seen. */
const createHealth =
  ({ drain, state, isCatalogueLoaded, hearsChanges, processTrouble, concerns }: Watched) =>
  (): Health => {
    const unready = drain.isDraining() ? ["draining"] : [];
    if (!isCatalogueLoaded()) unready.push("the catalogue has not been loaded");
    const ledger = state();
    const trouble = describeLedger(ledger);
    const degraded = [...(hearsChanges() ? [] : [CHANGES_UNHEARD]), ...concerns.flatMap((each) => each())];
    const ours = processTrouble();
    const failing = ours === null ? [] : [ours];
    if (trouble === null) return { unready, failing, degraded };
    return ledger.state === "down"
      ? { unready, failing: [...failing, trouble], degraded }
      : { unready, failing, degraded: [trouble, ...degraded] };
  };

const LOOK_EVERY_MS = 20;

/** Waits for something to become true, for so long at most. Only for the end of a process, where nothing tells when. */
async function waitUntil(isTrue: () => boolean, mostMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < mostMs && !isTrue(); waitedMs += LOOK_EVERY_MS) await wait(LOOK_EVERY_MS);
}
