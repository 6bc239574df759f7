import {
  columnVisibilityFeature,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useMemo } from "react";
import { type Column, compareValues } from "./column.ts";

const features = tableFeatures({
  columnVisibilityFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: {},
});

type Given<Row> = { columns: readonly Column<Row>[]; rows: readonly Row[]; rowKey: (row: Row) => string };

/** Sorting and the choice of columns, kept by TanStack Table. */
export function useDataTable<Row extends object>({ columns, rows, rowKey }: Given<Row>) {
  const defined = useMemo(
    () =>
      columns.map(({ id, head, sort }) => ({
        id,
        header: head,
        accessorFn: (row: Row) => sort?.(row) ?? null,
        enableSorting: sort !== undefined,
        sortDescFirst: false,
        sortFn: (one: { getValue: (id: string) => unknown }, other: { getValue: (id: string) => unknown }) =>
          compareValues(one.getValue(id), other.getValue(id)),
      })),
    [columns],
  );
  const data = useMemo(() => [...rows], [rows]);
  const columnVisibility = Object.fromEntries(columns.map(({ id, hidden }) => [id, hidden !== true]));
  return useTable({ features, columns: defined, data, getRowId: rowKey, initialState: { columnVisibility } });
}
