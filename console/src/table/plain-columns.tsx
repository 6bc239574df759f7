import { groupDigits } from "../format/money.ts";
import { Moment } from "../parts/amount.tsx";
import type { Column } from "./column.ts";

type More<Row> = Partial<Column<Row>>;

/** Texts: sorted by and written to a file as they are. */
export const textColumn = <Row,>(
  id: string,
  head: string,
  of: (row: Row) => string | null,
  more: More<Row> = {},
): Column<Row> => ({
  id,
  head,
  cell: (row) => of(row) ?? <span className="text-ink-3">none</span>,
  sort: of,
  plain: (row) => of(row) ?? "",
  ...more,
});

/** Whole numbers. */
export const countColumn = <Row,>(
  id: string,
  head: string,
  of: (row: Row) => number | null,
  more: More<Row> = {},
): Column<Row> => ({
  id,
  head,
  align: "right",
  cell: (row) => {
    const count = of(row);
    return count === null ? <span className="text-ink-3">none</span> : groupDigits(count);
  },
  sort: of,
  plain: (row) => String(of(row) ?? ""),
  ...more,
});

/** Moments in ISO 8601; with `nowMs`, how long ago they were. */
export const momentColumn = <Row,>(
  id: string,
  head: string,
  of: (row: Row) => string | null,
  { nowMs, never = "never", ...more }: More<Row> & { nowMs?: number; never?: string } = {},
): Column<Row> => ({
  id,
  head,
  cell: (row) => {
    const at = of(row);
    if (at === null) return <span className="text-ink-3">{never}</span>;
    return <Moment atMs={Date.parse(at)} {...(nowMs !== undefined && { nowMs })} />;
  },
  sort: of,
  plain: (row) => of(row) ?? "",
  ...more,
});
