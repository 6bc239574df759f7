import { type ReactNode, useMemo } from "react";
import type { LeasedProcess, SystemStatus } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { READY } from "../../parts/state.tsx";
import { useNow } from "../../shell/use-range.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";

/** Every gateway process on this database. One whose lease ran out has its requests settled by the others. */
export function ProcessesTable({ of: { processes, process } }: { of: SystemStatus }): ReactNode {
  const nowMs = useNow(10_000);
  const columns = useMemo(() => columnsOf(nowMs, process.id), [nowMs, process.id]);
  const rows = processes ?? [];
  return (
    <DataTable
      label="Processes and their leases"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      height={320}
      shown={
        rows.length > 0
          ? READY
          : {
              kind: "empty",
              title: processes === null ? "The database does not answer" : "No process has a lease",
              hint: "A gateway takes one before it serves its first request.",
            }
      }
    />
  );
}

const columnsOf = (nowMs: number, own: string): readonly Column<LeasedProcess>[] => [
  {
    id: "id",
    head: "Process",
    width: 376,
    cell: ({ id }) => (
      <>
        <code className="mr-2 font-mono text-small">{id}</code>
        {id === own && <Badge tone="accent">this one</Badge>}
      </>
    ),
    sort: ({ id }) => id,
    plain: ({ id }) => id,
  },
  {
    id: "state",
    head: "Lease",
    width: 128,
    cell: ({ alive }) => <Badge tone={alive ? "good" : "warn"}>{alive ? "holds" : "ran out"}</Badge>,
    sort: ({ alive }) => (alive ? 1 : 0),
    plain: ({ alive }) => (alive ? "holds" : "ran out"),
  },
  {
    id: "since",
    head: "Renewed without a gap since",
    cell: ({ renewing_since: at }) => <Moment atMs={Date.parse(at)} />,
    sort: ({ renewing_since: at }) => at,
    plain: ({ renewing_since: at }) => at,
  },
  {
    id: "until",
    head: "Holds until",
    width: 120,
    align: "right",
    cell: ({ lease_until: at }) => <Moment atMs={Date.parse(at)} nowMs={nowMs} />,
    sort: ({ lease_until: at }) => at,
    plain: ({ lease_until: at }) => at,
  },
];
