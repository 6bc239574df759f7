import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiError } from "../../api/call.ts";
import { shownOf } from "../../parts/shown-of.ts";
import { Skeleton, Stateful } from "../../parts/state.tsx";

const LATE_TRIES = 4;

/** A record is written within a second or two after its request has ended. */
export const LATE = {
  retry: (count: number, error: Error) => count < LATE_TRIES && error instanceof ApiError && error.status === 404,
  retryDelay: 1000,
};

type Props<Detail> = {
  asked: UseQueryResult<Detail>;
  children: (request: Detail) => ReactNode;
};

/** The page of one request. */
export function RequestPage<Detail>({ asked, children }: Props<Detail>): ReactNode {
  return (
    <div className="flex flex-col gap-4">
      <Link to="/requests" search className="w-fit text-accent hover:underline">
        ← All requests
      </Link>
      <Stateful shown={shownOf(asked, null)} height={400}>
        {asked.data === undefined ? <Skeleton height={400} /> : children(asked.data)}
      </Stateful>
    </div>
  );
}
