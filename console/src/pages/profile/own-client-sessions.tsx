import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { ClientSession } from "../../api/generated/admin.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useNow } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { clientSessionColumns } from "../people/client-session-columns.tsx";

const MOST = 100;

/** The clients that the reader is signed in with. Most operators are signed in with none, and see nothing. */
export function OwnClientSessions(): ReactNode {
  const nowMs = useNow(60_000);
  const [asked, setAsked] = useState<ClientSession | null>(null);
  const { data } = useQuery(queryOf("GET /admin/v1/session/clients", { query: { limit: MOST } }));
  const columns = useMemo(() => clientSessionColumns({ nowMs, of: "one", onEnd: setAsked }), [nowMs]);
  const rows = data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <>
      <DataTable label="Your clients" columns={columns} rows={rows} rowKey={({ id }) => id} />
      {asked && (
        <FormDialog
          title={`Sign ${asked.client} out?`}
          lead="Its next request gets 401, and its running streams are cut. What they delivered is charged. You can sign in with it again."
          verb="Sign it out"
          danger
          done={`${asked.client} is signed out`}
          onClose={() => setAsked(null)}
          act={(change) => change("DELETE /admin/v1/session/clients/{session}", { params: { session: asked.id } })}
        >
          {() => null}
        </FormDialog>
      )}
    </>
  );
}
