import { z } from "zod";
import { UNITS } from "../core/money/amount.ts";
import { COUNTER_KINDS } from "../core/money/counter.ts";
import type { ReadBooks } from "../operator/money/books.ts";
import { amountIn } from "../wire/admin/amount-in.ts";
import { amount, amountsOf, measured, readAmount } from "../wire/admin/amount.ts";
import { namedHolder } from "../wire/admin/holder.ts";
import { instant } from "../wire/instant.ts";
import { ofKey } from "../wire/admin/keys.ts";
import { pageQuery, pageSchema } from "../wire/admin/page.ts";
import { renamed } from "../wire/codec.ts";
import type { WrittenAs } from "../wire/validate.ts";
import { ofAccount } from "./accounts.ts";
import { purse } from "./closed-purses.ts";
import { chargesQuery, servedCharges } from "./served-charges.ts";
import type { Operations } from "./operation.ts";

const entry = renamed(
  z
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
    .meta({ id: "JournalEntry" }),
  {
    atMs: "at",
    settledAtMs: "settled_at",
    requestId: "request_id",
    keyId: "key_id",
    priceVersion: "price_version",
    inputTokens: "input_tokens",
    outputTokens: "output_tokens",
  },
);
type Entry = z.output<typeof entry>;

const journalJson = renamed(
  z
    .object({
      ...namedHolder,
      unit: z.enum(UNITS),
      counter_kind: z
        .enum(COUNTER_KINDS)
        .nullable()
        .describe("Whose figure `running` is: a purse or a limit; null: it has neither."),
      ...pageSchema(entry).shape,
      opening: z
        .string()
        .nullable()
        .describe("On the last page of a purse: balance before the oldest entry; 0 unless entries are missing."),
    })
    .meta({ id: "Journal" }),
  { counterKind: "counter_kind" },
);
type JournalRow = z.output<typeof journalJson>;
type JournalRead = Omit<JournalRow, "data" | "opening"> & {
  data: (Omit<Entry, "running"> & { running: bigint | null })[];
  opening: bigint | null;
};

/** What runs through a journal is in the unit of its whole. */
export const journal = z.codec(journalJson, z.custom<JournalRead>(), {
  decode: ({ data, opening, ...page }, payload) => {
    const read = (text: string | null) => (text === null ? null : readAmount(page.unit, text, payload));
    return { ...page, data: data.map((row) => ({ ...row, running: read(row.running) })), opening: read(opening) };
  },
  encode: ({ data, opening, ...page }) => {
    const write = (value: bigint | null) => (value === null ? null : amountsOf(page.unit)(value));
    return { ...page, data: data.map((row) => ({ ...row, running: write(row.running) })), opening: write(opening) };
  },
});

export type JournalJson = WrittenAs<typeof journal>;

const closedPurse = measured(
  renamed(
    z
      .object({
        purse,
        key: namedHolder.key,
        account: namedHolder.account,
        unit: z.enum(UNITS),
        amount,
        has_payer: z
          .boolean()
          .describe("Whether an open purse pays for its holder now, to which the amount can be moved."),
      })
      .meta({ id: "ClosedPurse" }),
    { counter: "purse", hasPayer: "has_payer" },
  ),
  ["amount"],
);

const credits = amountIn("credit");
const outstandingJson = z
  .object({
    purses: z.int().describe("How many purses of accounts and keys there are, empty ones included."),
    balance: credits.describe("Credit in these purses: funded and not spent."),
    reserved: credits.describe("Of the balance, what requests in progress hold."),
    available: credits.describe("The balance without what is reserved."),
    closed_purses: z.int().describe("How many closed purses have credit, which cannot be spent."),
    closed_balance: credits.describe("Credit in closed purses; it is not part of the balance."),
    closed: z.array(closedPurse).describe("The first 100 closed purses that have something."),
  })
  .meta({ id: "Outstanding" });
type OutstandingRow = z.output<typeof outstandingJson>;
type OutstandingRead = Pick<OutstandingRow, "purses" | "balance" | "reserved"> & {
  closed: { purses: number; balance: bigint; listed: OutstandingRow["closed"] };
};

export const outstanding = z.codec(outstandingJson, z.custom<OutstandingRead>(), {
  decode: ({ purses, balance, reserved, closed_purses: number, closed_balance: inClosed, closed: listed }) => ({
    purses,
    balance,
    reserved,
    closed: { purses: number, balance: inClosed, listed },
  }),
  encode: ({ closed, ...open }) => ({
    ...open,
    available: open.balance - open.reserved,
    closed_purses: closed.purses,
    closed_balance: closed.balance,
    closed: closed.listed,
  }),
});

export type OutstandingJson = WrittenAs<typeof outstanding>;

const verifyOrder = z.strictObject({
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

const mismatch = renamed(
  z
    .object({
      key_id: z.string().nullable(),
      account_id: z.string().nullable(),
      counter: z.int().nullable(),
      column: z.string(),
      expected: z.string(),
      found: z.string(),
    })
    .meta({ id: "Mismatch" }),
  { keyId: "key_id", accountId: "account_id" },
);

export const verification = z
  .object({
    ok: z.boolean(),
    keys: z.int(),
    counters: z.int().describe("Number of purses and limits checked."),
    holds: z.int(),
    quarantined: z.int().describe("How many of the holds are in quarantine until an operator releases them."),
    charges: z.int(),
    fundings: z.int(),
    recomputed: z.int().describe("Number of charges whose amount was computed again."),
    mismatches: z.array(mismatch),
    truncated: z.boolean().describe("True if there are more mismatches than are listed."),
  })
  .meta({ id: "Verification" });

export type VerificationJson = WrittenAs<typeof verification>;

const pastJson = renamed(
  z
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
    .meta({ id: "PastVerification" }),
  { startedAtMs: "started_at", tookMs: "took_ms", keyId: "key_id" },
);

const pastVerification = z.codec(pastJson, z.custom<Omit<z.output<typeof pastJson>, "ok">>(), {
  decode: ({ ok: _ok, ...past }) => past,
  encode: (past) => ({ ...past, ok: past.mismatches === 0 }),
});

const verifiedDay = renamed(
  z
    .object({
      day: z
        .string()
        .describe("The day of the charges, UTC, by the time in their ids.")
        .meta({ examples: ["2026-11-19"] }),
      charges: z.int().describe("How many of its charges were final: charged more than an hour before the look."),
      digest: z
        .string()
        .nullable()
        .describe("A chain of SHA-256 over the rows of these charges, in hex; null: no look at the day has ended."),
      looked_at: instant.nullable().describe("When the last look that ended began; null: none has."),
      took_ms: z.int().describe("How long that look worked, in milliseconds, without its rests."),
      mismatches: z
        .int()
        .describe("How many figures differed.")
        .meta({ examples: [0] }),
      in_progress: z.boolean().describe("True while a look is under way."),
      found: z.array(mismatch).describe("The first 20 figures that differed."),
    })
    .meta({ id: "VerifiedDay" }),
  { lookedAtMs: "looked_at", tookMs: "took_ms", inProgress: "in_progress" },
);

const continuous = renamed(
  z
    .object({
      verified_at: instant
        .nullable()
        .describe("The moment up to which everything is verified; null: the first round has not ended."),
      mismatches: z
        .int()
        .describe("How many figures differ, in days and balances.")
        .meta({ examples: [0] }),
      found: z.array(mismatch).describe("The first 20 balances that differ from the journal."),
      days: z.int().describe("Days of charges that were looked at to their end."),
      pending: z.int().describe("Days whose first look is under way."),
      oldest_look_at: instant.nullable().describe("When the day was looked at that waits longest for another look."),
      listed: z.array(verifiedDay).describe("The last 100 days, and earlier ones that differ, newest first."),
    })
    .meta({ id: "ContinuousVerification" }),
  { verifiedAtMs: "verified_at", oldestMs: "oldest_look_at" },
);

export const verifications = z.object({
  continuous: continuous
    .nullable()
    .describe("What gateways verify by themselves; null: the role of this command may not read it."),
  whole: pastVerification.nullable().describe("The last one of the whole ledger; null: there was none."),
  recent: z.array(pastVerification).describe("The last 20, also of single keys, newest first."),
});

export type VerificationsJson = WrittenAs<typeof verifications>;

/** How operators read the books, below `/admin/v1`. */
export const BOOKS: Operations<ReadBooks> = {
  journal: {
    method: "GET",
    path: "/{holder}/journal",
    holders: {
      key: {
        id: "showJournal",
        summary: "List top-ups, limits, charges and refunds of a key, newest first",
        params: ofKey,
      },
      account: {
        id: "showAccountJournal",
        summary: "List payments of an account and charges of all keys below it, newest first",
        params: ofAccount,
      },
    },
    payload: pageQuery(50),
    answer: journal,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
  listCharges: {
    id: "listProviderUsage",
    method: "GET",
    path: "/ledger/provider-usage",
    summary: "List what the requests of a day used at providers, in the order of their ids",
    description: "Includes charges of other days whose request touches the day within a minute.",
    payload: chargesQuery,
    answer: servedCharges,
    refusals: ["invalid_request"],
    audit: "read",
  },
  showOutstanding: {
    id: "showOutstanding",
    method: "GET",
    path: "/ledger/outstanding",
    summary: "Show how much prepaid credit is not spent yet, in all purses together",
    answer: outstanding,
    audit: "read",
  },
  verify: {
    id: "verifyLedger",
    method: "POST",
    path: "/ledger/verify",
    summary: "Recompute every purse and limit from the journal and report differences",
    description: "Reads every charge, so only one verification runs at a time; a second returns 409.",
    isLong: true,
    payload: verifyOrder,
    answer: verification,
    refusals: ["invalid_request", "not_found", "conflict"],
    audit: "read",
  },
  listVerifications: {
    id: "listVerifications",
    method: "GET",
    path: "/ledger/verifications",
    summary: "List when the ledger was verified, by whom or day by day, and how many figures differed",
    answer: verifications,
    audit: "read",
  },
};
