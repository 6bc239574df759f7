import { z } from "zod";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { dateOf, instant } from "../instant.ts";

const reasons = z.array(z.string());

export const aliveSchema = z.object({ status: z.literal("ok") });
export const readySchema = z.object({
  status: z.enum(["ok", "degraded"]),
  reasons: reasons.describe("What is degraded while requests are still served."),
});
export const unavailableSchema = z.object({ status: z.literal("unavailable"), reasons });

export const metricsSchema = z.string().meta({
  description: "Metrics in Prometheus text format.",
  examples: ["# TYPE tollgate_requests_total counter\ntollgate_requests_total 40\n"],
});

const routeHealthSchema = z
  .object({
    route_id: z.string(),
    provider: z.string(),
    upstream_model: z.string(),
    format: z.string(),
    breaker: z.enum(["closed", "open", "half_open"]),
    known_since: instant.describe("When this process first used the route; the counts below begin then."),
    succeeded: z.int().describe("Calls that succeeded."),
    failed: z.int().describe("Calls that failed."),
    rate_limited: z.int().describe("Of the failed calls, those that the provider rejected with 429."),
    rests_ms: z.number().describe("How much longer the route is skipped, in milliseconds."),
    success_rate: z.number().describe("Success rate of recent calls, from 0 to 1."),
    first_byte_ms: z.number().nullable(),
    tokens_per_second: z.number().nullable(),
    calls_in_progress: z.int(),
    concurrency_limit: z.int().nullable(),
    last_errors: z
      .array(z.object({ at: instant, reason: z.string(), status: z.int().nullable() }))
      .describe("Oldest first."),
    changes: z
      .array(
        z.object({
          at: instant,
          state: z.enum(["closed", "open"]).describe("What the breaker became."),
          reason: z.string(),
          until: instant.nullable().describe("When one call may test the route again; null: it closed."),
          learned: z
            .enum(["own_calls", "reported"])
            .describe(
              "`reported`: fewer failures than usual opened it, because another gateway process had reported the route.",
            ),
        }),
      )
      .describe("Changes of the breaker, oldest first, up to 50."),
    reported: z
      .object({
        at: instant,
        process: z.string().describe("Id of the gateway process that sent it, as it calls itself."),
        state: z
          .enum(["paused", "trying", "answered", "limited"])
          .describe(
            "`paused`: its calls failed. `trying`: one of its requests tests the route. `answered`: the route works. `limited`: the provider answered 429.",
          ),
        reason: z.string().nullable(),
      })
      .nullable()
      .describe("What another gateway process last reported of the route; null: nothing."),
  })
  .meta({ id: "RouteHealth" })
  .transform((row) => ({
    routeId: row.route_id,
    provider: row.provider,
    upstreamModel: row.upstream_model,
    dialect: row.format,
    breaker: row.breaker,
    knownSinceMs: row.known_since,
    succeeded: row.succeeded,
    failed: row.failed,
    rateLimited: row.rate_limited,
    restsMs: row.rests_ms,
    successRate: row.success_rate,
    firstByteMs: row.first_byte_ms,
    tokensPerSecond: row.tokens_per_second,
    callsInProgress: row.calls_in_progress,
    concurrencyLimit: row.concurrency_limit,
    lastErrors: row.last_errors.map(({ at: atMs, reason, status }) => ({ atMs, reason, status })),
    changes: row.changes.map(({ at: atMs, state, reason, until: untilMs, learned }) => ({
      atMs,
      state,
      reason,
      untilMs,
      onHearsay: learned === "reported",
    })),
    heard: row.reported && {
      atMs: row.reported.at,
      from: row.reported.process,
      says: row.reported.state,
      reason: row.reported.reason,
    },
  }));

/** What a process knows of a route by the requests that it sent there. */
export type ShownRoute = ReadAs<typeof routeHealthSchema>;

export const routeHealthView = (route: ShownRoute): WrittenAs<typeof routeHealthSchema> => ({
  route_id: route.routeId,
  provider: route.provider,
  upstream_model: route.upstreamModel,
  format: route.dialect,
  breaker: route.breaker,
  known_since: dateOf(route.knownSinceMs),
  succeeded: route.succeeded,
  failed: route.failed,
  rate_limited: route.rateLimited,
  rests_ms: route.restsMs,
  success_rate: rounded(route.successRate),
  first_byte_ms: route.firstByteMs === null ? null : rounded(route.firstByteMs),
  tokens_per_second: route.tokensPerSecond === null ? null : rounded(route.tokensPerSecond),
  calls_in_progress: route.callsInProgress,
  concurrency_limit: route.concurrencyLimit,
  last_errors: route.lastErrors.map(({ atMs, reason, status }) => ({ at: dateOf(atMs), reason, status })),
  changes: route.changes.map(({ atMs, state, reason, untilMs, onHearsay }) => ({
    at: dateOf(atMs),
    state,
    reason,
    until: dateOf(untilMs),
    learned: onHearsay ? ("reported" as const) : ("own_calls" as const),
  })),
  reported: route.heard && {
    at: dateOf(route.heard.atMs),
    process: route.heard.from,
    state: route.heard.says,
    reason: route.heard.reason,
  },
});

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;

export const routeHealthListSchema = z.object({ data: z.array(routeHealthSchema) });
