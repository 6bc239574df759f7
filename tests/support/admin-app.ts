import { createIdentifyOn } from "../../src/app/entrance/create-identify.ts";
import { createPasswordSignInOn } from "../../src/app/entrance/create-people.ts";
import { createOperator } from "../../src/app/create-operator.ts";
import { createServeConsole } from "../../src/console/serve-console.ts";
import { createReadStatus } from "../../src/app/status/create-read-status.ts";
import { createDatabaseTrouble } from "../../src/app/status/database-trouble.ts";
import { readDescription } from "../../src/app/read-description.ts";
import { createReadPriceList } from "../../src/app/catalogue/read-price-list.ts";
import { openProviderCredentials } from "../../src/app/catalogue/provider-credentials.ts";
import { createAdmin } from "../../src/admin/create-admin.ts";
import type { AdminRoute } from "../../src/admin/route.ts";
import { createSessionCookie } from "../../src/admin/session-cookie.ts";
import { type Clock, systemClock } from "../../src/core/clock.ts";
import type { Config } from "../../src/config/load-config.ts";
import type { Secret } from "../../src/core/secret/secret.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate } from "../../src/db/schema/migrate.ts";
import { schemaFolder } from "../../src/db/schema-files.ts";
import { createPglite } from "../../src/db/pglite/pglite.ts";
import { createPostgres } from "../../src/db/postgres/postgres.ts";
import type { Operator } from "../../src/operator/operator.ts";
import { createCallerAddress } from "../../src/http/connection/caller-address.ts";
import type { Events, RefusedOperator } from "../../src/telemetry/events.ts";
import type { RouteReport } from "../../src/upstream/route/route-report.ts";
import { undescribed } from "./admin-description.ts";
import { freshDatabase, whyUnavailable } from "./postgres.ts";

export const OPERATOR_TOKEN = "an-operator-token-of-this-test";
export const METRICS_TOKEN = "a-metrics-token-of-this-test";

export type AdminApp = ReturnType<typeof buildAdmin>;

/** A database with nothing in it: on a server where there is one, which takes a tenth of the time, else in memory. */
export async function emptyDatabase(): Promise<Database> {
  if (whyUnavailable("15") === null) {
    const fresh = await freshDatabase();
    const pool = { poolSize: 4, connectTimeoutMs: 20_000, statementTimeoutMs: 30_000, onError: () => undefined };
    const database = createPostgres({ url: fresh.url, ...pool });
    return { ...database, close: () => database.close().then(fresh.close) };
  }
  const database = await createPglite({ dataFolder: null });
  await migrate(database, { folder: schemaFolder() });
  return database;
}

type AdminOptions = {
  reasons?: string[];
  list?: Operator["keys"]["list"];
  reportRoutes?: () => readonly RouteReport[];
  /** With which credentials are stored. */
  credentialKey?: Secret | null;
  farewellMs?: number;
  metricsToken?: string | null;
  /** Where notices are sent. */
  notices?: Config["notices"];
  clock?: Clock;
  /** `admin.public_url`. */
  publicUrl?: string | null;
  settings?: Parameters<typeof createAdmin>[0]["settings"];
};

/** As a gateway reads it, of a process that serves nobody. */
const statusOf = (database: Database) =>
  createReadStatus({
    database,
    operatorDatabase: database,
    processId: "019fbe00-0000-7000-8000-000000000000",
    startedAtMs: 0,
    workers: 1,
    health: () => ({ unready: [], failing: [], degraded: [] }),
    eventLoop: () => ({ p50Ms: 0, p99Ms: 0, mostMs: 0, overSeconds: 0 }),
    clock: systemClock,
  });

/** The whole admin listener without a socket; what it told the log is in `told`. */
export function buildAdmin(
  database: Database,
  {
    reasons = [],
    list,
    reportRoutes = () => [],
    credentialKey = null,
    farewellMs = 5_000,
    metricsToken = METRICS_TOKEN,
    notices,
    clock = systemClock,
    publicUrl = null,
    settings = () => ({ file: null, settings: [] }),
  }: AdminOptions = {},
) {
  const told: string[] = [];
  const events = {
    keyIssued: ({ prefix }: { prefix: string }) => told.push(`issued ${prefix}`),
    keyStatusChanged: ({ prefix, status }: { prefix: string; status: string }) => told.push(`${status} ${prefix}`),
    operatorRefused: ({ address, credential, reason }: RefusedOperator) =>
      told.push(`refused ${address}: ${credential} ${reason}`),
    keyChanged: ({ prefix, changed }: { prefix: string; changed: string[] }) =>
      told.push(`changed ${changed.join()} ${prefix}`),
    keyRotated: ({ prefix }: { prefix: string }) => told.push(`rotated ${prefix}`),
    fundsBooked: ({ prefix, amount }: { prefix: string; amount: string }) => told.push(`booked ${amount} ${prefix}`),
    accountChanged: ({ account, change }: { account: string; change: string }) => told.push(`${change} ${account}`),
    accountFunded: ({ account, amount }: { account: string; amount: string }) =>
      told.push(`booked ${amount} ${account}`),
    limitChanged: ({ holder, amount }: { holder: string; amount: string | null }) =>
      told.push(`limit ${amount ?? "removed"} ${holder}`),
    verificationLost: (_error: unknown, { actor }: { actor: string }) => told.push(`not recorded by ${actor}`),
    personChanged: ({ email, change }: { email: string; change: string }) => told.push(`${change} ${email}`),
    thresholdsSet: ({ counters }: { counters: readonly number[] }) => told.push(`thresholds of ${counters.join()}`),
    noticesRetried: ({ notices: count }: { notices: number }) => told.push(`retried ${count}`),
    holdReleased: ({ released, result }: { released: string; result: string }) => told.push(`${result} ${released}`),
    closedPurseMoved: ({ purse, amount }: { purse: number; amount: string }) =>
      told.push(`moved ${amount} of closed purse ${purse}`),
    catalogueChanged: ({ changes }: { changes: readonly { kind: string; name: string; change: string }[] }) =>
      told.push(...changes.map(({ kind, name, change }) => `${change} ${kind} ${name}`)),
    adminRequestFailed: (error: unknown) => told.push(`failed ${String(error)}`),
    bug: (error: unknown) => told.push(`bug ${String(error)}`),
  } as unknown as Events;
  const credentials = openProviderCredentials(
    { key: credentialKey, previousKey: null, directories: "", allowedReferences: "" },
    {},
  );
  const operator = createOperator({
    database,
    credentials,
    events,
    clock,
    acceptForeign: "on",
    ...(notices && { notices }),
  });
  const app = createAdmin({
    consoleFiles: createServeConsole(new Map(), "index.html"),
    readDescription,
    token: OPERATOR_TOKEN,
    metricsToken,
    operator: { ...operator, keys: { ...operator.keys, ...(list ? { list } : {}) } },
    signIn: null,
    identify: createIdentifyOn(database, clock),
    passwordSignIn: createPasswordSignInOn({ database, events, clock }),
    gatewayUrl: () => "http://127.0.0.1:8080",
    readPriceList: createReadPriceList({ creditUsd: "1", checkedList: "off", clock }),
    cookie: createSessionCookie(publicUrl),
    reportRoutes,
    settings,
    readStatus: statusOf(database),
    examine: () => Promise.resolve({ ok: true, atMs: clock.nowMs(), checks: [] }),
    metrics: { expose: () => Promise.resolve({ contentType: "text/plain; version=0.0.4", text: "up 1\n" }) },
    exposeTotals: () => Promise.resolve({ contentType: "text/plain; version=0.0.4", text: "up 2\n" }),
    events,
    health: () => ({ unready: [], failing: reasons, degraded: [] }),
    databaseTrouble: createDatabaseTrouble({ connections: 4, statementTimeoutMs: 5_000 }),
    farewellMs,
    callerAddress: createCallerAddress({ trusted: () => false, onHidden: () => undefined }),
    clock,
  });
  const ask = async (
    method: AdminRoute["method"],
    url: string,
    payload?: unknown,
    token: string | null = OPERATOR_TOKEN,
  ) => {
    const reply = await app.inject({
      method,
      url,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(payload === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(payload === undefined ? {} : { payload: typeof payload === "string" ? payload : JSON.stringify(payload) }),
    });
    const problems = undescribed(method, url, reply);
    if (problems.length > 0) throw new Error(`the description does not know this answer: ${problems.join("; ")}`);
    return reply;
  };
  return { app, ask, told };
}
