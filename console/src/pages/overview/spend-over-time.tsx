import type { ReactNode } from "react";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { CREDITS } from "../../format/unit.ts";
import { Choices } from "../../parts/choices.tsx";
import type { OverviewPart } from "./overview-part.ts";
import { bucketsIn, creditSeries, STEP_NAMES } from "./series-of.ts";

const GROUPS = ["model", "account", "key", "provider"] as const;
export type SpendGroup = (typeof GROUPS)[number];

type Props = OverviewPart & { by: SpendGroup; onBy: (by: SpendGroup) => void; onPick: (id: string) => void };

export function SpendOverTime({ answer, shown, onRange, by, onBy, onPick }: Props): ReactNode {
  const buckets = bucketsIn(answer);
  return (
    <StackedChart
      title={`Which ${by}s cost most?`}
      lead={`Credits charged ${answer ? STEP_NAMES[answer.step] : ""}`}
      unit={CREDITS}
      buckets={buckets}
      series={creditSeries(answer, buckets)}
      shown={shown}
      tools={<Choices label="Divide by" value={by} choices={GROUPS} onChoose={onBy} />}
      onRange={onRange}
      onPickSeries={(id) => id !== "other" && onPick(id)}
    />
  );
}
