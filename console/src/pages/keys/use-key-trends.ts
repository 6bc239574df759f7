import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { queryOf } from "../../api/query.ts";
import { readCredits } from "../../format/money.ts";
import { DAY_MS } from "../../format/time.ts";
import { CREDITS, TOKENS, type Unit } from "../../format/unit.ts";

/** What a key used on each day. */
export type Trend = { values: bigint[]; unit: Unit };

const DAYS = 30;
const MOST_KEYS = 50;

/** Of the keys that spent most, over the last days in UTC: in credits, or in tokens where nothing was paid in credits. */
export function useKeyTrends(nowMs: number): ReadonlyMap<string, Trend> {
  const to = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  const from = to - DAYS * DAY_MS;
  const series = useQuery(
    queryOf("GET /admin/v1/series", {
      query: { from: iso(from), to: iso(to), step: "1d", by: "key", top: MOST_KEYS },
    }),
  );
  return useMemo(
    () =>
      new Map(
        (series.data?.groups ?? []).flatMap(({ id, total, points }) => {
          if (id === null) return [];
          const unit = readCredits(total.credits) > 0n ? CREDITS : TOKENS;
          const values = Array.from({ length: DAYS }, () => 0n);
          for (const { at, credits, tokens } of points)
            values[Math.floor((Date.parse(at) - from) / DAY_MS)] =
              unit === CREDITS ? readCredits(credits) : BigInt(tokens);
          return [[id, { values, unit }]];
        }),
      ),
    [series.data, from],
  );
}

const iso = (ms: number): string => new Date(ms).toISOString();
