import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { VerifiedDay } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { DURATION } from "../../format/unit.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { verificationsQuery } from "../ledger/verifications-query.ts";
import { microseconds } from "./system-figures.tsx";

/** The days of charges that gateways verified by themselves, and what differs in them. */
export function VerifiedDaysTable(): ReactNode {
  const found = useQuery(verificationsQuery);
  const rows = found.data?.continuous?.listed ?? [];
  return (
    <DataTable
      label="Verified days"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ day }) => day}
      height={320}
      shown={shownOf(found, rows.length === 0 ? NONE : null)}
    />
  );
}

const NONE = {
  title: "No day of charges was verified by itself yet",
  hint: "Gateways do it while they serve, unless `verification.enabled` is off. The whole ledger at once:",
  command: "tollgate ledger verify",
};

const verdictOf = ({ mismatches, digest }: VerifiedDay): string =>
  mismatches > 0 ? `${groupDigits(mismatches)} differ` : digest === null ? "not yet" : "consistent";

const COLUMNS: readonly Column<VerifiedDay>[] = [
  {
    id: "day",
    head: "Charges of",
    width: 120,
    cell: ({ day }) => day,
    sort: ({ day }) => day,
    plain: ({ day }) => day,
  },
  {
    id: "result",
    head: "Result",
    width: 128,
    cell: (row) => (
      <Badge tone={row.mismatches > 0 ? "bad" : row.digest === null ? "warn" : "good"}>{verdictOf(row)}</Badge>
    ),
    sort: ({ mismatches }) => mismatches,
    plain: verdictOf,
  },
  {
    id: "charges",
    head: "Final",
    width: 104,
    align: "right",
    cell: ({ charges }) => groupDigits(charges),
    sort: ({ charges }) => charges,
    plain: ({ charges }) => String(charges),
  },
  {
    id: "looked",
    head: "Looked at",
    width: 180,
    cell: ({ looked_at: at }) => (at === null ? "–" : <Moment atMs={Date.parse(at)} />),
    sort: ({ looked_at: at }) => at,
    plain: ({ looked_at: at }) => at ?? "",
  },
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
    id: "found",
    head: "Differs",
    cell: ({ found }) => found.map(({ column, expected, found: is }) => `${column}: ${is}, not ${expected}`).join("; "),
    plain: ({ found }) => found.map(({ column }) => column).join("; "),
  },
];
