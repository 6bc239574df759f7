import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { pagesOf } from "../../api/query.ts";
import type { HolderOperations, HolderRequest } from "../../api/generated/holder.ts";
import type { Range } from "../../shell/range.ts";
import type { PageSearch } from "../../routes/search.ts";

export type OwnQuery = HolderOperations["GET /me/requests"]["query"];

const PAGE = 200;
/** Where fewer were found, the search goes on by itself, up to so many pages. */
const ENOUGH = 50;
const MOST_PAGES = 10;
const OUTCOMES = ["ok", "error", "client_gone"] as const;

/** What the address asks for, as the API takes it. */
export function ownQuery({ model, code, status, outcome }: PageSearch, { fromMs, toMs }: Range): OwnQuery {
  const named = OUTCOMES.find((one) => one === outcome);
  return {
    ...(model !== undefined && { model }),
    ...(code !== undefined && { code }),
    ...(Number(status) > 0 && { status: Number(status) }),
    ...(named !== undefined && { outcome: named }),
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  };
}

/** The key's requests of a span, newest first, page by page. */
export function useOwnRequests(query: OwnQuery) {
  const pages = useInfiniteQuery(
    pagesOf("GET /me/requests", {
      query: { ...query, limit: PAGE },
    }),
  );
  const { data, hasNextPage, isFetching, fetchNextPage, error } = pages;
  const rows = useMemo<HolderRequest[]>(() => data?.pages.flatMap((page) => [...page.data]) ?? [], [data]);
  const isSearching = hasNextPage && rows.length < ENOUGH && (data?.pages.length ?? 0) < MOST_PAGES && error === null;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return { pages, rows, isSearching };
}
