import { fieldFault } from "./fault.ts";
import { inputShouldBe } from "./request/parsed-texts.ts";

/** How much of a list is asked for: at most `limit` rows, after those of the page whose `next` is `after`. */
export type PageRequest = { limit: number; after: string | null };

/** The same of the rows that contain this text; without one, of all. */
export type SearchRequest = PageRequest & { search?: string | null };

/** One page of a list. `next` is where the following page begins; null at the end. */
export type Page<Row> = { data: readonly Row[]; next: string | null };

/**
 * Which list, and the shape of what a row is sorted by. A page begins after a row that is named by its own values, so rows that
 * come and go meanwhile are neither repeated nor skipped.
 */
export type Keyset = { list: string; values: readonly RegExp[] };

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The values after which the page begins; null for the first. Whoever asks must not be able to name anything else. */
export function readCursor({ list, values }: Keyset, after: string | null): readonly string[] | null {
  if (after === null) return null;
  const [named, ...found] = partsOf(after);
  const isOurs = named === list && found.length === values.length;
  if (isOurs && values.every((shape, place) => shape.test(found[place] ?? ""))) return found;
  throw fieldFault("after", inputShouldBe("the `next` of an earlier page of this list; omit it to get the first page"));
}

/** A page of rows of which one more was read than is shown, which tells whether there is a page after it. */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit, list, valuesOf }: { limit: number; list: string; valuesOf: (row: Row) => readonly string[] },
): Page<Row> {
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const isEnd = last === undefined || rows.length <= limit;
  return { data, next: isEnd ? null : cursorOf(list, valuesOf(last)) };
}

const LONGEST_PAGE = 1_000;

/** A list read to its end, as one page. What is said beside the rows is what the last page said. */
export async function everyPage<Of extends Page<unknown>>(list: (page: PageRequest) => Promise<Of>): Promise<Of> {
  const rows: unknown[] = [];
  let after: string | null = null;
  for (;;) {
    const page: Of = await list({ limit: LONGEST_PAGE, after });
    rows.push(...page.data);
    if (page.next === null) return { ...page, data: rows };
    after = page.next;
  }
}

export const cursorOf = (list: string, values: readonly string[]): string =>
  Buffer.from(JSON.stringify([list, ...values])).toString("base64url");

function partsOf(cursor: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parts) && parts.every((part) => typeof part === "string") ? parts : [];
  } catch {
    return [];
  }
}
