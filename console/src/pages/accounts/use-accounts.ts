import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { pagesOf } from "../../api/query.ts";
import { useSettled } from "../../parts/use-settled.ts";
import { accountsQuery } from "./accounts-query.ts";

const PAGE = 100;
const EVERY_MS = 30_000;

/** All accounts, or those that the gateway finds by a part of their name. */
export function useAccounts(find: string | undefined) {
  const search = useSettled(find);
  const isFound = search !== undefined;
  const all = useQuery({ ...accountsQuery, enabled: !isFound, refetchInterval: EVERY_MS });
  const found = useInfiniteQuery({
    ...pagesOf("GET /admin/v1/accounts", { query: { limit: PAGE, ...(isFound && { search }) } }),
    enabled: isFound,
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(
    () => (isFound ? found.data?.pages.flatMap(({ data }) => data) : all.data) ?? [],
    [isFound, found.data, all.data],
  );
  return { isFound, rows, asked: isFound ? found : all, more: isFound && found.hasNextPage ? found : null };
}
