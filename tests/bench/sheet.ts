import { type Spread, spreadOf } from "./spread.ts";
import { BARE, BEFORE, TOLLGATE } from "./subject.ts";

/** What one slice showed of one subject. Slices of the same round ran one after the other and are compared. */
export type Measured = {
  subject: string;
  round: number;
  values: Record<string, number | null>;
  /** Why the slice does not count, or null. */
  invalid: string | null;
};

export type Column = {
  id: string;
  title: string;
  unit: string;
  better: "higher" | "lower";
  /** Whether the values of two subjects are divided by each other. */
  compared: "yes" | "no";
};

export type Cell = {
  column: string;
  /** Between slices. */
  value: Spread | null;
  /** Over all slices that count as if they were one; null where that is the median. */
  whole: number | null;
  /** How good it is as a share of the sheet's base, and of Tollgate's other version; above 1 is better in every column. */
  ofBase: Spread | null;
  ofBefore: Spread | null;
};

export type Row = { subject: string; cells: Cell[]; valid: number; total: number; firstInvalid: string | null };

/** All subjects side by side in one kind of slice. */
export type Sheet = {
  id: string;
  title: string;
  /** The subject that the others are shares of. */
  base: string;
  columns: Column[];
  rows: Row[];
  slices: readonly Measured[];
};

export type SheetInput = Pick<Sheet, "id" | "title" | "columns" | "slices"> & {
  /** The bare proxy unless told. */
  base?: string;
  /** What a subject showed over all its slices that count as if they were one, by column. */
  wholeOf?: (subject: string) => Record<string, number | null>;
};

/**
 * Medians and quartiles over the slices that count. Where none of a subject's slices counts, all are shown and the row says
 * INVALID, so that a figure is never missing and never better than it is.
 */
export function sheetOf({ slices, columns, base = BARE, wholeOf, ...head }: SheetInput): Sheet {
  const subjects = [...new Set(slices.map(({ subject }) => subject))];
  const rows = subjects.map((subject): Row => {
    const all = slices.filter((slice) => slice.subject === subject);
    const invalid = all.filter((slice) => slice.invalid !== null);
    const whole = wholeOf?.(subject) ?? {};
    return {
      subject,
      cells: columns.map((column) => ({
        ...cellOf({ slices, subject, column, base }),
        whole: whole[column.id] ?? null,
      })),
      valid: all.length - invalid.length,
      total: all.length,
      firstInvalid: invalid[0]?.invalid ?? null,
    };
  });
  return { ...head, base, columns, slices, rows };
}

export const cellIn = (sheet: Sheet, subject: string, column: string): Cell | undefined =>
  sheet.rows.find((row) => row.subject === subject)?.cells.find((cell) => cell.column === column);

/** The figure of a cell: over all slices where there is such a one, else the median. */
export const figureOf = ({ whole, value }: Cell): number | null => whole ?? value?.median ?? null;

type Place = { slices: readonly Measured[]; subject: string; column: Column; base: string };

function cellOf({ slices, subject, column, base }: Place): Omit<Cell, "whole"> {
  const own = counting(slices, subject);
  const against = (rival: string): Spread | null =>
    column.compared === "no" || rival === subject ? null : spreadOf(ratios(own, counting(slices, rival), column));
  return {
    column: column.id,
    value: spreadOf(own.flatMap(({ values }) => valueIn(values, column.id))),
    ofBase: against(base),
    ofBefore: subject === TOLLGATE ? against(BEFORE) : null,
  };
}

function counting(slices: readonly Measured[], subject: string): readonly Measured[] {
  const all = slices.filter((slice) => slice.subject === subject);
  const valid = all.filter((slice) => slice.invalid === null);
  return valid.length > 0 ? valid : all;
}

/** Round by round, so that what slowed the machine for a while slowed both. */
function ratios(own: readonly Measured[], rivals: readonly Measured[], column: Column): number[] {
  return own.flatMap(({ round, values }) => {
    const rival = rivals.find((slice) => slice.round === round);
    const [mine] = valueIn(values, column.id);
    const [theirs] = rival === undefined ? [] : valueIn(rival.values, column.id);
    if (mine === undefined || theirs === undefined || mine <= 0 || theirs <= 0) return [];
    return [column.better === "higher" ? mine / theirs : theirs / mine];
  });
}

function valueIn(values: Measured["values"], column: string): number[] {
  const value = values[column];
  return value === undefined || value === null ? [] : [value];
}
