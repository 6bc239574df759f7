import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { PastVerification } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { DURATION } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { verificationsQuery } from "../ledger/verifications-query.ts";
import { verdictOf } from "../ledger/verify-badge.tsx";
import { microseconds } from "./system-figures.tsx";

/** The last times that balances were compared with the journal, of all keys or of one. */
export function VerificationsTable(): ReactNode {
  const found = useQuery(verificationsQuery);
  const rows = found.data?.recent ?? [];
  return (
    <DataTable
      label="Verifications"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ id }) => id}
      height={320}
      shown={shownOf(found, rows.length === 0 ? NEVER : null)}
    />
  );
}

const NEVER = {
  title: "The ledger was not verified yet",
  hint: "“Verify the ledger” above does it now. Run the command from cron and alert on a non-zero exit:",
  command: "tollgate ledger verify",
};

const amount = (id: keyof PastVerification & string, head: string): Column<PastVerification> => ({
  id,
  head,
  width: 104,
  align: "right",
  cell: (row) => groupDigits(Number(row[id])),
  sort: (row) => Number(row[id]),
  plain: (row) => String(row[id]),
});

const COLUMNS: readonly Column<PastVerification>[] = [
  {
    id: "at",
    head: "At",
    width: 180,
    cell: ({ started_at: at }) => <Moment atMs={Date.parse(at)} />,
    sort: ({ started_at: at }) => at,
    plain: ({ started_at: at }) => at,
  },
  {
    id: "result",
    head: "Result",
    width: 272,
    cell: (row) => <Badge tone={row.ok ? "good" : "bad"}>{verdictOf(row)}</Badge>,
    sort: ({ mismatches }) => mismatches,
    plain: verdictOf,
  },
  {
    id: "of",
    head: "Of",
    cell: ({ key_id: key }) =>
      key === null ? (
        "the whole ledger"
      ) : (
        <Link to="/keys/$key" params={{ key }} className="text-accent hover:underline">
          key {key}
        </Link>
      ),
    sort: ({ key_id: key }) => key,
    plain: ({ key_id: key }) => key ?? "the whole ledger",
  },
  amount("charges", "Charges"),
  { ...amount("counters", "Purses, limits"), width: 128 },
  { ...amount("recomputed", "Amounts"), hidden: true },
  { ...amount("quarantined", "Quarantined"), hidden: true },
  {
    id: "took",
    head: "Took",
    width: 96,
    align: "right",
    cell: ({ took_ms: ms }) => DURATION.show(microseconds(ms)),
    sort: ({ took_ms: ms }) => ms,
    plain: ({ took_ms: ms }) => String(ms),
  },
  {
    id: "actor",
    head: "By",
    cell: ({ actor }) => <span title={actor}>{actor}</span>,
    sort: ({ actor }) => actor,
    plain: ({ actor }) => actor,
  },
];
