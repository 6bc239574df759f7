import { queryOptions } from "@tanstack/react-query";
import { queryOf } from "../../api/query.ts";

const EVERY_MS = 30_000;

/** The clients and browsers that the reader is signed in with. */
export const ownSessionsQuery = queryOptions({
  ...queryOf("GET /me/sessions"),
  select: ({ data }) => data,
  refetchInterval: EVERY_MS,
});
