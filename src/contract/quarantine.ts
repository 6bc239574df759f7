import { z } from "zod";
import { UNITS } from "../core/money/amount.ts";
import type { ManageQuarantine } from "../operator/money/quarantine.ts";
import { amount, measured } from "../wire/admin/amount.ts";
import { instant } from "../wire/instant.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { renamed, within } from "../wire/codec.ts";
import type { WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";

/** `request` in a path. */
export const ofRequest = z.object({ request: z.string().describe("Id of the request, as listed.") });

const unit = z
  .enum(UNITS)
  .nullable()
  .describe("Unit of the amounts; null: the key has no account, and amounts are in tokens.");

const quarantined = measured(
  renamed(
    z
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
      .meta({ id: "QuarantinedRequest" }),
    {
      requestId: "request_id",
      keyId: "key_id",
      wouldCharge: "would_charge",
      admittedAtMs: "admitted_at",
      sinceMs: "since",
    },
  ),
  ["reserved", "wouldCharge"],
);

export const quarantinePage = z.object({
  ...pageSchema(quarantined).shape,
  total: z.int().describe("Total number of requests in quarantine. Counted up to 10,000."),
});

export type QuarantineJson = WrittenAs<typeof quarantinePage>;

export const released = measured(
  renamed(
    z
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
      .meta({ id: "ReleasedRequest" }),
    { requestId: "request_id" },
  ),
  ["charged"],
);

export type ReleasedJson = WrittenAs<typeof released>;

/** What operators do with requests that could not be ended, below `/admin/v1`. */
export const QUARANTINE: Operations<ManageQuarantine> = {
  list: {
    id: "listQuarantine",
    method: "GET",
    path: "/ledger/quarantine",
    summary: "List requests in quarantine; their amounts stay reserved until you release them",
    payload: pageQuery(100),
    answer: quarantinePage,
    refusals: ["invalid_request"],
    audit: "read",
  },
  release: {
    id: "releaseQuarantined",
    method: "POST",
    path: "/ledger/quarantine/{request}/release",
    summary: "Release a request: charge the cost at its last checkpoint, or nothing",
    params: ofRequest,
    payload: within(
      "end",
      z
        .enum(["charge", "void"])
        .default("charge")
        .describe("`charge`: charge the cost at the last checkpoint. `void`: charge nothing."),
      z.strictObject,
    ),
    answer: released,
    refusals: ["invalid_request", "not_found"],
    audit: {
      action: "request.release",
      of: (requestId) => ({ kind: "request", name: requestId }),
      asked: (_requestId, end) => ({ end }),
      after: (request) => request,
    },
  },
};
