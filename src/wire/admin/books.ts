import { z } from "zod";
import { type Unit, UNITS } from "../../core/amount.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amount, amountsIn, amountsOf } from "./amount.ts";
import { namedKey } from "./funds.ts";
import { dateOf, instant } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

export const journalPageSchema = pageQuery(50);

const entrySchema = z
  .object({
    at: instant.describe("When the request began, or when the funding was booked. The list is sorted by it."),
    settled_at: instant.nullable().describe("When the request was charged; null: the entry is no charge."),
    kind: z.string(),
    amount: amount.describe("Credit keys: change of the balance. Token keys: number of tokens."),
    running: amount
      .nullable()
      .describe(
        "Credit keys: balance after the entry. Token keys: tokens used in the period after the entry; null for earlier periods.",
      ),
    request_id: z.string().nullable(),
    model: z.string().nullable(),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    reference: z.string().nullable(),
    actor: z.string().nullable(),
  })
  .meta({ id: "JournalEntry" });

export const journalSchema = z
  .object({
    key: namedKey,
    unit: z.enum(UNITS),
    ...pageSchema(entrySchema).shape,
    opening: amount
      .nullable()
      .describe("On the last page of a credit key: balance before the oldest entry; 0 unless entries are missing."),
  })
  .meta({ id: "Journal" })
  .transform(({ data, opening, ...page }, context) => {
    const read = amountsIn(page.unit, context);
    const orNull = (text: string | null): bigint | null => (text === null ? null : read(text));
    const entries = data.map((entry) => ({
      atMs: entry.at,
      settledAtMs: entry.settled_at,
      kind: entry.kind,
      amount: read(entry.amount),
      running: orNull(entry.running),
      requestId: entry.request_id,
      model: entry.model,
      inputTokens: entry.input_tokens,
      outputTokens: entry.output_tokens,
      reference: entry.reference,
      actor: entry.actor,
    }));
    return { ...page, data: entries, opening: orNull(opening) };
  });

export type JournalJson = WrittenAs<typeof journalSchema>;
type Journal = ReadAs<typeof journalSchema>;

export const journalView = ({ key, unit, data, next, opening }: Journal): JournalJson => ({
  key,
  unit,
  data: data.map((entry) => entryView(entry, unit)),
  next,
  opening: opening === null ? null : amountsOf(unit)(opening),
});

function entryView(entry: Journal["data"][number], unit: Unit): JournalJson["data"][number] {
  const write = amountsOf(unit);
  return {
    at: dateOf(entry.atMs),
    settled_at: dateOf(entry.settledAtMs),
    kind: entry.kind,
    amount: write(entry.amount),
    running: entry.running === null ? null : write(entry.running),
    request_id: entry.requestId,
    model: entry.model,
    input_tokens: entry.inputTokens,
    output_tokens: entry.outputTokens,
    reference: entry.reference,
    actor: entry.actor,
  };
}

export const verifySchema = z.strictObject({
  key: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .default(null)
    .describe("Verify only this key, by id or prefix; null: all keys."),
});

const mismatchSchema = z
  .object({ key_id: z.string(), column: z.string(), expected: z.string(), found: z.string() })
  .transform(({ key_id: keyId, ...mismatch }) => ({ keyId, ...mismatch }));

export const verificationSchema = z
  .object({
    ok: z.boolean(),
    keys: z.int(),
    holds: z.int(),
    quarantined: z.int().describe("How many of the holds are in quarantine until an operator releases them."),
    charges: z.int(),
    fundings: z.int(),
    usage_records: z.int(),
    mismatches: z.array(mismatchSchema),
    truncated: z.boolean().describe("True if there are more mismatches than are listed."),
  })
  .meta({ id: "Verification" })
  .transform(({ usage_records: usageRecords, ...report }) => ({ ...report, usageRecords }));

export type VerificationJson = WrittenAs<typeof verificationSchema>;

export const verificationView = (report: ReadAs<typeof verificationSchema>): VerificationJson => ({
  ok: report.ok,
  keys: report.keys,
  holds: report.holds,
  quarantined: report.quarantined,
  charges: report.charges,
  fundings: report.fundings,
  usage_records: report.usageRecords,
  mismatches: report.mismatches.map(({ keyId, column, expected, found }) => ({
    key_id: keyId,
    column,
    expected,
    found,
  })),
  truncated: report.truncated,
});
