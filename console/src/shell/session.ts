import { queryOptions } from "@tanstack/react-query";
import { ApiError, call } from "../api/call.ts";
import { keyOf, queryOf } from "../api/query.ts";

/** How one gets in, and whether one is. */
export const waysInQuery = queryOf("GET /admin/v1/sign-in");

/** Who is signed in. Asked for once per load; every 401 of another call asks again. */
export const sessionQuery = queryOptions({
  queryKey: keyOf("GET /admin/v1/session"),
  queryFn: async ({ signal, client }) => {
    // Browsers write every 401 on the console, so one asks first.
    const { signed_in: isSignedIn } = await client.fetchQuery({ ...waysInQuery, staleTime: 0 });
    if (!isSignedIn) throw signedOut();
    return call("GET /admin/v1/session", { signal });
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

const signedOut = (): ApiError =>
  new ApiError({
    status: 401,
    code: "invalid_credentials",
    message: "You are not signed in.",
    requestId: null,
    param: null,
  });

export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
