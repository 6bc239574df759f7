import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import { FilterPopover } from "../../shell/filter-popover.tsx";
import { usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { REQUEST_COLUMNS } from "./request-columns.tsx";
import { FindRequest, OUTCOME_CHOICES, REQUEST_FIELDS } from "./request-filters.tsx";
import { requestQuery, useRequests } from "./use-requests.ts";
import { VolumeChart } from "./volume-chart.tsx";

/** Every finished request of a span: how many, how they ended, and each of them. */
export function Requests(): ReactNode {
  const { search, range, change } = usePageSearch();
  const navigate = useNavigate();
  const query = requestQuery(search, range);
  const { pages, rows, isSearching } = useRequests(query);
  const { hasNextPage, isFetching, isFetchingNextPage, fetchNextPage, refetch } = pages;
  const open = (id: string): void => void navigate({ to: "/requests/$request", params: { request: id }, search: true });
  return (
    <div className="flex flex-col gap-4">
      <VolumeChart
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
        <FilterPopover fields={REQUEST_FIELDS} search={search} rows={rows} onChange={change} />
        <div className="ml-auto flex items-center gap-1">
          <FindRequest onFind={open} />
          <IconButton label="Ask again" icon="retry" aria-busy={isFetching} onClick={() => void refetch()} />
        </div>
      </div>
      <DataTable
        label="Requests"
        columns={REQUEST_COLUMNS}
        rows={rows}
        rowKey={({ request_id: id }) => id}
        height={640}
        onOpen={({ request_id: id }) => open(id)}
        shown={shownRequests(
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
              href={`/admin/v1/requests/export.csv?${new URLSearchParams(query as Record<string, string>)}`}
              download="requests.csv"
              className="px-2 text-small text-accent hover:underline"
            >
              All as CSV
            </a>
          </>
        }
      />
    </div>
  );
}

const EMPTY = {
  title: "No request in this span fits",
  hint: "Choose a longer span, or take a filter away.",
};

function shownRequests(shown: Shown, count: number, hasMore: boolean, isSearching: boolean): Shown {
  if (shown.kind !== "ready" || !hasMore) return shown;
  if (isSearching)
    return count === 0 ? { kind: "loading" } : { kind: "partial", note: "Older requests are being searched." };
  return {
    kind: "too-many",
    note: `The newest ${groupDigits(count)} are shown. Sorting and the button's file have these alone; “All as CSV” has up to 100,000.`,
  };
}
