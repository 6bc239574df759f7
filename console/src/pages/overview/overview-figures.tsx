import type { ReactNode } from "react";
import { Sparkline } from "../../charts/sparkline.tsx";
import { readCredits } from "../../format/money.ts";
import { CREDITS, DURATION, PERCENT, REQUESTS, TOKENS, type Unit } from "../../format/unit.ts";
import type { Wish } from "../../parts/delta.tsx";
import { Figure, Figures } from "../../parts/figure.tsx";
import { bucketsIn, microseconds, type SeriesAnswer, valuesIn } from "./series-of.ts";

type Sum = SeriesAnswer["total"];

/** Null: nothing of its kind happened. */
const FIGURES: readonly { label: string; unit: Unit; wish?: Wish; of: (sum: Sum) => bigint | null }[] = [
  { label: "Charged", unit: CREDITS, of: ({ credits }) => readCredits(credits) },
  { label: "Requests", unit: REQUESTS, of: ({ requests }) => BigInt(requests) },
  {
    label: "Not delivered",
    unit: PERCENT,
    wish: "less",
    of: ({ requests, codes }) =>
      requests === 0 ? null : BigInt(Math.round(((requests - (codes["ok"] ?? 0)) / requests) * 10_000)),
  },
  {
    label: "First token, p95",
    unit: DURATION,
    wish: "less",
    of: ({ ttft }) => (ttft === null ? null : microseconds(ttft.p95)),
  },
  {
    label: "Gateway overhead, p95",
    unit: DURATION,
    wish: "less",
    of: ({ overhead }) => (overhead === null ? null : microseconds(overhead.p95)),
  },
  { label: "Output", unit: TOKENS, of: ({ output_tokens: output }) => BigInt(output) },
];

/** The sums of a span beside those of the span before it. */
export function OverviewFigures({
  now,
  before,
}: {
  now: SeriesAnswer | undefined;
  before: SeriesAnswer | undefined;
}): ReactNode {
  return (
    <Figures>
      {FIGURES.map(({ label, unit, wish = "neither", of }) => {
        const past = before && of(before.total);
        return (
          <Figure
            key={label}
            label={label}
            unit={unit}
            wish={wish}
            value={now ? of(now.total) : null}
            {...(typeof past === "bigint" && { before: past })}
            trend={
              now &&
              now.points.length > 1 && (
                <Sparkline
                  label={label}
                  unit={unit}
                  values={valuesIn(bucketsIn(now), now.points, { of: (point) => of(point) ?? 0n, none: 0n })}
                />
              )
            }
          />
        );
      })}
    </Figures>
  );
}
