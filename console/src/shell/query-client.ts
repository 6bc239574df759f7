import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/call.ts";
import { isSignedOut, sessionQuery } from "./session.ts";

const MOST_RETRIES = 2;
/** What another try may change: no answer, or a gateway that is away or busy. */
const PASSING = [0, 429, 502, 503, 504];

/** `onSignedOut` is called when a session has ended while a page was open. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (isSignedOut(error) && query.queryKey[1] !== sessionQuery.queryKey[1]) onSignedOut();
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => count < MOST_RETRIES && error instanceof ApiError && PASSING.includes(error.status),
      },
    },
  });
}
