import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { pagesOf } from "../../api/query.ts";
import type { ClientSession } from "../../api/generated/admin.ts";

const PAGE = 200;

/** Client sessions, newest first: of a person, in an account and below it, or all. */
export function useClientSessions(which: { person?: string; account?: string }, enabled = true) {
  const pages = useInfiniteQuery({
    ...pagesOf("GET /admin/v1/client-sessions", {
      query: { ...which, limit: PAGE },
    }),
    refetchInterval: 30_000,
    enabled,
  });
  const rows = useMemo<ClientSession[]>(() => pages.data?.pages.flatMap(({ data }) => [...data]) ?? [], [pages.data]);
  return { pages, rows };
}
