import { type ReactNode, useMemo } from "react";
import type { SystemStatus } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { READY, type Shown } from "../../parts/state.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";

type Row = { name: string; at: string | null };

/** What the tables are made of; the newest first. Null: the database does not answer. */
export function MigrationsTable({ of: migrations }: { of: SystemStatus["migrations"] }): ReactNode {
  const rows = useMemo<Row[]>(() => {
    const { applied = [], pending = null } = migrations ?? {};
    return [...(pending ?? []).map((name) => ({ name, at: null })), ...applied.toReversed()];
  }, [migrations]);
  return (
    <DataTable
      label="Migrations"
      columns={COLUMNS}
      rows={rows}
      rowKey={({ name }) => name}
      height={320}
      shown={shownOf(migrations)}
    />
  );
}

function shownOf(migrations: SystemStatus["migrations"]): Shown {
  if (migrations === null) return { kind: "empty", title: "The database does not answer" };
  return migrations.pending === null
    ? { kind: "partial", note: "Another version has migrated this database. Run the checks to see what does not fit." }
    : READY;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    id: "name",
    head: "Migration",
    cell: ({ name }) => <code className="font-mono text-small">{name}</code>,
    sort: ({ name }) => name,
    plain: ({ name }) => name,
  },
  {
    id: "state",
    head: "State",
    width: 128,
    cell: ({ at }) => (at === null ? <Badge tone="bad">pending</Badge> : <Badge tone="good">applied</Badge>),
    sort: ({ at }) => (at === null ? 0 : 1),
    plain: ({ at }) => (at === null ? "pending" : "applied"),
  },
  {
    id: "at",
    head: "Applied",
    width: 208,
    cell: ({ at }) => (at === null ? <span className="text-ink-3">not yet</span> : <Moment atMs={Date.parse(at)} />),
    sort: ({ at }) => at,
    plain: ({ at }) => at ?? "",
  },
];
