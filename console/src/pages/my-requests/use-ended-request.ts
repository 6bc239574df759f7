import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { keyOf } from "../../api/query.ts";
import type { HolderRequest } from "../../api/generated/holder.ts";

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
