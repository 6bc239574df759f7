import { useQuery } from "@tanstack/react-query";
import { queryOf } from "../../api/query.ts";
import { HOUR_MS, DAY_MS } from "../../format/time.ts";
import { useNow } from "../../shell/use-range.ts";

const DAYS = 7;
const EVERY_MS = 60_000;

/** What the key did in the last seven days, by hour. Its beginning is a whole hour, so that the same hour asks for the same. */
export function useWeek() {
  const toMs = Math.ceil(useNow(EVERY_MS) / HOUR_MS) * HOUR_MS;
  const span = { from: new Date(toMs - DAYS * DAY_MS).toISOString(), to: new Date(toMs).toISOString() };
  return useQuery({
    ...queryOf("GET /me/series", { query: { ...span, step: "1h", by: "model" } }),
    placeholderData: <Kept>(kept: Kept) => kept,
    refetchInterval: EVERY_MS,
  });
}
