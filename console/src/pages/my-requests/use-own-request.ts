import { useQuery } from "@tanstack/react-query";
import { ApiError, call } from "../../api/call.ts";
import { keyOf, queryOf } from "../../api/query.ts";
import type { HolderRequest } from "../../api/generated/holder.ts";

/** A record is written within a second or two after its request has ended. */
const LATE_TRIES = 4;
const LATE_MS = 1000;

/** One request of the key. */
export const useOwnRequest = (id: string) =>
  useQuery({
    ...queryOf("GET /me/requests/{request}", { params: { request: id } }),
    retry: (count, error) => count < LATE_TRIES && error instanceof ApiError && error.status === 404,
    retryDelay: LATE_MS,
  });

const RECENT = 20;
const MOST_LOOKS = 30;
const LOOK_EVERY_MS = 500;
const NOT_YET = "The request is not recorded yet.";

/**
 * The record of a request that has just ended, out of the list of the newest, which has it some moments later. Null: none is asked
 * for yet.
 */
export const useEndedRequest = (id: string | null) =>
  useQuery<HolderRequest>({
    queryKey: keyOf("GET /me/requests", { query: { limit: RECENT } }, String(id)),
    queryFn: async ({ signal }) => {
      const { data } = await call("GET /me/requests", { query: { limit: RECENT }, signal });
      const found = data.find(({ request_id: listed }) => listed === id);
      if (found === undefined) throw new Error(NOT_YET);
      return found;
    },
    enabled: id !== null,
    retry: (count, error) => count < MOST_LOOKS && error.message === NOT_YET,
    retryDelay: LOOK_EVERY_MS,
    staleTime: Number.POSITIVE_INFINITY,
  });
