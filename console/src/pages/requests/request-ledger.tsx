import type { ReactNode } from "react";
import type { RequestDetail } from "../../api/generated/admin.ts";
import { utcMoment } from "../../format/time.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { ENTRY_WORDS } from "./words.ts";

type Money = NonNullable<RequestDetail["money"]>;
type Entry = Money["entries"][number] & { place: number };

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
  of: (entry: Entry) => string | null,
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
  word("kind", "What", ({ kind }) => ENTRY_WORDS[kind], { width: 152 }),
  word("credits", "Credits", ({ credits }) => credits, { width: 116, align: "right" }),
  word("tokens", "Tokens", ({ tokens }) => tokens, { width: 128, align: "right" }),
  word("reference", "Reference", ({ reference }) => reference),
  word("actor", "Actor", ({ actor }) => actor, { width: 160 }),
];

type Part = "credits" | "tokens" | "reference" | "actor";
const OFTEN_EMPTY: readonly string[] = ["credits", "tokens", "reference", "actor"] satisfies Part[];

/** What the ledger has about the request, oldest first. Below zero: reserved or charged. */
export const RequestLedger = ({ money }: { money: Money }): ReactNode => (
  <DataTable
    label="Ledger rows"
    columns={COLUMNS.filter(
      ({ id }) => !OFTEN_EMPTY.includes(id) || money.entries.some((entry) => entry[id as Part] !== null),
    )}
    rows={money.entries.map((entry, place) => ({ ...entry, place }))}
    rowKey={({ place }) => String(place)}
  />
);
