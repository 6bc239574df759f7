import type { JournalRow, JournalRows } from "./journal-row.ts";

/** A charge as the journal has it: `inputTokens` and `outputTokens` are all of them, and the others shares of these. */
type ServedUsage = Omit<JournalRow, "holdId" | "counts"> & {
  requestId: string;
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  parts: Readonly<Record<string, number>>;
  toolCalls: Readonly<Record<string, number>>;
};

type ListUsage = (asked: {
  day: string;
  limit: number;
  after: string | null;
}) => Promise<{ data: readonly ServedUsage[]; next: string | null }>;

const PAGE_ROWS = 1_000;

/** The charges of a day, page by page as they are compared. */
export async function* journalOf(day: string, list: ListUsage): JournalRows {
  for (let after: string | null = null; ;) {
    const page = await list({ day, limit: PAGE_ROWS, after });
    for (const charge of page.data) yield rowOf(charge);
    if (page.next === null) return;
    after = page.next;
  }
}

const rowOf = (charge: ServedUsage): JournalRow => ({
  admittedAtMs: charge.admittedAtMs,
  atMs: charge.atMs,
  holdId: charge.requestId,
  credential: charge.credential,
  provider: charge.provider,
  upstreamModel: charge.upstreamModel,
  tier: charge.tier,
  region: charge.region,
  kind: charge.kind,
  estimated: charge.estimated,
  counts: countsOf(charge),
});

/** What the shares of the journal are shares of. */
const WHOLES: readonly (readonly [prefix: string, whole: string])[] = [
  ["cache_read_", "cache_read"],
  ["input_", "input"],
  ["output_", "output"],
];

type Counted = Omit<ServedUsage, Exclude<keyof JournalRow, "holdId" | "counts"> | "requestId">;

/** Shares taken out of what they are shares of, so that no token counts twice. */
export function countsOf(charge: Counted): Record<string, number> {
  const writes1h = Math.min(charge.cacheWrite1hTokens, charge.cacheWriteTokens);
  const reasoning = Math.min(charge.reasoningTokens, charge.outputTokens);
  const counts: Record<string, number> = {
    input: charge.inputTokens - charge.cacheReadTokens - charge.cacheWriteTokens,
    cache_read: charge.cacheReadTokens,
    cache_write_5m: charge.cacheWriteTokens - writes1h,
    cache_write_1h: writes1h,
    output: charge.outputTokens - reasoning,
    output_reasoning: reasoning,
  };
  for (const [part, count] of Object.entries(charge.parts)) {
    const [, whole = "input"] = WHOLES.find(([prefix]) => part.startsWith(prefix)) ?? [];
    counts[whole] = (counts[whole] ?? 0) - count;
    counts[part] = (counts[part] ?? 0) + count;
  }
  for (const [name, calls] of Object.entries(charge.toolCalls)) counts[`tools.${name}`] = calls;
  return Object.fromEntries(Object.entries(counts).flatMap(([part, count]) => (count > 0 ? [[part, count]] : [])));
}
