import { queryOptions, useQuery } from "@tanstack/react-query";
import { type AnswerOf, ApiError, call } from "../api/call.ts";
import { keyOf, queryOf } from "../api/query.ts";
import { isSignedOut } from "./session.ts";

/** The key that is signed in, with what it has left. */
export const meQuery = queryOptions({
  queryKey: keyOf("GET /me"),
  queryFn: async ({ signal }) => {
    if (!mayBeSignedIn()) throw signedOut();
    return call("GET /me", { signal }).catch((error: unknown) => {
      if (isSignedOut(error)) noteSignedIn("no");
      throw error;
    });
  },
  retry: false,
});

/** Whether people get in without a key. */
export const holderWaysInQuery = queryOptions({
  ...queryOf("GET /me/sign-in"),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Whether somebody signed in with this browser, which is no secret: a browser writes every 401 on its console, so one asks first. */
const NAME = "tollgate.signed-in";

function mayBeSignedIn(): boolean {
  try {
    return localStorage.getItem(NAME) === "yes";
  } catch {
    return true;
  }
}

export function noteSignedIn(word: "yes" | "no"): void {
  try {
    localStorage.setItem(NAME, word);
  } catch {
    // Without storage the gateway is asked every time.
  }
}

const signedOut = (): ApiError =>
  new ApiError({
    status: 401,
    code: "invalid_credentials",
    message: "You are not signed in.",
    requestId: null,
    param: null,
  });

export type Me = AnswerOf<"GET /me">;

/** The same on a page, which is shown to those alone who are signed in. */
export function useMe(): Me {
  const { data } = useQuery(meQuery);
  if (data === undefined) throw new Error("Nobody is signed in.");
  return data;
}

/** Where clients reach the gateway with this key, without `/v1`. What the operator set counts before what the browser was given. */
export const originOf = ({ origin, key }: Pick<Me, "origin" | "key">): string =>
  origin ?? `${location.origin}${key.mode === "credit" ? "" : "/token"}`;
