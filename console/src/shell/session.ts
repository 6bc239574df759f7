import { queryOptions } from "@tanstack/react-query";
import { ApiError, call } from "../api/call.ts";

/** Who is signed in. Asked for once per load; every 401 of another call asks again. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => call("GET /admin/v1/session", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
