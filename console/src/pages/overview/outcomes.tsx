import type { ReactNode } from "react";
import { codeColour, codeName } from "../../charts/code-colour.ts";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { REQUESTS } from "../../format/unit.ts";
import type { OverviewPart } from "./overview-part.ts";
import { bucketsIn, codesIn, type SeriesPoint, STEP_NAMES, valuesIn } from "./series-of.ts";

export function Outcomes({ answer, shown, onRange }: OverviewPart): ReactNode {
  const buckets = bucketsIn(answer);
  const codes = answer ? codesIn(answer) : [];
  const of = (code: string) => ({ of: (point: SeriesPoint) => BigInt(point.codes[code] ?? 0), none: 0n });
  return (
    <StackedChart
      title="How do requests end?"
      lead={`Requests ${answer ? STEP_NAMES[answer.step] : ""}, by the code they ended with`}
      unit={REQUESTS}
      buckets={buckets}
      series={codes.map((code) => ({
        id: code,
        name: codeName(code),
        values: valuesIn(buckets, answer?.points ?? [], of(code)),
      }))}
      colours={codes.map(codeColour)}
      shown={shown}
      onRange={onRange}
    />
  );
}
