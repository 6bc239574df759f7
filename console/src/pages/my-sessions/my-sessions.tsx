import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import type { HolderSession } from "../../api/generated/holder.ts";
import { Button } from "../../parts/button.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useNow } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { ownSessionColumns } from "./own-session-columns.tsx";
import { ownSessionsQuery } from "./own-sessions-query.ts";
import { SignOutEverywhere, SignOutOne, SignOutOthers } from "./sign-out-dialogs.tsx";

/** Where the reader is signed in, and how to be so no longer. */
export function MySessions(): ReactNode {
  const sessions = useQuery(ownSessionsQuery);
  const nowMs = useNow(60_000);
  const [asked, setAsked] = useState<HolderSession | "others" | "everywhere" | null>(null);
  const columns = useMemo(() => ownSessionColumns({ nowMs, onEnd: setAsked }), [nowMs]);
  const rows = sessions.data ?? [];
  const others = rows.filter(({ is_current: isCurrent }) => !isCurrent).length;
  const close = (): void => setAsked(null);
  return (
    <div className="flex flex-col gap-4">
      <p className="max-w-prose text-ink-2">
        Every client and browser here spends from your account. Sign out whatever you do not know or no longer use.
      </p>
      <DataTable
        label="Where you are signed in"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        height={680}
        shown={shownOf(sessions, rows.length === 0 ? NONE : null)}
        tools={
          others > 0 && (
            <>
              <Button onClick={() => setAsked("others")}>
                <span>
                  Sign out <span className="max-sm:sr-only">all </span>others
                </span>
              </Button>
              <Button look="danger" onClick={() => setAsked("everywhere")}>
                <span>
                  <span className="max-sm:sr-only">Sign out </span>
                  <span className="max-sm:inline-block max-sm:first-letter:uppercase">everywhere</span>
                </span>
              </Button>
            </>
          )
        }
      />
      {asked === "others" && <SignOutOthers others={others} onClose={close} />}
      {asked === "everywhere" && <SignOutEverywhere others={others} onClose={close} />}
      {asked !== null && typeof asked !== "string" && <SignOutOne of={asked} onClose={close} />}
    </div>
  );
}

const NONE = {
  title: "You are signed in with a key",
  hint: "Sessions are of people who sign in without one.",
};
