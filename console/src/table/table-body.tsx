import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import type { Column } from "./column.ts";

const ROW_PX = 32;

type BodyParts<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly { id: string; original: Row }[];
  height: number;
  onOpen: ((row: Row) => void) | undefined;
  children: ReactNode;
};

/** The rows in sight. Tab reaches one of them; the arrows walk, Enter opens. */
export function TableBody<Row>({ label, columns, rows, height, onOpen, children }: BodyParts<Row>): ReactNode {
  const scroller = useRef<HTMLDivElement>(null);
  const [home, setHome] = useState(0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const walk = (event: KeyboardEvent, index: number, row: Row): void => {
    const moves: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: index + 12,
      PageUp: index - 12,
    };
    const next = moves[event.key];
    if (next !== undefined) {
      const to = Math.max(0, Math.min(rows.length - 1, next));
      setHome(to);
      virtual.scrollToIndex(to);
      requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${to}"]`)?.focus());
    } else if (event.key === "Enter" && onOpen) onOpen(row);
    else return;
    event.preventDefault();
  };
  return (
    <div ref={scroller} className="relative overflow-auto" style={{ maxHeight: height }}>
      <table
        className="w-full table-fixed"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        style={{ minWidth: widthOf(columns) }}
      >
        <colgroup>
          {columns.map(({ id, width }) => (
            <col key={id} style={width === undefined ? {} : { width }} />
          ))}
        </colgroup>
        {children}
        <tbody>
          {above > 0 && (
            <tr style={{ height: above }} aria-hidden="true">
              <td colSpan={columns.length} aria-label="not drawn" />
            </tr>
          )}
          {items.map(({ index }) => {
            const row = rows[index];
            return (
              row && (
                <TableRow
                  key={row.id}
                  columns={columns}
                  row={row.original}
                  index={index}
                  isHome={index === home}
                  onOpen={onOpen}
                  onKeyDown={(event) => walk(event, index, row.original)}
                />
              )
            );
          })}
          {below > 0 && (
            <tr style={{ height: below }} aria-hidden="true">
              <td colSpan={columns.length} aria-label="not drawn" />
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

type RowParts<Row> = {
  columns: readonly Column<Row>[];
  row: Row;
  index: number;
  isHome: boolean;
  onOpen: ((row: Row) => void) | undefined;
  onKeyDown: (event: KeyboardEvent) => void;
};

const TableRow = <Of,>({ columns, row, index, isHome, onOpen, onKeyDown }: RowParts<Of>): ReactNode => (
  <tr
    data-row={index}
    aria-rowindex={index + 2}
    tabIndex={isHome ? 0 : -1}
    onKeyDown={onKeyDown}
    onClick={onOpen && (() => onOpen(row))}
    className={`h-(--row) border-t border-line/70 -outline-offset-2 hover:bg-sunken/60 ${onOpen ? "cursor-pointer" : ""}`}
  >
    {columns.map(({ id, align = "left", cell }) => (
      <td key={id} className={`truncate px-2 first:pl-4 last:pr-4 ${align === "right" ? "text-right" : ""}`}>
        {cell(row)}
      </td>
    ))}
  </tr>
);

const FLEXIBLE_PX = 140;

const widthOf = <Row,>(columns: readonly Column<Row>[]): number =>
  columns.reduce((sum, { width = FLEXIBLE_PX }) => sum + width, 0);
