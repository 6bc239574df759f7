import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import type { HolderRequest } from "../../api/generated/holder.ts";
import { codeColour } from "../../charts/code-colour.ts";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { groupDigits } from "../../format/money.ts";
import { REQUESTS } from "../../format/unit.ts";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import type { Range } from "../../shell/range.ts";
import { countRows, seriesQuery, STEP_TITLES, volumeOf } from "../requests/volume.ts";
import type { OwnQuery } from "./use-own-requests.ts";

type Props = {
  query: OwnQuery;
  range: Range;
  /** What the list has, for filters that the gateway has no sums of. */
  rows: readonly HolderRequest[];
  hasMore: boolean;
  onCode: (code: string) => void;
  onRange: (fromMs: number, toMs: number) => void;
};

/** How many requests of the key there were, and how they ended. */
export function OwnVolume({ query, range, rows, hasMore, onCode, onRange }: Props): ReactNode {
  const asked = seriesQuery(query, range);
  const { from, to, step: each, by } = asked ?? {};
  const sums = useQuery({
    ...queryOf("GET /me/series", {
      query: {
        ...(from !== undefined && { from }),
        ...(to !== undefined && { to }),
        ...(each !== undefined && { step: each }),
        ...(by === "model" && { by }),
      },
    }),
    enabled: asked !== null,
  });
  const named = sums.data && {
    points: sums.data.points,
    groups: sums.data.groups.map(({ name, points }) => ({ id: name, points })),
  };
  const summed = asked !== null && named !== undefined ? volumeOf(named, query, range) : null;
  const isCounted = asked === null || (named !== undefined && summed === null);
  const { step, buckets, series } = summed ?? countRows(rows, range);
  const counted: Shown = hasMore
    ? { kind: "partial", note: `Counted from the newest ${groupDigits(rows.length)} requests, as listed below.` }
    : { kind: "ready" };
  return (
    <StackedChart
      title="How do my requests end?"
      lead={`Requests per ${STEP_TITLES[step]}, by code`}
      height={132}
      buckets={buckets}
      series={series}
      colours={series.map(({ id }) => codeColour(id))}
      unit={REQUESTS}
      shown={isCounted ? counted : shownOf(sums, null)}
      onPick={onRange}
      onRange={onRange}
      onPickSeries={onCode}
    />
  );
}
