import { type ReactNode, useMemo } from "react";
import type { ClientSession } from "../../api/generated/admin.ts";
import { FindInput } from "../../parts/find-input.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useOwnSearch } from "../../shell/use-range.ts";
import { useClientSessions } from "./client-sessions-query.ts";
import { LoadMore, ClientSessionsTable, moreOf } from "./client-sessions-table.tsx";

/** Everything that people are signed in with, on all accounts that the reader sees. */
export function ClientSessions(): ReactNode {
  const {
    own: { find },
    changeOwn,
  } = useOwnSearch("/shell/sessions");
  const { pages, rows } = useClientSessions({});
  const found = useMemo(() => rows.filter((session) => isFound(session, find)), [rows, find]);
  const shown = shownOf(pages, found.length > 0 ? null : rows.length > 0 ? NONE_FOUND : NONE);
  return (
    <ClientSessionsTable
      of="all"
      rows={found}
      shown={shown.kind === "ready" ? moreOf(rows, pages.hasNextPage) : shown}
      height={680}
      tools={
        <>
          <LoadMore pages={pages} />
          <FindInput
            label="Find a session by person, client, account or address"
            value={find}
            onFind={(text) => changeOwn({ find: text })}
          />
        </>
      }
    />
  );
}

function isFound({ name, email, client, account, address }: ClientSession, find = ""): boolean {
  return [name, email, client, account, address].join(" ").toLowerCase().includes(find.toLowerCase());
}

const NONE_FOUND = { title: "No session matches", hint: "Search for a part of a name, client, account or address." };
const NONE = {
  title: "No one is signed in with a client",
  hint: "People sign in with Claude Code, Codex or the command below, through your identity provider. They need no key.",
  command: "tollgate login",
};
