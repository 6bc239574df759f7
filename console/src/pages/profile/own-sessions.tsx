import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { queryOf } from "../../api/query.ts";
import type { Session } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useNow } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { browserOf, sessionColumns } from "../people/session-columns.tsx";

/** Where the reader is signed in. */
export function OwnSessions(): ReactNode {
  const nowMs = useNow(60_000);
  const [asked, setAsked] = useState<Session | "others" | null>(null);
  const sessions = useQuery(queryOf("GET /admin/v1/sessions"));
  const current = sessions.data?.current ?? null;
  const columns = useMemo(() => sessionColumns({ nowMs, current, onEnd: setAsked }), [nowMs, current]);
  const rows = sessions.data?.sessions ?? [];
  const close = (): void => setAsked(null);
  return (
    <>
      <DataTable
        label="Where you are signed in"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        shown={shownOf(sessions, rows.length === 0 ? { title: "You are signed in nowhere" } : null)}
        tools={rows.length > 1 && <Button onClick={() => setAsked("others")}>End all others</Button>}
      />
      {asked === "others" && (
        <FormDialog
          title="End all your other sessions?"
          lead="Every other browser has to sign in again. This one goes on."
          verb="End the others"
          danger
          done="Your other sessions have ended"
          onClose={close}
          act={(change) => change("DELETE /admin/v1/sessions")}
        >
          {() => null}
        </FormDialog>
      )}
      {asked !== null && asked !== "others" && (
        <FormDialog
          title={asked.id === current ? "End the session you are in?" : `End the session of ${browserOf(asked.agent)}?`}
          lead={asked.id === current ? "You have to sign in again." : "That browser has to sign in again."}
          verb="End the session"
          danger
          done="The session has ended"
          onClose={close}
          act={(change) => change("DELETE /admin/v1/sessions/{session}", { params: { session: asked.id } })}
        >
          {() => null}
        </FormDialog>
      )}
    </>
  );
}
