import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { DoctorCheck } from "../../api/generated/admin.ts";
import { Moment } from "../../parts/amount.tsx";
import { Badge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { CHECK_TONES, CheckDialog } from "./check-dialog.tsx";

/** The checks of `tollgate doctor`, when asked for: they look at the servers of the database one by one. */
export function DoctorTable(): ReactNode {
  const found = useQuery({
    ...queryOf("GET /admin/v1/doctor"),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [opened, setOpened] = useState<DoctorCheck | null>(null);
  const checks = found.data?.checks;
  const rows = useMemo(() => (checks ?? []).toSorted((one, other) => rankOf(one) - rankOf(other)), [checks]);
  const isAsked = found.isFetching || found.error !== null || found.data !== undefined;
  return (
    <>
      <DataTable
        label="What does the doctor say?"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id, message }) => `${id} ${message}`}
        height={560}
        onOpen={setOpened}
        shown={isAsked ? shownOf({ ...found, refetch: found.refetch }, null) : NOT_ASKED}
        tools={
          <>
            {found.data && (
              <span className="px-1 text-small text-ink-2">
                {summaryOf(rows)} · <Moment atMs={Date.parse(found.data.at)} />
              </span>
            )}
            <Button busy={found.isFetching} onClick={() => void found.refetch()}>
              {found.isFetching ? "Checking…" : "Run the checks"}
            </Button>
          </>
        }
      />
      {opened && <CheckDialog of={opened} onClose={() => setOpened(null)} />}
    </>
  );
}

const NOT_ASKED: Shown = {
  kind: "empty",
  title: "The checks have not run yet",
  hint: "They look at settings, host, database and ledger, and change nothing. The command also calls providers and the proxy in front:",
  command: "tollgate doctor --url https://gateway.example.com",
};

type Status = DoctorCheck["status"];
/** What needs the reader first stands first. */
const ORDER: readonly Status[] = ["failed", "warning", "ok", "skipped"];

/** What works keeps the order in which it was checked. */
const rankOf = ({ status }: DoctorCheck): number => (status === "failed" ? 0 : status === "warning" ? 1 : 2);

const summaryOf = (rows: readonly DoctorCheck[]): string =>
  ORDER.flatMap((status) => {
    const count = rows.filter((row) => row.status === status).length;
    return count === 0 ? [] : [`${count} ${status}`];
  }).join(", ");

const COLUMNS: readonly Column<DoctorCheck>[] = [
  {
    id: "title",
    head: "Check",
    width: 208,
    cell: ({ group, title }) => (
      <span title={`${group}: ${title}`}>
        <span className="text-ink-3">{group}</span> {title}
      </span>
    ),
    sort: ({ id }) => id,
    plain: ({ id }) => id,
  },
  {
    id: "status",
    head: "Result",
    width: 104,
    cell: ({ status }) => <Badge tone={CHECK_TONES[status]}>{status}</Badge>,
    sort: ({ status }) => ORDER.indexOf(status),
    plain: ({ status }) => status,
  },
  {
    id: "message",
    head: "What was found",
    cell: ({ message }) => <span title={message}>{message}</span>,
    plain: ({ message }) => message,
  },
  {
    id: "fix",
    head: "What to do",
    cell: ({ fix }) =>
      fix === null ? (
        <span className="text-ink-3">–</span>
      ) : (
        <span title={fix} className="text-ink-2">
          {fix}
        </span>
      ),
    plain: ({ fix }) => fix ?? "",
  },
];
