import type { BillVendor } from "../core/bills/name-map.ts";
import type { Decimal } from "../core/money/decimal.ts";

/** A line of a bill in its own names. What is null the bill does not say. */
export type BillLine = {
  /** File and row. */
  place: string;
  /** What was used, from when to before when. */
  fromMs: number;
  toMs: number;
  credential: string | null;
  /** The model as it is billed, of formats that have a field for it. */
  model: string | null;
  /** The whole name of what is billed, of formats that put everything into it. */
  meter: string | null;
  /** Null: its name says it; with an amount alone: of everything. */
  kind: string | null;
  tier: string | null;
  region: string | null;
  quantity: Decimal | null;
  /** How many of what the journal counts one of the quantity is. */
  unit: Decimal | null;
  usd: Decimal | null;
  /** The provider says that this was cut off. */
  cut: boolean;
};

export const NOTHING_SAID: Omit<BillLine, "place" | "fromMs" | "toMs"> = Object.freeze({
  credential: null,
  model: null,
  meter: null,
  kind: null,
  tier: null,
  region: null,
  quantity: null,
  unit: null,
  usd: null,
  cut: false,
});

/** What a reader notices beside lines. */
export type Notes = {
  /** A span of time that the export speaks of, whether or not it has lines of it. */
  covers: (fromMs: number, toMs: number) => void;
  /** Rows that are left out on purpose, by the reason. */
  leftOut: (why: string) => void;
  /** Why the export is not whole. */
  lacks: (why: string) => void;
};

export type JsonRow = Readonly<Record<string, unknown>>;
export type CsvCells = Readonly<Record<string, string>>;

export type BillFormat = {
  id: string;
  vendor: BillVendor;
  title: string;
  /** Of several exports that have the same quantities, or the same money, those of the highest rank are compared; 0: it has none. */
  quantities: number;
  money: number;
  /** What it speaks of, whether or not it has a line of it. */
  kinds: readonly string[];
  /** Its money went through a double, so that its printed places say nothing. */
  doubles: boolean;
  /** It says which requests were cut off. */
  tellsCut: boolean;
  /** Its spans are told even where nothing was used. */
  tellsSpans: boolean;
  /** So many days after a day's end it may still change. */
  youngDays: number;
  /** A column or member whose value no two rows may share; empty: none has such a value. */
  unique: string;
} & (
  | {
      shape: "csv";
      columns: readonly string[];
      row: (cells: CsvCells, place: string, notes: Notes) => BillLine[];
    }
  | {
      shape: "json-lines";
      isRow: (row: JsonRow) => boolean;
      row: (row: JsonRow, place: string, notes: Notes) => BillLine[];
    }
  | {
      shape: "json";
      isDocument: (document: JsonRow) => boolean;
      rows: (document: JsonRow, place: string, notes: Notes) => Iterable<BillLine>;
    }
);
