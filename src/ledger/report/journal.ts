import type { Unit } from "../../core/money/amount.ts";
import type { CounterKind } from "../../core/money/counter.ts";
import { requestIdOf } from "../../core/ids.ts";
import { cursorOf, type Keyset, type Page, type PageRequest, readCursor, UUID } from "../../core/page.ts";

/** One row of the journal. Entries are ordered by `sort`: when a request began, or when money was booked. */
export type JournalEntry = {
  sort: string;
  source: "charge" | "funding" | "refund" | "release";
  kind: string;
  /** What was charged or given back, in each unit; null where nothing counts in it. */
  credits: bigint | null;
  tokens: bigint | null;
  /** Of a funding, in the unit of its counter. */
  amount: bigint | null;
  amountUnit: Unit | null;
  /** What it did to the running figure; null: it belongs to a period that is over. */
  effect: bigint | null;
  /** The request that was charged, or that a refund gives back. */
  requestId: string | null;
  keyId: string | null;
  model: string | null;
  priceVersion: number | null;
  reference: string | null;
  actor: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
  at: Date;
};

/** A key's, or an account's: what was paid into its purse, and the charges of all keys below it. */
export type JournalOf = { kind: "key" | "account"; id: string };

/** `running` is what the purse has, or what its limit has used of this period; null: it has no counter of its own. */
export type JournalPage = {
  unit: Unit;
  running: bigint | null;
  counterKind: CounterKind | null;
  entries: JournalEntry[];
};

/** The newest entries that sort before `before`, with the counter at the same instant. */
export type ReadJournal = (of: JournalOf, page: { before: string; limit: number }) => Promise<JournalPage>;

/** An entry as operators read it. */
export type JournalLine = {
  /** When the request began, or when money was booked; the list is in this order. */
  atMs: number;
  /** When the request was charged. */
  settledAtMs: number | null;
  kind: string;
  /** What it paid in or gave back, and below zero what it took, in each unit; null where nothing counts in it. */
  credits: bigint | null;
  tokens: bigint | null;
  /** Purse: what it had afterwards. Limit: what of the period was used afterwards; null for earlier periods. */
  running: bigint | null;
  requestId: string | null;
  keyId: string | null;
  model: string | null;
  priceVersion: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  reference: string | null;
  actor: string | null;
};

export type Journal = Page<JournalLine> & {
  unit: Unit;
  counterKind: CounterKind | null;
  /** On the last page of a purse: what stood before the oldest entry. It is 0 unless entries are missing from the list. */
  opening: bigint | null;
};

export type ShowJournal = (of: JournalOf, page: PageRequest) => Promise<Journal>;

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** The entry before which the page begins, and the running figure there. */
const newestFirst = ({ kind, id }: JournalOf): Keyset => ({
  list: kind === "key" ? `journal of ${id}` : `journal of account ${id}`,
  values: [UUID, /^(-?\d{1,20}|none)$/],
});

/**
 * The journal of a key or an account, newest first. The running figure is computed from the counter backwards, so it is right on the first
 * page and carried from page to page in the cursor.
 */
export const createShowJournal =
  ({ readJournal }: { readJournal: ReadJournal }): ShowJournal =>
  async (of, { limit, after }) => {
    const order = newestFirst(of);
    const [before = LAST_ID, carried] = readCursor(order, after) ?? [];
    const page = await readJournal(of, { before, limit: limit + 1 });
    let running = carried === undefined ? page.running : carried === "none" ? null : BigInt(carried);

    const shown = page.entries.slice(0, limit);
    const data: JournalLine[] = [];
    for (const entry of shown) {
      if (entry.effect === null) running = null;
      data.push(lineOf(entry, running));
      if (running !== null) running -= entry.effect ?? 0n;
    }
    const last = shown.at(-1);
    const isEnd = last === undefined || page.entries.length <= limit;
    return {
      unit: page.unit,
      counterKind: page.counterKind,
      data,
      next: isEnd ? null : cursorOf(order.list, [last.sort, String(running ?? "none")]),
      opening: page.counterKind === "purse" && isEnd ? running : null,
    };
  };

function lineOf(entry: JournalEntry, running: bigint | null): JournalLine {
  const { source, kind, amount, amountUnit, requestId } = entry;
  const charge = source === "charge";
  const signed = (value: bigint | null): bigint | null => (charge && value !== null ? -value : value);
  return {
    atMs: charge ? beginningOf(entry.sort) : entry.at.getTime(),
    settledAtMs: charge ? entry.at.getTime() : null,
    kind,
    credits: amountUnit === "credit" ? amount : signed(entry.credits),
    tokens: amountUnit === "tokens" ? amount : signed(entry.tokens),
    running,
    requestId: requestId === null ? null : requestIdOf(requestId),
    keyId: entry.keyId,
    model: entry.model,
    priceVersion: entry.priceVersion,
    inputTokens: entry.inputTokens,
    outputTokens: entry.outputTokens,
    reference: entry.reference,
    actor: entry.actor,
  };
}

/** The id of a request begins with the time at which it was made. */
const beginningOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
