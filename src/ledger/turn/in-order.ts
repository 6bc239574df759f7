import { invariant } from "../../core/invariant.ts";

type Answering<Row, Item, Answer> = {
  /** How many the row at place 0 speaks for. */
  rest: (row: Row) => bigint | null;
  each: (row: Row) => Answer;
  common: (item: Item) => Answer;
};

/**
 * Answers by place; those without a row of their own have the common one. One too few would be a request nobody decided, so it
 * is never taken for an answer.
 */
export function inOrder<Row extends { place: number }, Item, Answer>(
  rows: readonly Row[],
  items: readonly Item[],
  { rest, each, common }: Answering<Row, Item, Answer>,
): Answer[] {
  const own = new Map<number, Row>();
  let shared = 0;
  for (const row of rows) {
    if (row.place === 0) shared += Number(rest(row));
    else own.set(row.place, row);
  }
  invariant(own.size + shared === items.length, "the ledger answers every request once");
  return items.map((item, index) => {
    const row = own.get(index + 1);
    return row ? each(row) : common(item);
  });
}
