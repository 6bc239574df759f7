import type { Unit } from "../core/amount.ts";
import { requestIdOf } from "../core/ids.ts";
import { cursorOf, type Keyset, type Page, type PageRequest, readCursor, UUID } from "../core/page.ts";

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

/** An entry as operators read it. Amounts are in the unit of the key. */
export type JournalLine = {
  /** When the request began, or when money was booked; the list is in this order. */
  atMs: number;
  /** When the request was charged. */
  settledAtMs: number | null;
  kind: string;
  /** What it did to the balance of a credit key; how many tokens it is about for a token key. */
  amount: bigint;
  /** Credit: the balance after it. Tokens: what was used of the period after it; null for earlier periods. */
  running: bigint | null;
  requestId: string | null;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  reference: string | null;
  actor: string | null;
};

export type Journal = Page<JournalLine> & {
  unit: Unit;
  /** On the last page of a credit key: what stood before the oldest entry. It is 0 unless entries are missing from the list. */
  opening: bigint | null;
};

export type ShowJournal = (keyId: string, page: PageRequest) => Promise<Journal>;

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** The entry before which the page begins, and the running figure there. */
const newestFirst = (keyId: string): Keyset => ({
  list: `journal of ${keyId}`,
  values: [UUID, /^(-?\d{1,20}|none)$/],
});

/**
 * The journal of a key, newest first. The running figure is computed from the balance backwards, so it is right on the first page
 * and carried from page to page in the cursor.
 */
export const createShowJournal =
  ({ readJournal }: { readJournal: ReadJournal }): ShowJournal =>
  async (keyId, { limit, after }) => {
    const order = newestFirst(keyId);
    const [before = LAST_ID, carried] = readCursor(order, after) ?? [];
    const page = await readJournal(keyId, { before, limit: limit + 1 });
    const credit = page.unit === "credit";
    let running =
      carried === undefined ? (credit ? page.posted : page.used) : carried === "none" ? null : BigInt(carried);

    const shown = page.entries.slice(0, limit);
    const data: JournalLine[] = [];
    for (const entry of shown) {
      if (!credit && entry.periodNo !== page.periodNo) running = null;
      data.push(lineOf(entry, page.unit, running));
      if (running !== null) running -= credit ? effectOnCredit(entry) : effectOnUsed(entry);
    }
    const last = shown.at(-1);
    const isEnd = last === undefined || page.entries.length <= limit;
    return {
      unit: page.unit,
      data,
      next: isEnd ? null : cursorOf(order.list, [last.sort, String(running ?? "none")]),
      opening: credit && isEnd ? running : null,
    };
  };

const effectOnCredit = ({ source, amount }: JournalEntry): bigint => (source === "charge" ? -amount : amount);

/** Setting a budget or turning the period leaves what was used in it as it is. */
function effectOnUsed({ source, kind, amount }: JournalEntry): bigint {
  if (source === "charge") return amount;
  return kind === "refund" ? -amount : 0n;
}

function lineOf(entry: JournalEntry, unit: Unit, running: bigint | null): JournalLine {
  const { source, kind, amount, requestId } = entry;
  const charge = source === "charge";
  return {
    atMs: charge ? beginningOf(entry.sort) : entry.at.getTime(),
    settledAtMs: charge ? entry.at.getTime() : null,
    kind,
    amount: unit === "credit" && charge ? -amount : amount,
    running,
    requestId: requestId === null ? null : requestIdOf(requestId),
    model: entry.model,
    inputTokens: entry.inputTokens === null ? null : Number(entry.inputTokens),
    outputTokens: entry.outputTokens === null ? null : Number(entry.outputTokens),
    reference: entry.reference,
    actor: entry.actor,
  };
}

/** The id of a request begins with the time at which it was made. */
const beginningOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
