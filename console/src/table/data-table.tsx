import type { ReactNode } from "react";
import { saveFile, writeCsv } from "../format/csv.ts";
import { groupDigits } from "../format/money.ts";
import { IconButton } from "../parts/button.tsx";
import { READY, type Shown, Stateful } from "../parts/state.tsx";
import type { Column } from "./column.ts";
import { ColumnChoice } from "./column-choice.tsx";
import { TableBody } from "./table-body.tsx";
import { TableHead } from "./table-head.tsx";
import { useDataTable } from "./use-data-table.ts";

type Props<Row> = {
  /** What is listed, for the caption and the name of the file. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  onOpen?: ((row: Row) => void) | undefined;
  shown?: Shown;
  /** Between the caption and the buttons: filters, an action. */
  tools?: ReactNode;
  height?: number;
};

/** A list: sorted by any column, as wide as one likes, saved as a file, walked with the arrows. Only what is in sight is drawn. */
export function DataTable<Row extends object>(props: Props<Row>): ReactNode {
  const { label, columns, rows, rowKey, onOpen, shown = READY, tools, height = 420 } = props;
  const table = useDataTable({ columns, rows, rowKey });
  const sorted = table.getRowModel().rows;
  const visible = columns.filter(({ id }) => table.getColumn(id)?.getIsVisible());
  const hasData = !["loading", "empty", "error"].includes(shown.kind);
  const save = (): void =>
    saveFile(
      `${label.toLowerCase().replaceAll(" ", "-")}.csv`,
      writeCsv(
        visible.map(({ head }) => head),
        sorted.map(({ original }) => visible.map(({ plain }) => plain(original))),
      ),
    );
  return (
    <section aria-label={label} className="min-w-0 rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-center gap-2 py-1.5 pr-2 pl-4">
        <h2 className="text-title font-semibold">{label}</h2>
        {hasData && <span className="text-small text-ink-3">{groupDigits(rows.length)}</span>}
        <div className="ml-auto flex flex-wrap items-center justify-end gap-1">
          {tools}
          <ColumnChoice
            columns={columns}
            isVisible={(id) => table.getColumn(id)?.getIsVisible() ?? true}
            onToggle={(id) => table.getColumn(id)?.toggleVisibility()}
          />
          <IconButton label="Download as CSV" icon="download" disabled={!hasData} onClick={save} />
        </div>
      </header>
      <div className={hasData ? "" : "px-4 pb-4"}>
        <Stateful shown={shown} height={160}>
          <TableBody label={label} columns={visible} rows={sorted} height={height} onOpen={onOpen}>
            <TableHead
              columns={visible}
              sortedBy={(id) => table.getColumn(id)?.getIsSorted() ?? false}
              onSort={(id) => table.getColumn(id)?.toggleSorting()}
            />
          </TableBody>
        </Stateful>
      </div>
    </section>
  );
}
