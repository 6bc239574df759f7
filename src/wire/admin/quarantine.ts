import { z } from "zod";
import { UNITS } from "../../core/amount.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn, amountsOf } from "./amount.ts";
import { dateOf, instant } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

export const quarantinePageSchema = pageQuery(100);

/** `request` in a path. */
export const ofRequest = z.object({ request: z.string().describe("Id of the request, as listed.") });

export const releaseSchema = z.strictObject({
  end: z
    .enum(["charge", "void"])
    .default("charge")
    .describe("`charge`: charge the cost at the last checkpoint. `void`: charge nothing."),
});

const unit = z
  .enum(UNITS)
  .nullable()
  .describe("Unit of the amounts; null: the key has no account, and amounts are in tokens.");

const quarantinedSchema = z
  .object({
    request_id: z.string(),
    key_id: z.string(),
    unit,
    reserved: amount,
    would_charge: amount.describe("Amount the request would be charged: its cost at the last checkpoint."),
    model: z.string(),
    admitted_at: instant,
    since: instant,
    sqlstate: z.string(),
    reason: z.string(),
    fix: z.string(),
  })
  .meta({ id: "QuarantinedRequest" })
  .transform((row, context) => {
    const read = amountsIn(row.unit ?? "tokens", context);
    return {
      requestId: row.request_id,
      keyId: row.key_id,
      unit: row.unit,
      reserved: read(row.reserved),
      wouldCharge: read(row.would_charge),
      model: row.model,
      admittedAtMs: row.admitted_at,
      sinceMs: row.since,
      sqlstate: row.sqlstate,
      reason: row.reason,
      fix: row.fix,
    };
  });

export const quarantineSchema = z.object({
  ...pageSchema(quarantinedSchema).shape,
  total: z.int().describe("Total number of requests in quarantine. Counted up to 10,000."),
});

export type QuarantineJson = WrittenAs<typeof quarantineSchema>;

export const quarantineView = ({ data, next, total }: ReadAs<typeof quarantineSchema>): QuarantineJson => ({
  data: data.map(quarantinedView),
  next,
  total,
});

function quarantinedView(request: ReadAs<typeof quarantinedSchema>): WrittenAs<typeof quarantinedSchema> {
  const write = amountsOf(request.unit ?? "tokens");
  return {
    request_id: request.requestId,
    key_id: request.keyId,
    unit: request.unit,
    reserved: write(request.reserved),
    would_charge: write(request.wouldCharge),
    model: request.model,
    admitted_at: dateOf(request.admittedAtMs),
    since: dateOf(request.sinceMs),
    sqlstate: request.sqlstate,
    reason: request.reason,
    fix: request.fix,
  };
}

export const releasedSchema = z
  .object({
    request_id: z.string(),
    result: z
      .enum(["charged", "voided", "refused", "ended_before", "not_quarantined"])
      .describe("`refused`: it cannot be ended this way. `ended_before`: it had already ended."),
    unit,
    charged: amount.nullable(),
    sqlstate: z.string().nullable(),
    reason: z.string().nullable(),
    fix: z.string().nullable(),
  })
  .meta({ id: "ReleasedRequest" })
  .transform((row, context) => {
    const read = amountsIn(row.unit ?? "tokens", context);
    return {
      requestId: row.request_id,
      result: row.result,
      unit: row.unit,
      charged: row.charged === null ? null : read(row.charged),
      sqlstate: row.sqlstate,
      reason: row.reason,
      fix: row.fix,
    };
  });

export type ReleasedJson = WrittenAs<typeof releasedSchema>;

export const releasedView = (released: ReadAs<typeof releasedSchema>): ReleasedJson => ({
  request_id: released.requestId,
  result: released.result,
  unit: released.unit,
  charged: released.charged === null ? null : amountsOf(released.unit ?? "tokens")(released.charged),
  sqlstate: released.sqlstate,
  reason: released.reason,
  fix: released.fix,
});
