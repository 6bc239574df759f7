import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { HolderRequest } from "../../api/generated/holder.ts";
import { groupDigits } from "../../format/money.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import { type FilterField, FilterPopover } from "../../shell/filter-popover.tsx";
import { usePageSearch } from "../../shell/use-range.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { FIRST_COLUMNS, LAST_COLUMNS, text } from "../requests/request-columns.tsx";
import { FindRequest, OUTCOME_CHOICES } from "../requests/request-filters.tsx";
import { OwnVolume } from "./own-volume.tsx";
import { ownQuery, useOwnRequests } from "./use-own-requests.ts";

const COLUMNS: readonly Column<HolderRequest>[] = [
  ...FIRST_COLUMNS,
  text("model", "Model", ({ model }) => model),
  ...LAST_COLUMNS,
];

const FIELDS: readonly FilterField<HolderRequest>[] = [
  { name: "model", label: "Model", of: ({ model }) => model },
  { name: "code", label: "Code", of: ({ code }) => code },
  { name: "status", label: "HTTP status", of: ({ status }) => String(status), numeric: true },
];

const EMPTY = { title: "No request in this span fits", hint: "Choose a longer span, or take a filter away." };

/** Every finished request of the key in a span: how many, how they ended, what each cost. */
export function MyRequests(): ReactNode {
  const { search, range, change } = usePageSearch();
  const navigate = useNavigate();
  const query = ownQuery(search, range);
  const { pages, rows, isSearching } = useOwnRequests(query);
  const { hasNextPage, isFetching, isFetchingNextPage, fetchNextPage, refetch } = pages;
  const open = (id: string): void => void navigate({ to: "/requests/$request", params: { request: id }, search: true });
  return (
    <div className="flex flex-col gap-4">
      <OwnVolume
        query={query}
        range={range}
        rows={rows}
        hasMore={hasNextPage}
        onCode={(code) => change({ code })}
        onRange={(fromMs, toMs) => change({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() })}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="Outcome"
          value={search.outcome}
          choices={OUTCOME_CHOICES}
          onChoose={(outcome) => change({ outcome })}
        />
        <FilterPopover fields={FIELDS} search={search} rows={rows} onChange={change} />
        <div className="ml-auto flex items-center gap-1">
          <FindRequest onFind={open} />
          <IconButton label="Ask again" icon="retry" aria-busy={isFetching} onClick={() => void refetch()} />
        </div>
      </div>
      <DataTable
        label="Requests"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ request_id: id }) => id}
        height={640}
        onOpen={({ request_id: id }) => open(id)}
        shown={noted(
          shownOf(pages, rows.length === 0 && !isSearching ? EMPTY : null),
          rows.length,
          hasNextPage,
          isSearching,
        )}
        tools={
          <>
            {hasNextPage && (
              <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Load more
              </Button>
            )}
            <a
              href={`/me/requests.csv?${new URLSearchParams(query as Record<string, string>)}`}
              download="requests.csv"
              className="px-2 text-small text-accent hover:underline"
            >
              1,000 as CSV
            </a>
          </>
        }
      />
    </div>
  );
}

function noted(shown: Shown, count: number, hasMore: boolean, isSearching: boolean): Shown {
  if (shown.kind !== "ready" || !hasMore) return shown;
  if (isSearching)
    return count === 0 ? { kind: "loading" } : { kind: "partial", note: "Older requests are being searched." };
  return {
    kind: "too-many",
    note: `The newest ${groupDigits(count)} are shown. Sorting and the button's file have these alone; load more, or choose a shorter span.`,
  };
}
