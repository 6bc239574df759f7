import { z } from "zod";
import { formatAmount, parseAmount, type Unit, UNITS } from "../../core/amount.ts";
import { COUNTER_KINDS } from "../../core/counter.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amountIn } from "./amount-in.ts";
import { namedHolder } from "./holder.ts";
import { dateOf, instant } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

export const journalPageSchema = pageQuery(50);

const entrySchema = z
  .object({
    at: instant.describe("When the request began, or when the funding was booked. The list is sorted by it."),
    settled_at: instant.nullable().describe("When the request was charged; null: the entry is no charge."),
    kind: z.string(),
    credits: amountIn("credit")
      .nullable()
      .describe("Credits funded, given back, or, below zero, charged; null: nothing counts in credits."),
    tokens: amountIn("tokens").nullable().describe("The same in tokens."),
    running: z
      .string()
      .nullable()
      .describe(
        "Purse: balance after the entry. Limit: amount used in the period after the entry; null for earlier periods.",
      ),
    request_id: z.string().nullable(),
    key_id: z.string().nullable(),
    model: z.string().nullable(),
    price_version: z.int().nullable(),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    reference: z.string().nullable(),
    actor: z.string().nullable(),
  })
  .meta({ id: "JournalEntry" });

export const journalSchema = z
  .object({
    ...namedHolder,
    unit: z.enum(UNITS),
    counter_kind: z
      .enum(COUNTER_KINDS)
      .nullable()
      .describe("Whose figure `running` is: a purse or a limit; null: it has neither."),
    ...pageSchema(entrySchema).shape,
    opening: z
      .string()
      .nullable()
      .describe("On the last page of a purse: balance before the oldest entry; 0 unless entries are missing."),
  })
  .meta({ id: "Journal" })
  .transform(({ data, opening, counter_kind: counterKind, ...page }, context) => {
    const orNull = (text: string | null): bigint | null => {
      const read = text === null ? null : parseAmount(page.unit, text);
      if (read === null && text !== null) context.addIssue({ code: "custom", message: `${text} is not an amount` });
      return read;
    };
    const entries = data.map((entry) => ({
      atMs: entry.at,
      settledAtMs: entry.settled_at,
      kind: entry.kind,
      credits: entry.credits,
      tokens: entry.tokens,
      running: orNull(entry.running),
      requestId: entry.request_id,
      keyId: entry.key_id,
      model: entry.model,
      priceVersion: entry.price_version,
      inputTokens: entry.input_tokens,
      outputTokens: entry.output_tokens,
      reference: entry.reference,
      actor: entry.actor,
    }));
    return { ...page, counterKind, data: entries, opening: orNull(opening) };
  });

export type JournalJson = WrittenAs<typeof journalSchema>;
type Journal = ReadAs<typeof journalSchema>;

export const journalView = ({ key, account, unit, counterKind, data, next, opening }: Journal): JournalJson => ({
  key,
  account,
  unit,
  counter_kind: counterKind,
  data: data.map((entry) => entryView(entry, unit)),
  next,
  opening: orNull(unit, opening),
});

const orNull = (unit: Unit, value: bigint | null): string | null => (value === null ? null : formatAmount(unit, value));

function entryView(entry: Journal["data"][number], unit: Unit): JournalJson["data"][number] {
  return {
    at: dateOf(entry.atMs),
    settled_at: dateOf(entry.settledAtMs),
    kind: entry.kind,
    credits: orNull("credit", entry.credits),
    tokens: orNull("tokens", entry.tokens),
    running: orNull(unit, entry.running),
    request_id: entry.requestId,
    key_id: entry.keyId,
    model: entry.model,
    price_version: entry.priceVersion,
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
  recompute: z
    .boolean()
    .default(false)
    .describe("Also compute the amount of every charge again from its price and token counts."),
});

const mismatchSchema = z
  .object({
    key_id: z.string().nullable(),
    account_id: z.string().nullable(),
    counter: z.int().nullable(),
    column: z.string(),
    expected: z.string(),
    found: z.string(),
  })
  .transform(({ key_id: keyId, account_id: accountId, ...mismatch }) => ({ keyId, accountId, ...mismatch }));

export const verificationSchema = z
  .object({
    ok: z.boolean(),
    keys: z.int(),
    counters: z.int().describe("Number of purses and limits checked."),
    holds: z.int(),
    quarantined: z.int().describe("How many of the holds are in quarantine until an operator releases them."),
    charges: z.int(),
    fundings: z.int(),
    recomputed: z.int().describe("Number of charges whose amount was computed again."),
    mismatches: z.array(mismatchSchema),
    truncated: z.boolean().describe("True if there are more mismatches than are listed."),
  })
  .meta({ id: "Verification" });

const pastVerificationSchema = z
  .object({
    id: z.uuid(),
    started_at: instant.describe("When it began."),
    took_ms: z.int().describe("How long it took, in milliseconds."),
    actor: z.string().describe("Who asked for it."),
    key_id: z.uuid().nullable().describe("The only key that was verified; null: the whole ledger."),
    recompute: z.boolean().describe("True if the amount of every charge was computed again."),
    ok: z.boolean().describe("True if nothing differed."),
    keys: z.int(),
    counters: z.int().describe("Number of purses and limits checked."),
    holds: z.int(),
    quarantined: z.int().describe("How many of the holds were in quarantine."),
    charges: z.int(),
    fundings: z.int(),
    recomputed: z.int().describe("Number of charges whose amount was computed again."),
    mismatches: z
      .int()
      .describe("How many figures differed from the journal.")
      .meta({ examples: [0] }),
    truncated: z.boolean().describe("True if there were more mismatches."),
  })
  .meta({ id: "PastVerification" })
  .transform(({ started_at: startedAtMs, took_ms: tookMs, key_id: keyId, ...rest }) => ({
    ...rest,
    startedAtMs,
    tookMs,
    keyId,
  }));

export const verificationsSchema = z.object({
  whole: pastVerificationSchema.nullable().describe("The last one of the whole ledger; null: there was none."),
  recent: z.array(pastVerificationSchema).describe("The last 20, also of single keys, newest first."),
});

export type VerificationsJson = WrittenAs<typeof verificationsSchema>;
type PastVerification = Omit<ReadAs<typeof pastVerificationSchema>, "ok">;

export const verificationsView = ({
  whole,
  recent,
}: {
  whole: PastVerification | null;
  recent: readonly PastVerification[];
}): VerificationsJson => ({ whole: whole && pastView(whole), recent: recent.map(pastView) });

const pastView = (past: PastVerification): WrittenAs<typeof pastVerificationSchema> => ({
  id: past.id,
  started_at: dateOf(past.startedAtMs),
  took_ms: past.tookMs,
  actor: past.actor,
  key_id: past.keyId,
  recompute: past.recompute,
  ok: past.mismatches === 0,
  keys: past.keys,
  counters: past.counters,
  holds: past.holds,
  quarantined: past.quarantined,
  charges: past.charges,
  fundings: past.fundings,
  recomputed: past.recomputed,
  mismatches: past.mismatches,
  truncated: past.truncated,
});

export type VerificationJson = WrittenAs<typeof verificationSchema>;

export const verificationView = (report: ReadAs<typeof verificationSchema>): VerificationJson => ({
  ok: report.ok,
  keys: report.keys,
  counters: report.counters,
  holds: report.holds,
  quarantined: report.quarantined,
  charges: report.charges,
  fundings: report.fundings,
  recomputed: report.recomputed,
  mismatches: report.mismatches.map(({ keyId, accountId, counter, column, expected, found }) => ({
    key_id: keyId,
    account_id: accountId,
    counter,
    column,
    expected,
    found,
  })),
  truncated: report.truncated,
});
