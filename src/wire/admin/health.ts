import { z } from "zod";

const reasons = z.array(z.string());

export const aliveSchema = z.object({ status: z.literal("ok") });
export const readySchema = z.object({
  status: z.enum(["ok", "degraded"]),
  reasons: reasons.describe("What is lacking while requests are served all the same."),
});
export const unavailableSchema = z.object({ status: z.literal("unavailable"), reasons });

/** The text format of Prometheus. */
export const metricsSchema = z.string();

const routeHealthSchema = z
  .object({
    route_id: z.string(),
    provider: z.string(),
    upstream_model: z.string(),
    dialect: z.string(),
    breaker: z.enum(["closed", "open", "half_open"]),
    rests_ms: z.number().describe("How long the route is left alone yet."),
    success_rate: z.number().describe("Success rate of recent calls, from 0 to 1."),
    first_byte_ms: z.number().nullable(),
    tokens_per_second: z.number().nullable(),
    calls_in_progress: z.int(),
    concurrency_limit: z.int().nullable(),
    last_errors: z
      .array(z.object({ at: z.iso.datetime(), reason: z.string(), status: z.int().nullable() }))
      .describe("Oldest first."),
  })
  .meta({ id: "RouteHealth" });

export const routeHealthListSchema = z.object({ data: z.array(routeHealthSchema) });
