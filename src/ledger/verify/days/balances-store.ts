import type { Queryable } from "../../../db/database.ts";
import type { ChainSum } from "../verify-fold.ts";
import { CHARGES, createVerifyStore } from "../verify-store.ts";
import type { Chunk, Cursor, VerifyStore, View } from "../verify.ts";
import { type DayRange, idsOf, type VerifiedDay } from "./verified-day.ts";

const CHAINS_AT_ONCE = 500;
const ROWS_AT_ONCE = 20_000;
const NEVER = "-infinity";
/** Requests that were barred before they were admitted have chain 0. */
const FIRST_CHAIN = -1;

const DAY_CHARGES = CHARGES("c.hold_id >= $1::uuid and c.hold_id < $2::uuid and c.at >= $5::timestamptz");

const KEPT = `select s.*, 1 as seen, 0::bigint as "refundedCredits", 0::bigint as "refundedTokens" from verify_sums_v1($1, $2, $3::timestamptz[]) s`;

/** Values: from, before, since, limit. How many are later than what was kept of their day, counted up to a limit. */
const LATER = "select verify_later_v1($1, $2, $3, $4) as rows";

/** Values: from, before, how many less one. */
const END =
  "select c.hold_id as id from charge c where c.hold_id >= $1::uuid and c.hold_id < $2::uuid order by c.hold_id offset $3::int limit 1";

/**
 * The books as `verify` reads them, without the charges of verified days: what these come to was kept, and only what came later is read. Where
 * it goes on is the chain after which kept sums are read, and then a day and an id of it.
 */
export function createBalancesStore(
  queryable: Queryable,
  days: readonly VerifiedDay[],
  /** Told of days that have grown since they were verified. */
  onGrown: (day: VerifiedDay) => void = () => undefined,
): VerifyStore {
  const store = createVerifyStore(queryable);

  async function kept(after: number, view: View): Promise<Chunk<ChainSum>> {
    const rows = await queryable.query<ChainSum>(KEPT, [after, CHAINS_AT_ONCE, view.boundaries]);
    const last = rows.reduce((most, { chain }) => Math.max(most, chain), after);
    const next: Cursor = rows.length === 0 ? ["day", 0, ""] : ["kept", last];
    return { rows, seen: seenIn(rows), next };
  }

  async function later(place: number, from: string, view: View): Promise<Chunk<ChainSum>> {
    const day = days[place];
    if (day === undefined) return { rows: [], seen: 0, next: null };
    const range = from === "" ? idsOf(day.number) : { ...idsOf(day.number), from };
    const since = day.digest === null ? NEVER : new Date(day.untilMs);
    const over: Cursor = ["day", place + 1, ""];
    if (from === "") {
      const values = [range.from, range.before, since, ROWS_AT_ONCE + 1];
      const [found] = await queryable.query<{ rows: number }>(LATER, values);
      if (found === undefined || found.rows === 0) return { rows: [], seen: 0, next: over };
      onGrown(day);
      if (found.rows <= ROWS_AT_ONCE) {
        const rows = await charges(range, since, view);
        return { rows, seen: seenIn(rows), next: over };
      }
    }
    const [end] = await queryable.query<{ id: string }>(END, [range.from, range.before, ROWS_AT_ONCE]);
    const rows = await charges(end === undefined ? range : { ...range, before: end.id }, since, view);
    return { rows, seen: seenIn(rows), next: end === undefined ? over : ["day", place, end.id] };
  }

  const charges = ({ from, before }: DayRange, since: Date | string, view: View): Promise<ChainSum[]> =>
    queryable.query<ChainSum>(DAY_CHARGES, [from, before, view.snapshots, view.boundaries, since]);

  return {
    ...store,
    charges: (after, view) => {
      const [of, place = 0, from = ""] = after ?? ["kept", FIRST_CHAIN];
      return of === "kept" ? kept(Number(place), view) : later(Number(place), String(from), view);
    },
    // Both are looked at day by day.
    recompute: () => Promise.resolve({ rows: [], seen: 0, next: null }),
    rollups: () => Promise.resolve({ rows: [], seen: 0, next: null }),
  };
}

const seenIn = (rows: readonly ChainSum[]): number => rows.reduce((sum, { charges }) => sum + Number(charges), 0);
