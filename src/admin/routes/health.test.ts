import { afterAll, beforeAll, expect, test } from "vitest";
import { buildAdmin, emptyDatabase, METRICS_TOKEN, OPERATOR_TOKEN } from "../../../tests/support/admin-app.ts";
import type { Database } from "../../db/database.ts";
import type { AdminRoute } from "../route.ts";
import { ADMIN_ROUTES } from "../routes.ts";

let database: Database;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());

test("an operator sees each route's breaker, rates and last errors; nobody else does", async () => {
  const admin = buildAdmin(database, {
    reportRoutes: () => [
      {
        routeId: "r1",
        provider: "east",
        upstreamModel: "large",
        dialect: "chat",
        breaker: "open",
        knownSinceMs: 0,
        succeeded: 4,
        failed: 6,
        rateLimited: 1,
        restsMs: 9_000,
        successRate: 2 / 3,
        slowness: null,
        firstByteMs: 12.3456,
        tokensPerSecond: null,
        callsInProgress: 2,
        concurrencyLimit: 64,
        lastErrors: [{ reason: "server_error", status: 500, atMs: 0 }],
        changes: [
          { atMs: 0, state: "open", reason: "server_error", untilMs: 10_000, onHearsay: true },
          { atMs: 12_000, state: "closed", reason: "answered", untilMs: null, onHearsay: false },
        ],
        heard: { atMs: 0, from: "another", says: "paused", reason: "server_error" },
      },
    ],
  });
  const reply = await admin.ask("GET", "/admin/v1/health/routes");
  const stranger = await admin.ask("GET", "/admin/v1/health/routes", undefined, null);
  await admin.app.close();

  expect(reply.json()).toEqual({
    data: [
      {
        route_id: "r1",
        provider: "east",
        upstream_model: "large",
        format: "chat",
        breaker: "open",
        known_since: "1970-01-01T00:00:00.000Z",
        succeeded: 4,
        failed: 6,
        rate_limited: 1,
        rests_ms: 9_000,
        success_rate: 0.667,
        first_byte_ms: 12.346,
        tokens_per_second: null,
        calls_in_progress: 2,
        concurrency_limit: 64,
        last_errors: [{ at: "1970-01-01T00:00:00.000Z", reason: "server_error", status: 500 }],
        changes: [
          {
            at: "1970-01-01T00:00:00.000Z",
            state: "open",
            reason: "server_error",
            until: "1970-01-01T00:00:10.000Z",
            learned: "reported",
          },
          { at: "1970-01-01T00:00:12.000Z", state: "closed", reason: "answered", until: null, learned: "own_calls" },
        ],
        reported: { at: "1970-01-01T00:00:00.000Z", process: "another", state: "paused", reason: "server_error" },
      },
    ],
  });
  expect(stranger.statusCode).toBe(401);
});

test("the metrics token reads the metrics and nothing else", async () => {
  const admin = buildAdmin(database);
  const statusOf = async (method: AdminRoute["method"], path: string, token: string | null): Promise<number> =>
    (await admin.ask(method, path, undefined, token)).statusCode;

  expect(await statusOf("GET", "/metrics", METRICS_TOKEN)).toBe(200);
  expect(await statusOf("GET", "/metrics", OPERATOR_TOKEN)).toBe(200);
  expect(await statusOf("GET", "/metrics", `${METRICS_TOKEN}x`)).toBe(401);
  expect(await statusOf("GET", "/metrics", null)).toBe(401);
  for (const { method, path } of ADMIN_ROUTES.filter(({ credential }) => credential === "operator"))
    expect({ path, status: await statusOf(method, path.replaceAll(/\{\w+\}/g, "x"), METRICS_TOKEN) }).toEqual({
      path,
      status: 401,
    });
  expect(await statusOf("GET", "/nowhere", METRICS_TOKEN)).toBe(401);
  await admin.app.close();
});

test("without a metrics token, an empty one lets nobody in", async () => {
  const admin = buildAdmin(database, { metricsToken: null });
  const empty = await admin.app.inject({ method: "GET", url: "/metrics", headers: { authorization: "Bearer " } });
  const old = await admin.ask("GET", "/metrics", undefined, METRICS_TOKEN);
  await admin.app.close();

  expect([empty.statusCode, old.statusCode]).toEqual([401, 401]);
});
