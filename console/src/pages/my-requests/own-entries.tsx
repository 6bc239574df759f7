import type { ReactNode } from "react";
import type { HolderRequestDetail } from "../../api/generated/holder.ts";
import { showMoment, utcMoment } from "../../format/time.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { ENTRY_WORDS } from "../requests/words.ts";

type Entry = HolderRequestDetail["entries"][number] & { place: number };

const NONE = <span className="text-ink-3">–</span>;

const amount = (id: "credits" | "tokens", head: string): Column<Entry> => ({
  id,
  head,
  width: 144,
  align: "right",
  cell: (entry) => entry[id] ?? NONE,
  plain: (entry) => entry[id] ?? "",
});

const COLUMNS: readonly Column<Entry>[] = [
  {
    id: "at",
    head: "At",
    width: 200,
    cell: ({ at }) => <span title={utcMoment(Date.parse(at))}>{showMoment(Date.parse(at))}</span>,
    plain: ({ at }) => at,
  },
  {
    id: "kind",
    head: "What",
    cell: ({ kind }) => (ENTRY_WORDS as Readonly<Record<string, string>>)[kind] ?? kind,
    plain: ({ kind }) => kind,
  },
];

/** What the ledger has about the request, oldest first. Below zero: reserved or charged. */
export const OwnEntries = ({ entries }: { entries: HolderRequestDetail["entries"] }): ReactNode => (
  <DataTable
    label="Ledger rows"
    columns={[
      ...COLUMNS,
      ...(entries.some(({ credits }) => credits !== null) ? [amount("credits", "Credits")] : []),
      ...(entries.some(({ tokens }) => tokens !== null) ? [amount("tokens", "Tokens")] : []),
    ]}
    rows={entries.map((entry, place) => ({ ...entry, place }))}
    rowKey={({ place }) => String(place)}
  />
);
