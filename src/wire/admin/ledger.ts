import { z } from "zod";
import { namedKey, UNITS } from "./funds.ts";

export const journalPageSchema = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1_000).default(50),
  before: z.string().max(100).optional(),
});

export const usageSchema = z.strictObject({ days: z.coerce.number().int().min(1).max(366).default(7) });

export const verifySchema = z.strictObject({ key: z.string().min(1).max(100).nullable().default(null) });

export const quarantinePageSchema = z.strictObject({ limit: z.coerce.number().int().min(1).max(1_000).default(100) });

export const releaseSchema = z.strictObject({ end: z.enum(["charge", "void"]).default("charge") });

const amount = z.string().describe("An exact decimal in the unit of the key.");

const journalEntrySchema = z
  .object({
    at: z.iso.datetime().describe("When the request began, or when money was booked; the list is in this order."),
    settled_at: z.iso.datetime().nullable().describe("When the request was charged."),
    kind: z.string(),
    amount: amount.describe("Credit: what it did to the balance. Tokens: how many tokens it is about."),
    running: amount
      .nullable()
      .describe(
        "Credit: the balance after it. Tokens: what was used of the period after it; null for earlier periods.",
      ),
    request_id: z.string().nullable(),
    model: z.string().nullable(),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    reference: z.string().nullable(),
    actor: z.string().nullable(),
  })
  .meta({ id: "JournalEntry" });

export const journalSchema = z.object({
  key: namedKey,
  unit: z.enum(UNITS),
  entries: z.array(journalEntrySchema),
  next: z.string().nullable(),
  opening: amount
    .nullable()
    .describe("On the last page of a credit key: what stood before the oldest entry; 0 unless entries are missing."),
});

export const verificationSchema = z
  .object({
    ok: z.boolean(),
    keys: z.int(),
    holds: z.int(),
    quarantined: z.int().describe("Of the holds, those that could not be ended and wait for an operator."),
    charges: z.int(),
    fundings: z.int(),
    usage_records: z.int(),
    mismatches: z.array(z.object({ key_id: z.string(), column: z.string(), expected: z.string(), found: z.string() })),
    truncated: z.boolean().describe("True: there are more mismatches than are listed."),
  })
  .meta({ id: "Verification" });

const spent = {
  cost: amount,
  requests: z.int(),
  cut_off: z.int().describe("Of the requests, those charged for what was delivered when they ended early."),
  input_tokens: z.int(),
  output_tokens: z.int(),
};

export const usageReportSchema = z
  .object({
    key: namedKey,
    unit: z.enum(UNITS),
    days: z.array(z.object({ day: z.iso.date(), ...spent })).describe("Oldest first, without a gap, today included."),
    models: z.array(z.object({ model: z.string(), ...spent })).describe("Dearest first."),
  })
  .meta({ id: "UsageReport" });

/** `request` in a path. */
export const ofRequest = z.object({ request: z.string().describe("The id of a request, as listed.") });

const quarantinedSchema = z
  .object({
    request_id: z.string(),
    key_id: z.string(),
    unit: z.enum(UNITS).nullable(),
    reserved: amount,
    would_charge: amount.describe("What the request would be charged: the price at its last checkpoint."),
    model: z.string(),
    admitted_at: z.iso.datetime(),
    since: z.iso.datetime(),
    sqlstate: z.string(),
    reason: z.string(),
    fix: z.string(),
  })
  .meta({ id: "QuarantinedRequest" });

export const quarantineSchema = z.object({ holds: z.array(quarantinedSchema), total: z.int() });

export const releasedSchema = z
  .object({
    request_id: z.string(),
    result: z
      .enum(["charged", "voided", "refused", "ended_before", "not_quarantined"])
      .describe("`refused`: it cannot be ended this way. `ended_before`: whoever held it has ended it meanwhile."),
    charged: amount.nullable(),
    sqlstate: z.string().nullable(),
    reason: z.string().nullable(),
    fix: z.string().nullable(),
  })
  .meta({ id: "Release" });
