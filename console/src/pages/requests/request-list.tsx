import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { groupDigits } from "../../format/money.ts";
import { Button, IconButton } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import { type FilterField, FilterPopover } from "../../shell/filter-popover.tsx";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { FindRequest, OUTCOME_CHOICES } from "./request-filters.tsx";
import type { EndedRequest } from "./request-query.ts";
import { type Pages, useEnough } from "./use-enough.ts";
import type { RequestView } from "./use-request-view.ts";
import { type Sums, VolumeChart } from "./volume-chart.tsx";

const EMPTY = { title: "No request in this span fits", hint: "Choose a longer span, or take a filter away." };

type Props<Row> = {
  view: RequestView;
  pages: Pages<Row>;
  sums: Sums;
  /** How far a search for rare requests goes by itself. */
  mostPages: number;
  columns: readonly Column<Row>[];
  fields: readonly FilterField<Row>[];
  question: string;
  file: File;
};
type File = { path: string; label: string; advice: string };

/** Every finished request of a span: how many, how they ended, and each of them. */
export function RequestList<Row extends EndedRequest>(props: Props<Row>): ReactNode {
  const { view, pages, sums, mostPages, columns, fields, question, file } = props;
  const { search, change } = view;
  const navigate = useNavigate();
  const { rows, isSearching } = useEnough(pages, mostPages);
  const { hasNextPage, isFetching, refetch } = pages;
  const open = (id: string): void => void navigate({ to: "/requests/$request", params: { request: id }, search: true });
  const shown = shownOf(pages, rows.length === 0 && !isSearching ? EMPTY : null);
  return (
    <div className="flex flex-col gap-4">
      <VolumeChart
        question={question}
        view={view}
        sums={sums}
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
        <FilterPopover fields={fields} search={search} rows={rows} onChange={change} />
        <div className="ml-auto flex items-center gap-1">
          <FindRequest onFind={open} />
          <IconButton label="Ask again" icon="retry" aria-busy={isFetching} onClick={() => void refetch()} />
        </div>
      </div>
      <DataTable
        label="Requests"
        columns={columns}
        rows={rows}
        rowKey={({ request_id: id }) => id}
        height={640}
        onOpen={({ request_id: id }) => open(id)}
        shown={hasNextPage && shown.kind === "ready" ? partly(rows.length, isSearching, file) : shown}
        tools={<Tools pages={pages} file={file} query={view.query} />}
      />
    </div>
  );
}

type ToolProps = {
  pages: Pick<Pages<unknown>, "hasNextPage" | "isFetchingNextPage"> & { fetchNextPage: () => Promise<unknown> };
  file: File;
  query: object;
};

const Tools = ({ pages: { hasNextPage, isFetchingNextPage, fetchNextPage }, file, query }: ToolProps): ReactNode => (
  <>
    {hasNextPage && (
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        Load more
      </Button>
    )}
    <a
      href={`${file.path}?${new URLSearchParams(query as Record<string, string>)}`}
      download="requests.csv"
      className="px-2 text-small text-accent hover:underline"
    >
      {file.label}
    </a>
  </>
);

/** While there are more than are listed. */
function partly(count: number, isSearching: boolean, file: File): Shown {
  if (isSearching)
    return count === 0 ? { kind: "loading" } : { kind: "partial", note: "Older requests are being searched." };
  return {
    kind: "too-many",
    note: `The newest ${groupDigits(count)} are shown. Sorting and the button's file have these alone; ${file.advice}`,
  };
}
