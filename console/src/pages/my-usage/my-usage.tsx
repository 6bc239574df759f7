import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { queryOf } from "../../api/query.ts";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { unitOf } from "../../format/counted.ts";
import { shownOf } from "../../parts/shown-of.ts";
import { useMe } from "../../shell/holder-session.ts";
import { usePageSearch } from "../../shell/use-range.ts";
import { DataTable } from "../../table/data-table.tsx";
import { STEP_NAMES, stepFor } from "../overview/series-of.ts";
import { TokensOverTime } from "../overview/tokens-over-time.tsx";
import { modelColumns, shareRows } from "./model-columns.tsx";
import { type OwnSeries, seriesByModel } from "./own-series.ts";
import { UsageFigures } from "./usage-figures.tsx";

const NOTHING = { title: "No requests in this span", hint: "Choose a longer one, or send a first request." };

/** What the key spent, on which models, and how many tokens went through. */
export function MyUsage(): ReactNode {
  const unit = useMe().key.mode === "credit" ? "credit" : "tokens";
  const { range, change } = usePageSearch();
  const navigate = useNavigate();
  const query = {
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
    step: stepFor(range.toMs - range.fromMs),
    by: "model",
  } as const;
  const asked = useQuery({
    ...queryOf("GET /me/series", { query }),
    placeholderData: <Kept,>(kept: Kept) => kept,
  });
  const answer: OwnSeries | undefined = asked.data;
  const { buckets, series } = seriesByModel(answer, unit);
  const shown = shownOf(asked, answer?.points.length === 0 ? NOTHING : null);
  const onRange = (fromMs: number, toMs: number): void =>
    change({ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() });
  const openRequests = (model: string): void =>
    void navigate({ to: "/requests", search: (before) => ({ ...before, model }) });
  const step = answer ? STEP_NAMES[answer.step] : "";
  return (
    <div className="flex flex-col gap-4">
      <UsageFigures total={answer?.total} unit={unit} />
      <div className="grid gap-4 *:min-w-0 xl:grid-cols-2">
        <StackedChart
          title="Which models cost most?"
          lead={`${unit === "credit" ? "Credits" : "Tokens"} charged ${step}`}
          unit={unitOf(unit)}
          buckets={buckets}
          series={series}
          shown={shown}
          onRange={onRange}
          onPickSeries={(id) => id !== "other" && openRequests(id)}
        />
        <TokensOverTime answer={answer} shown={shown} onRange={onRange} />
      </div>
      <DataTable
        label="Models used"
        columns={modelColumns(unit)}
        rows={shareRows(answer, unit)}
        rowKey={({ id }) => id}
        onOpen={({ id, name }) => id === name && openRequests(id)}
        shown={shown}
        tools={
          <a
            href={`/me/series.csv?${new URLSearchParams(query)}`}
            download="usage.csv"
            className="px-2 text-small text-accent hover:underline"
          >
            Every step as CSV
          </a>
        }
      />
    </div>
  );
}
