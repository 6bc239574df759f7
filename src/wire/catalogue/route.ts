import { z } from "zod";
import { PROVIDER_DIALECTS } from "../../core/dialect.ts";
import { routeOf } from "../../core/route-view.ts";
import { storable } from "../storable.ts";

/** As many as a column holds. */
export const MOST_INT = 2_147_483_647;

export const name = storable(200).min(1);
export const upstreamModel = storable(500).min(1);
export const dialect = z.enum(PROVIDER_DIALECTS);

const milliseconds = (fallback: number) => z.int().min(1).max(3_600_000).default(fallback);

export const describedRoute = z
  .strictObject({
    provider: name,
    upstream_model: upstreamModel,
    dialect,
    conformant: z.boolean().default(false),
    priority: z.int().min(0).max(MOST_INT).default(0),
    weight: z.int().min(0).max(MOST_INT).default(1),
    connect_timeout_ms: milliseconds(5_000),
    first_byte_timeout_ms: milliseconds(60_000),
    idle_timeout_ms: milliseconds(60_000),
    concurrency_limit: z.int().min(1).max(1_000_000).nullable().default(null),
  })
  .transform(routeOf);
