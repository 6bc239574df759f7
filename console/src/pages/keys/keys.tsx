import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { pagesOf } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { INPUT } from "../../parts/field.tsx";
import { FindInput } from "../../parts/find-input.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { useSettled } from "../../parts/use-settled.ts";
import { useNow, useOwnSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { keyColumns } from "./key-columns.tsx";
import { useKeyTrends } from "./use-key-trends.ts";

const PAGE = 500;
const STATES = ["active", "suspended", "disabled", "expired", "revoked"];

/** Every key with what it has left and what it has spent. */
export function Keys(): ReactNode {
  const navigate = useNavigate();
  const {
    own: { find, state },
    changeOwn,
  } = useOwnSearch("/shell/keys");
  const search = useSettled(find);
  const keys = useInfiniteQuery({
    ...pagesOf("GET /admin/v1/keys", { query: { limit: PAGE, ...(search !== undefined && { search }) } }),
    placeholderData: keepPreviousData,
  });
  const nowMs = useNow(60_000);
  const trends = useKeyTrends(nowMs);
  const all = useMemo(() => keys.data?.pages.flatMap(({ data }) => data) ?? [], [keys.data]);
  const rows = useMemo(() => all.filter(({ status }) => state === undefined || status === state), [all, state]);
  const columns = useMemo(() => keyColumns(nowMs, trends), [nowMs, trends]);
  const shown = shownOf(keys, rows.length > 0 ? null : (search ?? state) === undefined ? NO_KEYS : NOTHING_FOUND);
  return (
    <DataTable
      label="Keys"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/keys/$key", params: { key: id } })}
      height={720}
      shown={
        keys.hasNextPage && shown.kind === "ready"
          ? {
              kind: "too-many",
              note: `The newest ${all.length} keys are read. Sorting, status and the file have these alone; finding has all.`,
            }
          : shown
      }
      tools={
        <>
          {keys.hasNextPage && (
            <Button busy={keys.isFetchingNextPage} onClick={() => void keys.fetchNextPage()}>
              Load {PAGE} more
            </Button>
          )}
          <FindInput
            label="Find a key by label, prefix or account"
            value={find}
            onFind={(text) => changeOwn({ find: text })}
            busy={keys.isPlaceholderData}
          />
          <select
            aria-label="Status"
            value={state ?? ""}
            onChange={({ target }) => changeOwn({ state: target.value || undefined })}
            className={`${INPUT} w-auto!`}
          >
            <option value="">any status</option>
            {STATES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          <Button look="primary" onClick={() => void navigate({ to: "/keys/new" })}>
            New key
          </Button>
        </>
      }
    />
  );
}

const NO_KEYS = {
  title: "There are no keys yet",
  hint: "A key is what a client sends with each request. Make the first with “New key”, or with a command:",
  command: 'tollgate keys create --mode credit --credit 5 --label "my laptop"',
};
const NOTHING_FOUND = { title: "No key matches", hint: "Search for a part of the label, the prefix or the account." };
