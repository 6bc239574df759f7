import type { ReactNode } from "react";

/** What a list shows of its rows in one column. */
export type Column<Row> = {
  id: string;
  head: string;
  /** In pixels; columns without one share the rest. */
  width?: number;
  align?: "left" | "right";
  cell: (row: Row) => ReactNode;
  /** What is sorted by; without it the column does not sort. */
  sort?: (row: Row) => bigint | number | string | null;
  /** As it stands in a file. */
  plain: (row: Row) => string;
  /** Not shown until it is chosen. */
  hidden?: boolean;
};

/** Nothing is last, whatever the direction. */
export function compareValues(one: unknown, other: unknown): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? -1 : 1;
  if (typeof one === "string" && typeof other === "string")
    return one.localeCompare(other, "en", { numeric: true, sensitivity: "base" });
  return (one as number) < (other as number) ? -1 : (one as number) > (other as number) ? 1 : 0;
}
