/** The composition root: with `app/`, the one place where parts are made and introduced to each other, in the order of dependence. */
import type { Server } from "node:http";
import { createAdmin } from "./admin/create-admin.ts";
import { createSessionCookie } from "./admin/session-cookie.ts";
import { createClientSessionsOn } from "./app/entrance/create-client-sessions.ts";
import { createClientSignInOn } from "./app/entrance/create-client-sign-in.ts";
import { createSignInOn, startIdentityChecks } from "./app/entrance/create-sign-in.ts";
import { createIdentifyOn } from "./app/entrance/create-identify.ts";
import { createPasswordSignInOn } from "./app/entrance/create-people.ts";
import { createOperator } from "./app/create-operator.ts";
import { createExamine } from "./app/catalogue/create-examine.ts";
import { createReadStatus } from "./app/status/create-read-status.ts";
import { createDatabaseTrouble } from "./app/status/database-trouble.ts";
import { createReadPriceList } from "./app/catalogue/read-price-list.ts";
import { describeSettings } from "./app/status/describe-settings.ts";
import type { LedgerDatabase } from "./app/data-plane/process-parts.ts";
import { startDoorRefusals } from "./app/entrance/start-door-refusals.ts";
import { startDataPlane } from "./app/data-plane/start-data-plane.ts";
import { readBuiltConsole } from "./app/read-built-console.ts";
import { fileShares } from "./app/status/file-shares.ts";
import { watchOpenFiles } from "./app/status/watch-open-files.ts";
import { watchEventLoop } from "./app/status/watch-event-loop.ts";
import { readDescription } from "./app/read-description.ts";
import { createCatalogueStore } from "./catalogue/catalogue-store.ts";
import type { Credentials } from "./credentials/open-credentials.ts";
import type { Config, LoadedConfig } from "./config/load-config.ts";
import { createServeConsole } from "./console/serve-console.ts";
import { systemClock } from "./core/clock.ts";
import type { Overhear } from "./core/request/overhear.ts";
import { isLoopback, readNetworkList } from "./core/network-list.ts";
import type { Database } from "./db/database.ts";
import { confirmedHere } from "./db/postgres/confirmed-here.ts";
import { type CallerAddress, createCallerAddress } from "./http/connection/caller-address.ts";
import { guardOpenFiles } from "./http/connection/open-files.ts";
import { listen } from "./http/connection/listen.ts";
import type { Operator } from "./operator/operator.ts";
import type { Events } from "./telemetry/events.ts";
import type { Exposition, Metrics } from "./telemetry/metrics/metrics.ts";

/** How long a process that is leaving waits for its last settlements, which the sweeper ends else, and then for operators. */
const FAREWELL_MS = 5_000;

export type GatewayParts = {
  config: Config;
  adminToken: string;
  database: Database;
  /** The same one for the operator's plane, on connections and under limits of its own; `database` itself unless told. */
  operatorDatabase?: Database;
  /** Where money and keys are; in `database` unless told. */
  ledgers?: readonly LedgerDatabase[];
  credentials: Credentials;
  events: Events;
  metrics: Metrics;
  /** Where the settings came from; absent, nobody set any. */
  settings?: Pick<LoadedConfig, "sources" | "file"> & { secretFiles: readonly string[] };
  /** Processes that share its port, itself among them; 1 unless told. */
  workers?: number;
  /** The metrics of this process and of those that share its port, summed. */
  exposeTotals: () => Promise<Exposition>;
  /** Listens to the calls to providers; absent, nobody does. */
  overhear?: Overhear | undefined;
};

export type Gateway = {
  publicUrl: string;
  adminUrl: string;
  /** Frees both ports. Requests under way go on, and `stop` still has to be called. */
  stopListening: () => void;
  /** Stops new work, lets open requests end, and closes: how many were cut off. */
  stop: () => Promise<number>;
};

export async function startGateway(parts: GatewayParts): Promise<Gateway> {
  const { config, database, operatorDatabase = database, events } = parts;
  const clock = systemClock;
  let publicUrl = config.publicUrl ?? "";
  const gatewayUrl = (): string => publicUrl;

  const door = startDoorRefusals({ database: operatorDatabase, clock, events });
  const operator = createOperator({
    database: operatorDatabase,
    credentials: parts.credentials,
    events,
    clock,
    acceptForeign: config.keys.acceptForeign,
    creditUsd: config.creditUsd,
    notices: config.notices,
  });
  let adminUrl = config.admin.publicUrl ?? "";
  const { random } = Math;
  const signInParts = { ...parts, database: operatorDatabase, operator, clock, random, onRefused: door.note };
  const signIn = createSignInOn({ ...signInParts, adminUrl: () => adminUrl });
  const consoleFiles = readBuiltConsole();
  const ledgers = parts.ledgers ?? [{ first: 0, last: 4_095, database }];
  const { limit: openFiles } = fileShares(config);
  const files = watchOpenFiles(() => events.filesExhausted(openFiles), clock.elapsedMs);
  const dataPlane = await startDataPlane(
    { ...parts, operatorDatabase, ledgers, clock, random },
    {
      catalogueStore: createCatalogueStore(database),
      publicUrl: gatewayUrl,
      consoleFiles,
      processTrouble: files.trouble,
      clientSignIn: createClientSignInOn({
        ...signInParts,
        publicUrl: gatewayUrl,
        sessions: createClientSessionsOn({ ...parts, database: operatorDatabase, clock }),
      }),
    },
  );
  const eventLoop = watchEventLoop(clock.nowMs);
  const admin = createAdminOn(parts, { door, operator, signIn, consoleFiles, dataPlane, eventLoop, gatewayUrl });

  const listeners = await openListeners(parts, { http: dataPlane.http, admin, onRefused: files.refused });
  publicUrl ||= listeners.publicAddress;
  adminUrl ||= listeners.adminAddress;
  const checks = startIdentityChecks(signIn, { config, events, random });

  return {
    publicUrl,
    adminUrl: listeners.adminAddress,
    stopListening: listeners.close,
    stop: async () => {
      eventLoop.stop();
      files.stop();
      await checks.stop();
      const left = await dataPlane.drain();
      await dataPlane.stop(FAREWELL_MS);
      await Promise.all([admin.close(), dataPlane.close()]);
      await door.stop();
      await Promise.all([database.close(), operatorDatabase.close()]);
      return left;
    },
  };
}

/** Both of them, once they accept connections. */
async function openListeners(
  parts: GatewayParts,
  { http, admin, onRefused }: { http: Server; admin: ReturnType<typeof createAdmin>; onRefused: () => void },
) {
  const { config, events } = parts;
  const shares = fileShares(config);
  const { limit } = shares;
  for (const [listener, server] of [
    ["public", http],
    ["admin", admin.server],
  ] as const)
    guardOpenFiles(server, {
      mostFiles: shares[listener],
      onRefused: () => {
        onRefused();
        events.connectionRefused({ listener, limit });
      },
    });
  const publicAddress = await listen(http, config.listen);
  await admin.ready();
  const adminAddress = await listen(admin.server, config.admin);
  tellAddresses(parts, { publicAddress, adminUrl: adminAddress });
  const close = (): void => {
    for (const server of [http, admin.server]) server.close();
  };
  return { publicAddress, adminAddress, close };
}

type AdminParts = {
  door: ReturnType<typeof startDoorRefusals>;
  operator: Operator;
  signIn: ReturnType<typeof createSignInOn>;
  consoleFiles: ReturnType<typeof readBuiltConsole>;
  dataPlane: Awaited<ReturnType<typeof startDataPlane>>;
  eventLoop: ReturnType<typeof watchEventLoop>;
  gatewayUrl: () => string;
};

/** The admin listener, before it listens. */
function createAdminOn(parts: GatewayParts, { door, operator, signIn, consoleFiles, ...made }: AdminParts) {
  const { config, database, operatorDatabase = database, events, workers = 1 } = parts;
  const { dataPlane, eventLoop, gatewayUrl } = made;
  const { health, reportRoutes } = dataPlane;
  const clock = systemClock;
  return createAdmin({
    onRefused: door.note,
    consoleFiles: createServeConsole(consoleFiles, "index.html"),
    readDescription,
    token: parts.adminToken,
    metricsToken: config.admin.metricsToken?.reveal() ?? null,
    operator,
    signIn,
    identify: createIdentifyOn(confirmedHere(database), clock),
    passwordSignIn: createPasswordSignInOn({ database: confirmedHere(database), events, clock }),
    gatewayUrl,
    readPriceList: createReadPriceList({ creditUsd: config.creditUsd, checkedList: config.priceCheck.list, clock }),
    cookie: createSessionCookie(config.admin.publicUrl),
    reportRoutes,
    settings: () => describeSettings(config, parts.settings),
    readStatus: createReadStatus({
      database,
      operatorDatabase,
      processId: dataPlane.processId,
      startedAtMs: clock.nowMs(),
      workers,
      health,
      eventLoop: eventLoop.read,
      clock,
    }),
    examine: createExamine({
      config,
      database: operatorDatabase,
      settingsFile: parts.settings?.file ?? null,
      secretFiles: parts.settings?.secretFiles ?? [],
      workers,
      listModels: operator.catalogue.listModels,
      health,
      nowMs: clock.nowMs,
    }),
    metrics: parts.metrics,
    exposeTotals: parts.exposeTotals,
    events,
    health,
    databaseTrouble: createDatabaseTrouble(config.operator),
    farewellMs: FAREWELL_MS,
    callerAddress: createAdminAddress(config, events),
    clock,
  });
}

/** Operators come through the same proxies as clients, or directly: where no proxy names an address, none is missed. */
const createAdminAddress = ({ listen: { trustedProxies } }: Config, events: Events): CallerAddress =>
  createCallerAddress({
    trusted: readNetworkList(trustedProxies) ?? (() => false),
    onHidden: (hidden) => void (hidden.reason === "not_trusted" && events.addressesHidden(hidden)),
  });

function tellAddresses(
  { config: { listen: where }, events }: GatewayParts,
  { publicAddress, adminUrl }: { publicAddress: string; adminUrl: string },
): void {
  events.serverListening({ name: "public", url: publicAddress });
  events.serverListening({ name: "admin", url: adminUrl });
  if (where.trustedProxies === "" && isLoopback(where.host))
    events.addressesHidden({ peer: where.host, reason: "loopback" });
}
