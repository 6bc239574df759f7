import type { ReactNode } from "react";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { TOKENS } from "../../format/unit.ts";
import type { OverviewPart } from "./overview-part.ts";
import { bucketsIn, type SeriesPoint, STEP_NAMES, valuesIn } from "./series-of.ts";

const KINDS: readonly [name: string, of: (point: SeriesPoint) => bigint][] = [
  ["input", ({ input_tokens: input, cached_tokens: cached }) => BigInt(input - cached)],
  ["cached input", ({ cached_tokens: cached }) => BigInt(cached)],
  ["output", ({ output_tokens: output }) => BigInt(output)],
];
const COLOURS = ["var(--series-1)", "var(--series-6)", "var(--series-3)"];

export function TokensOverTime({ answer, shown, onRange }: OverviewPart): ReactNode {
  const buckets = answer ? bucketsIn(answer) : { startsMs: [], stepMs: 1 };
  return (
    <StackedChart
      title="How many tokens pass through?"
      lead={`Tokens ${answer ? STEP_NAMES[answer.step] : ""}`}
      unit={TOKENS}
      buckets={buckets}
      series={KINDS.map(([name, of]) => ({
        id: name,
        name,
        values: valuesIn(buckets, answer?.points ?? [], { of, none: 0n }),
      }))}
      colours={COLOURS}
      shown={shown}
      onRange={onRange}
    />
  );
}
