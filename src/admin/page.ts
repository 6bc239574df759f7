import { Fault } from "../core/fault.ts";

type Cut<Row> = { nameOf: (row: Row) => string; limit: number; after: string | undefined };

/**
 * One page of a list; `next` is what to go on after, null at the end. The order is the database's own, which comparing names
 * here would not meet, so what to go on after must be in the list.
 */
export function pageOf<Row>(
  rows: readonly Row[],
  { nameOf, limit, after }: Cut<Row>,
): { data: Row[]; next: string | null } {
  const found = after === undefined ? -1 : rows.findIndex((row) => nameOf(row) === after);
  if (found === -1 && after !== undefined) {
    throw new Fault("invalid_request", "after: Input should be one of the list; begin again without it", {
      param: "after",
    });
  }
  const data = rows.slice(found + 1, found + 1 + limit);
  const last = data.at(-1);
  const isEnd = last === undefined || found + 1 + data.length === rows.length;
  return { data, next: isEnd ? null : nameOf(last) };
}
