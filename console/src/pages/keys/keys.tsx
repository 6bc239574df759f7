import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { pagesOf } from "../../api/query.ts";
import type { ListedKey } from "../../api/generated/admin.ts";
import { Button } from "../../parts/button.tsx";
import { INPUT } from "../../parts/field.tsx";
import { shownOf } from "../../parts/shown-of.ts";
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
  const keys = useInfiniteQuery(pagesOf("GET /admin/v1/keys", { query: { limit: PAGE } }));
  const nowMs = useNow(60_000);
  const trends = useKeyTrends(nowMs);
  const all = useMemo(() => keys.data?.pages.flatMap(({ data }) => data) ?? [], [keys.data]);
  const rows = useMemo(() => all.filter((key) => isFound(key, find, state)), [all, find, state]);
  const columns = useMemo(() => keyColumns(nowMs, trends), [nowMs, trends]);
  const shown = shownOf(keys, rows.length > 0 ? null : all.length > 0 ? NOTHING_FOUND : NO_KEYS);
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
              note: `The newest ${all.length} keys are read. Sorting, finding and the file have these alone.`,
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
          <input
            type="search"
            aria-label="Find a key by label, prefix or account"
            placeholder="Find…"
            defaultValue={find}
            onChange={({ target }) => changeOwn({ find: target.value || undefined })}
            className={`${INPUT} w-24! sm:w-48!`}
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

function isFound(
  { label, prefix, account, status }: ListedKey,
  find: string | undefined,
  state: string | undefined,
): boolean {
  const text = `${label ?? ""} ${prefix} ${account ?? ""}`.toLowerCase();
  return (state === undefined || status === state) && text.includes((find ?? "").toLowerCase());
}
