import type { ReactNode } from "react";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { TOKENS } from "../../format/unit.ts";
import type { OverviewPart } from "./overview-part.ts";
import { bucketsIn, type SeriesAnswer, type SeriesPoint, STEP_NAMES, valuesIn } from "./series-of.ts";

type TokenPoint = Pick<SeriesPoint, "at" | "input_tokens" | "cached_tokens" | "output_tokens">;
type Props = Omit<OverviewPart, "answer"> & {
  /** Of all keys, or of one. */
  answer: (Pick<SeriesAnswer, "from" | "to" | "step"> & { points: readonly TokenPoint[] }) | undefined;
};

const KINDS: readonly [name: string, of: (point: TokenPoint) => bigint][] = [
  ["input", ({ input_tokens: input, cached_tokens: cached }) => BigInt(input - cached)],
  ["cached input", ({ cached_tokens: cached }) => BigInt(cached)],
  ["output", ({ output_tokens: output }) => BigInt(output)],
];
const COLOURS = ["var(--series-1)", "var(--series-6)", "var(--series-3)"];

export function TokensOverTime({ answer, shown, onRange }: Props): ReactNode {
  const buckets = bucketsIn(answer);
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
