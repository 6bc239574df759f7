import type { ReactNode } from "react";
import { readAmount, unitOf } from "../../format/counted.ts";
import { DURATION, PERCENT, REQUESTS, TOKENS } from "../../format/unit.ts";
import { Figure, Figures } from "../../parts/figure.tsx";
import { microseconds } from "../overview/series-of.ts";
import type { OwnSeries } from "./own-series.ts";

/** The sums of a span. */
export function UsageFigures({
  total,
  unit,
}: {
  total: OwnSeries["total"] | undefined;
  unit: "credit" | "tokens";
}): ReactNode {
  const failed = total === undefined ? 0 : total.requests - (total.codes["ok"] ?? 0);
  return (
    <Figures>
      <Figure
        label="Charged"
        unit={unitOf(unit)}
        value={total ? readAmount(unit, unit === "credit" ? total.credits : total.tokens) : null}
      />
      <Figure label="Requests" unit={REQUESTS} value={total ? BigInt(total.requests) : null} />
      <Figure
        label="Not delivered"
        unit={PERCENT}
        value={total && total.requests > 0 ? BigInt(Math.round((failed / total.requests) * 10_000)) : null}
        note={failed > 0 && `${failed} ${failed === 1 ? "request" : "requests"}`}
      />
      <Figure
        label="First token, p50"
        unit={DURATION}
        value={total?.ttft ? microseconds(total.ttft.p50) : null}
        note={total?.ttft && `p95 ${DURATION.show(microseconds(total.ttft.p95))}`}
      />
      <Figure
        label="Input"
        unit={TOKENS}
        value={total ? BigInt(total.input_tokens) : null}
        note={total !== undefined && total.cached_tokens > 0 && `${TOKENS.short(BigInt(total.cached_tokens))} cached`}
      />
      <Figure label="Output" unit={TOKENS} value={total ? BigInt(total.output_tokens) : null} />
    </Figures>
  );
}
