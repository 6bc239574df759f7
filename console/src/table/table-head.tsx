import type { ReactNode } from "react";
import type { Column } from "./column.ts";

type Props<Row> = {
  columns: readonly Column<Row>[];
  sortedBy: (id: string) => "asc" | "desc" | false;
  onSort: (id: string) => void;
};

const DIRECTIONS = { asc: "ascending", desc: "descending" } as const;
const ARROWS = { asc: "↑", desc: "↓" } as const;

/** The heads of the columns; pressed, they sort: up, down, not at all. */
export const TableHead = <Row,>({ columns, sortedBy, onSort }: Props<Row>): ReactNode => (
  <thead className="sticky top-0 z-10 bg-surface">
    <tr className="h-(--row) text-small text-ink-2">
      {columns.map(({ id, head, align = "left", sort }) => {
        const sorted = sortedBy(id);
        return (
          <th
            key={id}
            scope="col"
            aria-sort={sorted === false ? undefined : DIRECTIONS[sorted]}
            className={`px-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 ${align === "right" ? "text-right" : "text-left"}`}
          >
            {sort ? (
              <button
                type="button"
                className={`inline-flex h-6 items-center gap-1 rounded-sm hover:text-ink ${align === "right" ? "flex-row-reverse" : ""}`}
                onClick={() => onSort(id)}
              >
                {head}
                {sorted !== false && (
                  <span aria-hidden="true" className="text-accent">
                    {ARROWS[sorted]}
                  </span>
                )}
              </button>
            ) : (
              head
            )}
          </th>
        );
      })}
    </tr>
  </thead>
);
