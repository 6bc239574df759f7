import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";

const EVERY_MS = 30_000;

/** The clients and browsers that the reader is signed in with. */
export const ownSessionsQuery = queryOptions({
  queryKey: ["me", "sessions"],
  queryFn: async ({ signal }) => (await call("GET /me/sessions", { signal })).data,
  refetchInterval: EVERY_MS,
});
