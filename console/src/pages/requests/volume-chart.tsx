import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { codeColour } from "../../charts/code-colour.ts";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { groupDigits } from "../../format/money.ts";
import { REQUESTS } from "../../format/unit.ts";
import { shownOf } from "../../parts/shown-of.ts";
import type { Shown } from "../../parts/state.tsx";
import type { CountedSeries, EndedRequest } from "./request-query.ts";
import type { RequestView } from "./use-request-view.ts";
import { countRows, STEP_TITLES, volumeOf } from "./volume.ts";

export type Sums = UseQueryResult<CountedSeries>;

type Props = {
  question: string;
  view: RequestView;
  sums: Sums;
  /** What the list has, for filters that the gateway has no sums of. */
  rows: readonly EndedRequest[];
  hasMore: boolean;
  onCode: (code: string) => void;
  onRange: (fromMs: number, toMs: number) => void;
};

/** How many requests there were, and how they ended. */
export function VolumeChart({ question, view, sums, rows, hasMore, onCode, onRange }: Props): ReactNode {
  const { query, range, sums: asked } = view;
  const summed = asked !== null && sums.data !== undefined ? volumeOf(sums.data, query, range) : null;
  const isCounted = asked === null || (sums.data !== undefined && summed === null);
  const { step, buckets, series } = summed ?? countRows(rows, range);
  const shown: Shown = isCounted
    ? hasMore
      ? { kind: "partial", note: `Counted from the newest ${groupDigits(rows.length)} requests, as listed below.` }
      : { kind: "ready" }
    : shownOf(sums, null);
  return (
    <StackedChart
      title={question}
      lead={`Requests per ${STEP_TITLES[step]}, by code`}
      height={132}
      buckets={buckets}
      series={series}
      colours={series.map(({ id }) => codeColour(id))}
      unit={REQUESTS}
      shown={shown}
      onPick={onRange}
      onRange={onRange}
      onPickSeries={onCode}
    />
  );
}
