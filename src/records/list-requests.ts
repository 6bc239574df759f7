import type { Clock } from "../core/clock.ts";
import { cursorOf, type Keyset, readCursor, UUID } from "../core/page.ts";
import type { ListRequests, RequestFilter, RequestRecord } from "../core/request/request-record.ts";

/** Ids from `from` to before `below`. */
export type IdRange = { below: string; from: string };

export type FindStore = {
  /** The lowest id of all; null: there are none. */
  oldest: () => Promise<string | null>;
  /** The id above which a range has so many rows; null: it has no more. */
  floor: (range: IdRange, rows: number) => Promise<string | null>;
  /**
   * Rows of a range that match, newest first. `walk`: along the ids, fast where many match. `index`: by what they have, fast where
   * few do.
   */
  find: (filter: RequestFilter, search: IdRange & { limit: number; how: "walk" | "index" }) => Promise<RequestRecord[]>;
};

const NEWEST_FIRST: Keyset = { list: "requests", values: [UUID] };
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

const DAY_MS = 86_400_000;
/** A page is full within the first days, as a rule. Then only their partitions are opened, and not those of every day. */
const NEAR_DAYS = [1, 7];

/** Rows that are walked along first. Where they have too few that match, an index finds the rest. */
const WALKED_ROWS = 10_000;
/** Each search by the index covers twice the time of the last, up to so many times the time of the walked rows. */
const WIDEST = 16;
/** Where a search has taken this long, its page ends, and the next one goes on. */
const ENOUGH_MS = 150;

type Parts = { store: FindStore; clock: Pick<Clock, "elapsedMs" | "nowMs">; walkedRows?: number; enoughMs?: number };

export const createListRequests =
  ({ store, clock, walkedRows = WALKED_ROWS, enoughMs = ENOUGH_MS }: Parts): ListRequests =>
  async ({ fromMs, toMs, ...filter }, { limit, after }) => {
    const [cursor = LAST_ID] = readCursor(NEWEST_FIRST, after) ?? [];
    const top = least(cursor.toLowerCase(), toMs === undefined ? LAST_ID : idAt(toMs));
    const asked = fromMs === undefined ? FIRST_ID : idAt(fromMs);
    const page = (rows: readonly RequestRecord[], searched: string | null) => {
      const data = rows.slice(0, limit);
      const last = data.at(-1);
      const next = rows.length > limit && last !== undefined ? uuidOf(last.requestId) : searched;
      return { data, next: next === null ? null : cursorOf(NEWEST_FIRST.list, [next]) };
    };
    const newestMs = timeOfId(least(top, idAt(clock.nowMs())));
    const near = (days: number): string => greatest(asked, idAt(newestMs - days * DAY_MS));
    if (!isFiltered(filter)) {
      for (const from of [...NEAR_DAYS.map(near), asked]) {
        const rows = await store.find(filter, { below: top, from, limit: limit + 1, how: "walk" });
        if (rows.length > limit || from === asked) return page(rows, null);
      }
    }

    const startedMs = clock.elapsedMs();
    const floor =
      (await store.floor({ below: top, from: near(1) }, walkedRows)) ??
      (await store.floor({ below: top, from: asked }, walkedRows));
    const rows = await store.find(filter, { below: top, from: floor ?? asked, limit: limit + 1, how: "walk" });
    if (floor === null || rows.length > limit) return page(rows, null);

    const oldest = greatest(asked, (await store.oldest()) ?? asked);
    const walkedMs = Math.max(1, newestMs - timeOfId(floor));
    let [below, spanMs] = [floor, walkedMs];
    while (below > oldest && rows.length <= limit) {
      if (clock.elapsedMs() - startedMs > enoughMs) return page(rows, below);
      spanMs = Math.min(spanMs * 2, walkedMs * WIDEST);
      const from = greatest(oldest, idAt(timeOfId(below) - spanMs));
      rows.push(...(await store.find(filter, { below, from, limit: limit + 1 - rows.length, how: "index" })));
      below = from;
    }
    return page(rows, null);
  };

const isFiltered = (filter: RequestFilter): boolean => Object.values(filter).some((value) => value !== undefined);

/** UUIDs compare as texts do. */
const least = (one: string, other: string): string => (one < other ? one : other);
const greatest = (one: string, other: string): string => (one > other ? one : other);

/** The lowest id of a moment. */
function idAt(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8, 12)}-0000-0000-000000000000`;
}

const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const uuidOf = (requestId: string): string =>
  requestId.slice(4).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
