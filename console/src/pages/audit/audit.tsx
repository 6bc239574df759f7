import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { pagesOf } from "../../api/query.ts";
import type { AuditEntry } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { showMoment, utcMoment } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { findAccounts } from "../../shell/find-holders.ts";
import { type FilterField, FilterPopover } from "../../shell/filter-popover.tsx";
import type { PageSearch } from "../../routes/search.ts";
import { usePageSearch } from "../../shell/use-range.ts";
import type { Column } from "../../table/column.ts";
import { DataTable } from "../../table/data-table.tsx";
import { AuditOutcome, outcomeText } from "./audit-outcome.tsx";

const PAGE = 200;
const OUTCOMES = ["done", "refused", "failed", "unknown"] as const;

const FIELDS: readonly FilterField<AuditEntry>[] = [
  { name: "actor", label: "Actor: admin, cli or an email", of: ({ actor }) => actor },
  { name: "action", label: "Action", of: ({ action }) => action },
  { name: "resource", label: "Resource, by id or name", of: ({ resource }) => resource.name ?? resource.id },
  { name: "account", label: "Account and all below it", of: () => null, find: findAccounts },
];

/** Every change and every rejected attempt of a span. */
export function Audit(): ReactNode {
  const { search, range, change } = usePageSearch();
  const navigate = useNavigate();
  const query = auditQuery(search, range);
  const pages = useInfiniteQuery(
    pagesOf("GET /admin/v1/audit", {
      query: { ...query, limit: PAGE },
    }),
  );
  const rows = useMemo<AuditEntry[]>(() => pages.data?.pages.flatMap(({ data }) => [...data]) ?? [], [pages.data]);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="Outcome"
          value={search.outcome}
          onChoose={(outcome) => change({ outcome })}
          choices={[{ value: undefined, name: "All" }, ...OUTCOMES.map((value) => ({ value, name: value }))]}
        />
        <FilterPopover fields={FIELDS} search={search} rows={rows} onChange={change} />
      </div>
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ id }) => id}
        height={680}
        onOpen={({ id }) => void navigate({ to: "/audit/$entry", params: { entry: id }, search: true })}
        shown={
          pages.hasNextPage
            ? {
                kind: "too-many",
                note: `The newest ${groupDigits(rows.length)} entries are shown. Sorting and the button's file have these alone; “All as CSV” has every one.`,
              }
            : shownOf(pages, rows.length === 0 ? EMPTY : null)
        }
        tools={
          <>
            {pages.hasNextPage && (
              <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
                Load more
              </Button>
            )}
            <a
              href={`/admin/v1/audit/export.csv?${new URLSearchParams(query as Record<string, string>)}`}
              download="audit.csv"
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
  title: "The audit log has no such entry in this span",
  hint: "Choose a longer span, or take a filter away.",
};

function auditQuery({ actor, action, resource, account, outcome }: PageSearch, span: { fromMs: number; toMs: number }) {
  const words = { actor, action, resource, account };
  const known = OUTCOMES.find((one) => one === outcome);
  return {
    ...Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)),
    ...(known !== undefined && { outcome: known }),
    from: new Date(span.fromMs).toISOString(),
    to: new Date(span.toMs).toISOString(),
  };
}

const NONE = <span className="text-ink-3">–</span>;
const resourceOf = ({ resource }: AuditEntry): string =>
  `${resource.kind} ${resource.name ?? resource.id ?? ""}`.trimEnd();

const word = (
  id: string,
  head: string,
  of: (entry: AuditEntry) => string | null,
  more: Partial<Column<AuditEntry>> = {},
): Column<AuditEntry> => ({
  id,
  head,
  cell: (entry) => (of(entry) === null ? NONE : <span title={of(entry) ?? ""}>{of(entry)}</span>),
  sort: of,
  plain: (entry) => of(entry) ?? "",
  ...more,
});

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    id: "at",
    head: "At",
    width: 172,
    cell: ({ id, at }) => (
      <Link
        to="/audit/$entry"
        params={{ entry: id }}
        search
        tabIndex={-1}
        title={utcMoment(Date.parse(at))}
        className="whitespace-nowrap hover:underline"
      >
        {showMoment(Date.parse(at))}
      </Link>
    ),
    sort: ({ at }) => at,
    plain: ({ at }) => at,
  },
  word("actor", "Actor", ({ actor }) => actor),
  word("action", "Action", ({ action }) => action, { width: 168 }),
  word("resource", "Resource", resourceOf),
  {
    id: "outcome",
    head: "Outcome",
    width: 208,
    cell: (entry) => <AuditOutcome entry={entry} />,
    sort: outcomeText,
    plain: outcomeText,
  },
  word("via", "Via", ({ via }) => via, { width: 104 }),
  word("address", "Address", ({ address }) => address, { width: 128 }),
  word("request", "Request", ({ request_id: id }) => id, { width: 280, hidden: true }),
  word("id", "Id", ({ id }) => id, { width: 280, hidden: true }),
];
