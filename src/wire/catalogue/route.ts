import { z } from "zod";
import { REGION } from "../../core/catalogue/region.ts";
import { ROUTE_FORMATS } from "../../core/request/dialect.ts";
import { isObject } from "../../core/bytes/is-object.ts";
import { renamed } from "../codec.ts";
import { storable } from "../storable.ts";

/** As many as a column holds. */
export const MOST_INT = 2_147_483_647;

export const name = storable(200).min(1);
export const upstreamModel = storable(500).min(1);
export const format = z.enum(ROUTE_FORMATS);

/** The word on a route that says where it runs. */
export const region = z
  .string()
  .regex(
    REGION,
    "Input should be a word such as eu or us-east-1: lower-case letters, digits, - and _, 40 at most, and not any, all or none",
  );

const milliseconds = (fallback: number) => z.int().min(1).max(3_600_000).default(fallback);

export const ROUTE_NAMES = {
  upstreamModel: "upstream_model",
  dialect: "format",
  connectTimeoutMs: "connect_timeout_ms",
  firstByteTimeoutMs: "first_byte_timeout_ms",
  idleTimeoutMs: "idle_timeout_ms",
  concurrencyLimit: "concurrency_limit",
} as const;

/** How a model is reached at a provider, in the words of the catalogue file. `cost`: how it says what it costs. */
export const describedRouteIn = <Cost extends z.ZodType>(cost: Cost) =>
  renamed(
    z.strictObject({
      provider: name,
      upstream_model: upstreamModel,
      format,
      conformant: z.boolean().default(false),
      priority: z.int().min(0).max(MOST_INT).default(0),
      weight: z.int().min(0).max(MOST_INT).default(1),
      connect_timeout_ms: milliseconds(5_000),
      first_byte_timeout_ms: milliseconds(60_000),
      idle_timeout_ms: milliseconds(60_000),
      concurrency_limit: z.int().min(1).max(1_000_000).nullable().default(null),
      region: region.nullable().default(null),
      // Not `exactOptional`: that one has a codec write what is not there.
      cost: cost.optional(),
    }),
    ROUTE_NAMES,
  );

/** Catalogue files written for earlier trees call the format `dialect`. */
export const writtenRouteIn = <Cost extends z.ZodType>(cost: Cost) =>
  z.preprocess((route) => {
    if (!isObject(route) || !("dialect" in route) || "format" in route) return route;
    const { dialect, ...rest } = route;
    return { ...rest, format: dialect };
  }, describedRouteIn(cost));
