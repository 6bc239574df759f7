import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyDatabase } from "../tests/support/admin-app.ts";
import { type Gateway, startGateway } from "./app.ts";
import { openProviderCredentials } from "./app/catalogue/provider-credentials.ts";
import { createCatalogueStore } from "./catalogue/catalogue-store.ts";
import { loadConfig } from "./config/load-config.ts";
import { systemClock } from "./core/clock.ts";
import type { Database } from "./db/database.ts";
import { createEvents } from "./telemetry/events.ts";
import { createLogger } from "./telemetry/log/logger.ts";
import { createMetrics } from "./telemetry/metrics/metrics.ts";

const ENVIRONMENT = { PORT: "0", TOLLGATE_ADMIN_PORT: "0", TOLLGATE_CATALOGUE_POLL_MS: "3600000" };

const metrics = createMetrics();
let database: Database;
let gateway: Gateway;
let isFull = false;

/** A whole gateway on a database in memory, which has no room while `isFull`. It is asked as if it were on a server. */
beforeAll(async () => {
  database = await emptyDatabase();
  const logger = createLogger({ level: "silent", clock: systemClock, destination: { write: () => undefined } });
  gateway = await startGateway({
    config: loadConfig({ environment: ENVIRONMENT }).config,
    adminToken: "an-operator-token-of-this-test",
    database: {
      ...database,
      connections: () => ({ most: 1, open: 1, idle: 1, waiting: 0 }),
      query: (sql, ...rest) =>
        isFull && sql.includes("rehearse")
          ? Promise.reject(Object.assign(new Error("no space left on device"), { code: "53100" }))
          : database.query(sql, ...rest),
    },
    credentials: openProviderCredentials({ key: null, previousKey: null, directories: "", allowedReferences: "" }, {}),
    events: createEvents({ logger, metrics, openTrace: () => null, clock: systemClock }),
    metrics,
    exposeTotals: () => metrics.expose(),
  });
});
afterAll(() => gateway.stop());

const gauge = async (name: string): Promise<string | undefined> =>
  new RegExp(`^${name} (\\S+)$`, "m").exec((await metrics.expose()).text)?.[1];

test("the gauge of published models says how many there are now, not how many there were at the start", async () => {
  const catalogue = createCatalogueStore(database);
  expect(await gauge("tollgate_catalogue_models")).toBe("0");

  await catalogue.addProvider({ name: "east", baseUrl: "http://127.0.0.1:9", credentialRef: "none" }, "keep");
  await catalogue.addModel({
    id: "large",
    displayName: null,
    contextWindow: 1_000,
    maxOutputTokens: 100,
    tariff: {
      inputNano: 1n,
      outputNano: 1n,
      cacheReadNano: null,
      cacheWrite5mNano: null,
      cacheWrite1hNano: null,
      toolCallNano: {},
    },
    route: { provider: "east", upstreamModel: "large", dialect: "chat" },
    publication: "published",
  });

  await expect.poll(() => gauge("tollgate_catalogue_models")).toBe("1");
});

test("an outage is said within five seconds though no request comes, and so is its end", async () => {
  const probe = async (path: string) => {
    const response = await fetch(`${gateway.adminUrl}${path}`);
    return { status: response.status, body: await response.text() };
  };
  const isUp = async (): Promise<boolean> =>
    (await probe("/healthz")).status === 200 && (await gauge("tollgate_ledger_up")) === "1";
  await expect.poll(isUp).toBe(true);

  isFull = true;
  await expect.poll(isUp, { timeout: 5_000 }).toBe(false);
  const [healthy, ready] = [await probe("/healthz"), await probe("/readyz")];
  isFull = false;
  await expect.poll(isUp, { timeout: 5_000 }).toBe(true);

  expect(healthy.status).toBe(503);
  expect(healthy.body).toContain("a disk of PostgreSQL is full (SQLSTATE 53100)");
  expect(ready.status).toBe(200);
}, 20_000);
