import { cursorOf, type Keyset, type Page, type PageRequest, readCursor, UUID } from "../../core/page.ts";
import { requestIdOf } from "../../core/ids.ts";

/** A charge, as far as a provider's bill can speak of it. Null: charges of before were not told. */
export type ServedCharge = {
  requestId: string;
  admittedAtMs: number;
  atMs: number;
  provider: string;
  upstreamModel: string | null;
  credential: string | null;
  tier: string;
  region: string;
  /** How it ended. */
  kind: string;
  /** The counts are ours and not the provider's. */
  estimated: boolean;
  /** All input, and shares of it. */
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  /** All output, and a share of it. */
  outputTokens: number;
  reasoningTokens: number;
  /** More shares, by the word of their price. */
  parts: Readonly<Record<string, number>>;
  toolCalls: Readonly<Record<string, number>>;
};

export type ServedRow = Omit<ServedCharge, "requestId" | "admittedAtMs" | "atMs"> & {
  holdId: string;
  admittedAt: Date;
  at: Date;
};

/** Charges whose request was running between two moments, in the order of their ids. */
export type ReadServed = (span: { from: Date; to: Date; after: string | null; limit: number }) => Promise<ServedRow[]>;

/** `day` is UTC, such as 2026-11-16. */
export type ListServed = (asked: { day: string } & PageRequest) => Promise<Page<ServedCharge>>;

/** Requests so near its edge may be of this day for the provider. */
const GRACE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The charges of a day, and those that touch it within a minute. */
export const createListServed =
  ({ readServed }: { readServed: ReadServed }): ListServed =>
  async ({ day, limit, after }) => {
    const dayMs = Date.parse(`${day}T00:00:00Z`);
    const order: Keyset = { list: `charges of ${day}`, values: [UUID] };
    const [last = null] = readCursor(order, after) ?? [];
    const [from, to] = [new Date(dayMs - GRACE_MS), new Date(dayMs + DAY_MS + GRACE_MS)];
    const rows = await readServed({ from, to, after: last, limit: limit + 1 });
    const shown = rows.slice(0, limit);
    const end = shown.at(-1);
    return {
      data: shown.map(chargeOf),
      next: end === undefined || rows.length <= limit ? null : cursorOf(order.list, [end.holdId]),
    };
  };

const chargeOf = ({ holdId, admittedAt, at, ...row }: ServedRow): ServedCharge => ({
  ...row,
  requestId: requestIdOf(holdId),
  admittedAtMs: admittedAt.getTime(),
  atMs: at.getTime(),
});
