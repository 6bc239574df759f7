import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { type OperationName } from "../../api/call.ts";
import { pagesOf } from "../../api/query.ts";
import type { AdminOperations, RequestRow } from "../../api/generated/admin.ts";
import type { PageSearch } from "../../routes/search.ts";
import type { Range } from "../../shell/range.ts";

export type RequestQuery = AdminOperations["GET /admin/v1/requests" & OperationName]["query"];

const PAGE = 200;
/** Where fewer were found, the search goes on by itself, up to so many pages. */
const ENOUGH = 50;
const MOST_PAGES = 20;

export const OUTCOMES = ["ok", "error", "client_gone"] as const;

/** What the address asks for, as the API takes it. */
export const requestQuery = (search: PageSearch, { fromMs, toMs }: Range): RequestQuery => {
  const { account, key, model, provider, code, status, outcome, agent } = search;
  const words = { account, key, model, provider, code, agent };
  return {
    ...Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)),
    ...(Number(status) > 0 && { status: Number(status) }),
    ...(isOutcome(outcome) && { outcome }),
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
  };
};

const isOutcome = (word: string | undefined): word is (typeof OUTCOMES)[number] =>
  (OUTCOMES as readonly (string | undefined)[]).includes(word);

/** The requests of a span, newest first, page by page. A page may be short and have a next one: rare requests are searched for. */
export function useRequests(query: RequestQuery) {
  const pages = useInfiniteQuery(
    pagesOf("GET /admin/v1/requests", {
      query: { ...query, limit: PAGE },
    }),
  );
  const { data, hasNextPage, isFetching, fetchNextPage, error } = pages;
  const rows = useMemo<RequestRow[]>(() => data?.pages.flatMap((page) => [...page.data]) ?? [], [data]);
  const isSearching = hasNextPage && rows.length < ENOUGH && (data?.pages.length ?? 0) < MOST_PAGES && error === null;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return { pages, rows, isSearching };
}
