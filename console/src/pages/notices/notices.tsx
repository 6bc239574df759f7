import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { pagesOf } from "../../api/query.ts";
import type { Notice } from "../../api/generated/admin.ts";
import { groupDigits } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { INPUT } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { FilterChips } from "../../shell/filter-chips.tsx";
import { type FilterField, FilterPopover } from "../../shell/filter-popover.tsx";
import { useMay } from "../../shell/may.ts";
import { useNow, useOwnSearch, usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { Endpoints } from "./endpoints.tsx";
import { holderOf, noticeColumns } from "./notice-columns.tsx";
import { NoticeDialog } from "./notice-dialog.tsx";
import { Thresholds } from "./thresholds.tsx";

const PAGE = 200;
const STATES = ["waiting", "dead", "delivered"] as const;
const CAUSES = ["used", "left", "refused", "too_large"] as const;
const FIELDS: readonly FilterField<Notice>[] = [
  { name: "account", label: "Account and all below it", of: ({ account_path: path }) => path.join("/") || null },
  { name: "key", label: "Key, by id or prefix", of: ({ key }) => key?.prefix ?? null },
];

/** Limits that are nearly used and purses that run low: who was told, and what became of it. */
export function Notices(): ReactNode {
  const may = useMay();
  const nowMs = useNow(60_000);
  const { search, change } = usePageSearch();
  const {
    own: { state, cause, notice: opened },
    changeOwn,
  } = useOwnSearch("/shell/notices");
  const query = {
    ...(isOneOf(STATES, state) && { state }),
    ...(isOneOf(CAUSES, cause) && { cause }),
    ...(search.account !== undefined && { account: search.account }),
    ...(search.key !== undefined && { key: search.key }),
  };
  const notices = useInfiniteQuery(
    pagesOf("GET /admin/v1/notices", {
      query: { ...query, limit: PAGE },
    }),
  );
  const rows = useMemo(() => notices.data?.pages.flatMap(({ data }) => data) ?? [], [notices.data]);
  const columns = useMemo(() => noticeColumns(nowMs), [nowMs]);
  const shown = shownOf(notices, rows.length > 0 ? null : Object.keys(query).length > 0 ? NOTHING_FOUND : NO_NOTICE);
  const chosen = rows.find(({ id }) => id === opened);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="Delivery"
          value={state}
          onChoose={(value) => changeOwn({ state: value })}
          choices={[{ value: undefined, name: "All" }, ...STATES.map((value) => ({ value, name: value }))]}
        />
        <select
          aria-label="Cause"
          value={cause ?? ""}
          onChange={({ target }) => changeOwn({ cause: target.value || undefined })}
          className={`${INPUT} w-auto!`}
        >
          <option value="">any cause</option>
          {CAUSES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <FilterPopover fields={FIELDS} search={search} rows={rows} onChange={change} />
        <FilterChips />
      </div>
      <DataTable
        label="Notices"
        columns={columns}
        rows={rows}
        rowKey={({ id }) => id}
        onOpen={({ id }) => changeOwn({ notice: id })}
        height={520}
        shown={
          notices.hasNextPage && shown.kind === "ready"
            ? {
                kind: "too-many",
                note: `The newest ${groupDigits(rows.length)} are shown. Sorting and the file have these alone.`,
              }
            : shown
        }
        tools={
          notices.hasNextPage && (
            <Button busy={notices.isFetchingNextPage} onClick={() => void notices.fetchNextPage()}>
              Load more
            </Button>
          )
        }
      />
      {may("listEndpoints") && <Endpoints />}
      {may("showThresholds") && <Thresholds />}
      {chosen && <NoticeDialog of={chosen} title={holderOf(chosen)} onClose={() => changeOwn({ notice: undefined })} />}
    </div>
  );
}

const isOneOf = <Word extends string>(words: readonly Word[], word: string | undefined): word is Word =>
  words.some((one) => one === word);

const NO_NOTICE = {
  title: "No limit or purse has reached a threshold",
  hint: "Limits are watched at 80 % and 100 %, purses for the end of what was paid in, unless you choose others below.",
};
const NOTHING_FOUND = { title: "No notice matches", hint: "Take a filter away, or choose “All”." };
