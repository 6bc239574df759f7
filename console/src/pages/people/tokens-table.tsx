import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { pagesOf } from "../../api/query.ts";
import type { Person, PersonalToken } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useNow } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { useOwnsEverything } from "./add-person-dialog.tsx";
import { tokenColumns } from "./token-columns.tsx";

type Props = { of: Person; isOwn?: boolean; tools?: ReactNode };

/** Tokens for programs that act as this person. Owners everywhere see those of others. */
export function TokensTable({ of: person, isOwn = false, tools }: Props): ReactNode {
  const nowMs = useNow(60_000);
  const ownsEverything = useOwnsEverything();
  const [asked, setAsked] = useState<PersonalToken | null>(null);
  const tokens = useInfiniteQuery({
    ...pagesOf("GET /admin/v1/tokens", {
      query: { person: person.id, limit: 200 },
    }),
    enabled: isOwn || ownsEverything,
  });
  const rows = useMemo(() => tokens.data?.pages.flatMap(({ data }) => data) ?? [], [tokens.data]);
  const columns = useMemo(() => tokenColumns({ nowMs, onRevoke: setAsked }), [nowMs]);
  if (!isOwn && !ownsEverything) return null;
  return (
    <>
      <DataTable
        label={isOwn ? "Your tokens" : "Personal tokens"}
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        shown={shownOf(tokens, rows.length === 0 ? (isOwn ? NO_TOKEN_OF_YOURS : NO_TOKEN) : null)}
        tools={
          <>
            {tokens.hasNextPage && (
              <Button busy={tokens.isFetchingNextPage} onClick={() => void tokens.fetchNextPage()}>
                Load more
              </Button>
            )}
            {tools}
          </>
        }
      />
      {asked && (
        <FormDialog
          title={`Revoke the token “${asked.name}”?`}
          lead="The program that uses it gets 401 with its next request. It can’t be undone."
          verb="Revoke the token"
          danger
          done="The token is revoked"
          onClose={() => setAsked(null)}
          act={(change) => change("DELETE /admin/v1/tokens/{token}", { params: { token: asked.id } })}
        >
          {() => null}
        </FormDialog>
      )}
    </>
  );
}

const NO_TOKEN = { title: "They have no personal token" };
const NO_TOKEN_OF_YOURS = {
  title: "You have no personal token",
  hint: "A program that acts as you has a token of its own: it does no more than you may, and can be narrowed further.",
};
