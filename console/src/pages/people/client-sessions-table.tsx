import { type ReactNode, useMemo, useState } from "react";
import type { ClientSession, Person } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import { useMay } from "../../shell/may.ts";
import { useNow } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { clientSessionColumns } from "./client-session-columns.tsx";
import { useClientSessions } from "./client-sessions-query.ts";
import { EndClientSession, EndClientSessions } from "./end-client-session.tsx";

/** The clients that somebody is signed in with. */
export function PersonClientSessions({ of: person }: { of: Person }): ReactNode {
  const may = useMay();
  const { pages, rows } = useClientSessions({ person: person.id });
  const [endsAll, setEndsAll] = useState(false);
  return (
    <>
      <ClientSessionsTable
        of="one"
        rows={rows}
        shown={shownOf(pages, rows.length === 0 ? NONE_OF_THEIRS : null)}
        tools={may("endClientSession") && rows.length > 1 && <Button onClick={() => setEndsAll(true)}>End all</Button>}
      />
      {endsAll && <EndClientSessions of={person} onClose={() => setEndsAll(false)} />}
    </>
  );
}

/** The sessions that spend from an account or one below it. Nothing is shown where there are none. */
export function AccountClientSessions({ of: account }: { of: string }): ReactNode {
  const may = useMay();
  const { pages, rows } = useClientSessions({ account }, may("listClientSessions"));
  if (rows.length === 0) return null;
  return (
    <ClientSessionsTable
      of="all"
      rows={rows}
      shown={moreOf(rows, pages.hasNextPage)}
      tools={<LoadMore pages={pages} />}
    />
  );
}

type Pages = ReturnType<typeof useClientSessions>["pages"];

export const LoadMore = ({ pages }: { pages: Pages }): ReactNode =>
  pages.hasNextPage && (
    <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
      Load more
    </Button>
  );

export const moreOf = (rows: readonly unknown[], hasMore: boolean): Shown =>
  hasMore
    ? {
        kind: "too-many",
        note: `The newest ${groupDigits(rows.length)} are read. Sorting, finding and the file have these alone.`,
      }
    : { kind: "ready" };

type Sessions = {
  /** Whether they are of one person, or of all. */
  of: "one" | "all";
  rows: readonly ClientSession[];
  shown: Shown;
  tools?: ReactNode;
  height?: number;
};

export function ClientSessionsTable({ of, rows, shown, tools, height }: Sessions): ReactNode {
  const may = useMay();
  const nowMs = useNow(60_000);
  const [asked, setAsked] = useState<ClientSession | null>(null);
  const mayEnd = may("endClientSession");
  const columns = useMemo(
    () => clientSessionColumns({ nowMs, of, onEnd: mayEnd ? setAsked : null }),
    [nowMs, of, mayEnd],
  );
  return (
    <>
      <DataTable
        label="Client sessions"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        shown={shown}
        tools={tools}
        {...(height !== undefined && { height })}
      />
      {asked !== null && <EndClientSession of={asked} name={asked.name} onClose={() => setAsked(null)} />}
    </>
  );
}

const NONE_OF_THEIRS = {
  title: "They are signed in with no client",
  hint: "A client session appears when they sign in with Claude Code, Codex or tollgate login, or open the public console.",
};
