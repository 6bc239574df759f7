import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

/** Where fewer were found, the search goes on by itself. A page may be short and have a next one: rare requests are searched for. */
const ENOUGH = 50;

export type Pages<Row> = UseInfiniteQueryResult<InfiniteData<{ data: readonly Row[] }>>;

/** All rows that were read, newest first. Pages are read until there are enough rows, up to `mostPages`. */
export function useEnough<Row>(pages: Pages<Row>, mostPages: number): { rows: Row[]; isSearching: boolean } {
  const { data, hasNextPage, isFetching, fetchNextPage, error } = pages;
  const rows = useMemo(() => data?.pages.flatMap((page) => [...page.data]) ?? [], [data]);
  const isSearching = hasNextPage && rows.length < ENOUGH && (data?.pages.length ?? 0) < mostPages && error === null;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return { rows, isSearching };
}
