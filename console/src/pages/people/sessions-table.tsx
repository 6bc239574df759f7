import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Person, Session } from "../../api/generated/admin.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useMay } from "../../shell/may.ts";
import { useNow } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { sessionColumns } from "./session-columns.tsx";

/** Where somebody else is signed in. */
export function SessionsTable({ of: person }: { of: Person }): ReactNode {
  const may = useMay();
  const nowMs = useNow(60_000);
  const [asked, setAsked] = useState<Session | null>(null);
  const mayEnd = may("endSession");
  const sessions = useQuery(queryOf("GET /admin/v1/people/{person}/sessions", { params: { person: person.id } }));
  const columns = useMemo(
    () => sessionColumns({ nowMs, current: null, onEnd: mayEnd ? setAsked : null }),
    [nowMs, mayEnd],
  );
  const rows = sessions.data?.sessions ?? [];
  return (
    <>
      <DataTable
        label="Browser sessions"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        shown={shownOf(
          sessions,
          rows.length === 0 ? { title: "No browser of theirs is signed in to this console" } : null,
        )}
      />
      {asked && (
        <FormDialog
          title="End this session?"
          lead={`${person.name} has to sign in again in that browser.`}
          verb="End the session"
          danger
          done="The session has ended"
          onClose={() => setAsked(null)}
          act={(change) =>
            change("DELETE /admin/v1/people/{person}/sessions/{session}", {
              params: { person: person.id, session: asked.id },
            })
          }
        >
          {() => null}
        </FormDialog>
      )}
    </>
  );
}
