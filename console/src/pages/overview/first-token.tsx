import type { ReactNode } from "react";
import { Heatmap } from "../../charts/heatmap.tsx";
import type { OverviewPart } from "./overview-part.ts";
import { bucketsIn, microseconds, type SeriesPoint, STEP_NAMES, valuesIn } from "./series-of.ts";

const PERCENTILES = ["p50", "p95", "p99"] as const;
const ABOVE = 2;

export function FirstToken({ answer, shown, onRange }: OverviewPart): ReactNode {
  const buckets = bucketsIn(answer);
  const points = answer?.points ?? [];
  const bounds = (answer?.bounds.ttft ?? []).map(microseconds);
  // The last bin has no upper bound; it is drawn as wide as the one before.
  const boundsUs = [...bounds, (bounds.at(-1) ?? 1n) * BigInt(ABOVE)];
  const line = (name: (typeof PERCENTILES)[number]) => ({
    name,
    whole: answer?.total.ttft ? microseconds(answer.total.ttft[name]) : null,
    values: valuesIn<SeriesPoint, bigint | null>(buckets, points, {
      of: ({ ttft }) => (ttft === null ? null : microseconds(Math.max(0.001, ttft[name]))),
      none: null,
    }),
  });
  return (
    <Heatmap
      title="How long until the first token?"
      lead={`Streams ${answer ? STEP_NAMES[answer.step] : ""}; a stronger colour means more of them`}
      buckets={buckets}
      boundsUs={boundsUs}
      counts={valuesIn<SeriesPoint, bigint[]>(buckets, points, {
        of: ({ ttft }) => (ttft?.counts ?? []).map(BigInt),
        none: [],
      })}
      lines={PERCENTILES.map(line)}
      shown={shown}
      onRange={onRange}
    />
  );
}
