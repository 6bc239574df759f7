import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import type { Account } from "../../api/generated/admin.ts";

const PAGE = 1000;
const MOST = 5000;

/** Every account, each followed by those below it; so many at most. */
export const accountsQuery = queryOptions({
  queryKey: ["accounts"],
  queryFn: async ({ signal }): Promise<readonly Account[]> => {
    const all: Account[] = [];
    for (let after: string | null = null; all.length < MOST;) {
      const page: { data: readonly Account[]; next: string | null } = await call("GET /admin/v1/accounts", {
        query: { limit: PAGE, ...(after !== null && { after }) },
        signal,
      });
      all.push(...page.data);
      after = page.next;
      if (after === null) break;
    }
    return all;
  },
});
