import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { keyOf, readAll } from "../../api/query.ts";

const PAGE = 1000;
const MOST = 5000;

/** Every account, each followed by those below it; so many at most. */
export const accountsQuery = queryOptions({
  queryKey: keyOf("GET /admin/v1/accounts", {}, "all"),
  queryFn: ({ signal }) =>
    readAll(MOST, (after) =>
      call("GET /admin/v1/accounts", { query: { limit: PAGE, ...(after !== null && { after }) }, signal }),
    ),
});
