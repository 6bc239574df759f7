import type { ReactNode } from "react";
import { utcMoment } from "../../format/time.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { ENTRY_WORDS } from "./words.ts";

/** Key holders see neither reference nor actor. */
export type LedgerRow = {
  at: string;
  kind: string;
  credits: string | null;
  tokens: string | null;
  reference?: string | null;
  actor?: string | null;
};
type Entry = LedgerRow & { place: number };

const CLOCK = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

const NONE = <span className="text-ink-3">–</span>;

const word = (
  id: string,
  head: string,
  of: (entry: Entry) => string | null | undefined,
  more: Partial<Column<Entry>> = {},
): Column<Entry> => ({
  id,
  head,
  cell: (entry) => of(entry) ?? NONE,
  plain: (entry) => of(entry) ?? "",
  ...more,
});

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: "at",
    head: "At",
    width: 112,
    cell: ({ at }) => <span title={utcMoment(Date.parse(at))}>{CLOCK.format(Date.parse(at))}</span>,
    plain: ({ at }) => at,
  },
  word("kind", "What", ({ kind }) => (ENTRY_WORDS as Readonly<Record<string, string>>)[kind] ?? kind, { width: 152 }),
  word("credits", "Credits", ({ credits }) => credits, { width: 116, align: "right" }),
  word("tokens", "Tokens", ({ tokens }) => tokens, { width: 128, align: "right" }),
  word("reference", "Reference", ({ reference }) => reference),
  word("actor", "Actor", ({ actor }) => actor, { width: 160 }),
];

const OFTEN_EMPTY: readonly string[] = ["credits", "tokens", "reference", "actor"] satisfies (keyof LedgerRow)[];

/** What the ledger has about the request, oldest first. Below zero: reserved or charged. */
export const RequestLedger = ({ entries }: { entries: readonly LedgerRow[] }): ReactNode => (
  <DataTable
    label="Ledger rows"
    columns={COLUMNS.filter(
      ({ id }) => !OFTEN_EMPTY.includes(id) || entries.some((entry) => (entry[id as keyof LedgerRow] ?? null) !== null),
    )}
    rows={entries.map((entry, place) => ({ ...entry, place }))}
    rowKey={({ place }) => String(place)}
  />
);
