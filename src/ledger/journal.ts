import { Fault } from "../core/fault.ts";
import { requestIdOf } from "../core/ids.ts";
import { type FindAccount, formatAmount, type Unit } from "./account.ts";

/** One row of the journal. Entries are ordered by `sort`: when a request began, or when money was booked. */
export type JournalEntry = {
  sort: string;
  source: "charge" | "funding";
  kind: string;
  amount: bigint;
  periodNo: bigint;
  /** The request that was charged, or that a refund gives back. */
  requestId: string | null;
  model: string | null;
  reference: string | null;
  actor: string | null;
  inputTokens: bigint | null;
  outputTokens: bigint | null;
  at: Date;
};

export type JournalPage = { unit: Unit; posted: bigint; used: bigint; periodNo: bigint; entries: JournalEntry[] };

/** The newest entries of a key that sort before `before`, with its balance at the same instant. */
export type ReadJournal = (keyId: string, page: { before: string; limit: number }) => Promise<JournalPage>;

export type JournalEntryView = {
  /** When the request began, or when money was booked; the list is in this order. */
  at: string;
  /** When the request was charged. */
  settled_at: string | null;
  kind: string;
  /** What it did to the balance of a credit key; how many tokens it is about for a token key. */
  amount: string;
  /** Credit: the balance after it. Tokens: what was used of the period after it; null for earlier periods. */
  running: string | null;
  request_id: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  reference: string | null;
  actor: string | null;
};

export type JournalView = {
  key: { id: string; prefix: string };
  unit: Unit;
  entries: JournalEntryView[];
  /** Where the next page begins; null when there is none. */
  next: string | null;
  /** On the last page of a credit key: what stood before the oldest entry. It is 0 unless entries are missing from the list. */
  opening: string | null;
};

export type ShowJournal = (idOrPrefix: string, page: { limit: number; before: string | null }) => Promise<JournalView>;

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const CURSOR = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(-?\d{1,20}|none)$/;

/**
 * The journal of a key, newest first. The running figure is computed from the balance backwards, so it is right on the first page
 * and carried from page to page in the cursor.
 */
export const createShowJournal =
  ({ findKey, readJournal }: { findKey: FindAccount; readJournal: ReadJournal }): ShowJournal =>
  async (idOrPrefix, { limit, before }) => {
    const cursor = before === null ? null : readCursor(before);
    const { id, prefix } = await findKey(idOrPrefix);
    const page = await readJournal(id, { before: cursor?.before ?? LAST_ID, limit });
    const credit = page.unit === "credit";
    let running = cursor === null ? (credit ? page.posted : page.used) : cursor.running;

    const entries: JournalEntryView[] = [];
    for (const entry of page.entries) {
      if (!credit && entry.periodNo !== page.periodNo) running = null;
      entries.push(entryView(entry, page.unit, running));
      if (running !== null) running -= credit ? effectOnCredit(entry) : effectOnUsed(entry);
    }
    const last = page.entries.at(-1);
    const more = last !== undefined && page.entries.length === limit;
    return {
      key: { id, prefix },
      unit: page.unit,
      entries,
      next: more ? `${last.sort}.${running ?? "none"}` : null,
      opening: credit && !more && running !== null ? formatAmount("credit", running) : null,
    };
  };

function readCursor(text: string): { before: string; running: bigint | null } {
  const [, before, running] = CURSOR.exec(text) ?? [];
  if (before === undefined || running === undefined)
    throw new Fault("invalid_request", "before: Input should be the `next` of an earlier page", { param: "before" });
  return { before, running: running === "none" ? null : BigInt(running) };
}

const effectOnCredit = ({ source, amount }: JournalEntry): bigint => (source === "charge" ? -amount : amount);

/** Setting a budget or turning the period leaves what was used in it as it is. */
function effectOnUsed({ source, kind, amount }: JournalEntry): bigint {
  if (source === "charge") return amount;
  return kind === "refund" ? -amount : 0n;
}

function entryView(entry: JournalEntry, unit: Unit, running: bigint | null): JournalEntryView {
  const { source, kind, amount, requestId } = entry;
  const charge = source === "charge";
  const signed = unit === "credit" && charge ? -amount : amount;
  return {
    at: (charge ? beginningOf(entry.sort) : entry.at).toISOString(),
    settled_at: charge ? entry.at.toISOString() : null,
    kind,
    amount: formatAmount(unit, signed),
    running: running === null ? null : formatAmount(unit, running),
    request_id: requestId === null ? null : requestIdOf(requestId),
    model: entry.model,
    input_tokens: entry.inputTokens === null ? null : Number(entry.inputTokens),
    output_tokens: entry.outputTokens === null ? null : Number(entry.outputTokens),
    reference: entry.reference,
    actor: entry.actor,
  };
}

/** The id of a request begins with the time at which it was made. */
const beginningOf = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
