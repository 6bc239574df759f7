import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { queryOf } from "../../api/query.ts";
import { StackedChart } from "../../charts/stacked-chart.tsx";
import { readCredits } from "../../format/money.ts";
import { DAY_MS } from "../../format/time.ts";
import { CREDITS, DURATION, PERCENT, REQUESTS, TOKENS, type Unit } from "../../format/unit.ts";
import { Figure, Figures } from "../../parts/figure.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { bucketsIn, creditSeries, microseconds } from "../overview/series-of.ts";

const DAYS = 30;
const IN_DAYS = `in ${DAYS} days`;
const SPEED: Unit = { ...REQUESTS, name: "tokens/s" };

/** What it did in the last days, by the provider that was asked last. */
export function ModelUse({ id }: { id: string }): ReactNode {
  const [toMs] = useState(() => (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS);
  const series = useQuery(
    queryOf("GET /admin/v1/series", {
      query: {
        from: new Date(toMs - DAYS * DAY_MS).toISOString(),
        to: new Date(toMs).toISOString(),
        step: "1d",
        model: id,
        by: "provider",
        top: 7,
      },
    }),
  );
  const total = series.data?.total;
  const buckets = bucketsIn(series.data);
  const share = total && total.requests > 0 ? ((total.codes["ok"] ?? 0) / total.requests) * 10_000 : null;
  const known = (value: bigint | null | undefined): bigint | null => value ?? null;
  return (
    <>
      <Figures>
        <Figure label="Charged" unit={CREDITS} value={known(total && readCredits(total.credits))} note={IN_DAYS} />
        <Figure label="Requests" unit={REQUESTS} value={known(total && BigInt(total.requests))} note={IN_DAYS} />
        <Figure label="Delivered" unit={PERCENT} value={share === null ? null : BigInt(Math.round(share))} />
        <Figure label="First token, p95" unit={DURATION} value={known(total?.ttft && microseconds(total.ttft.p95))} />
        <Figure
          label="Speed"
          unit={SPEED}
          value={known(total?.output_per_second == null ? null : BigInt(Math.round(total.output_per_second)))}
          note="of completed streams"
        />
        <Figure
          label="Output"
          unit={TOKENS}
          value={known(total && BigInt(total.output_tokens))}
          note={total && `${TOKENS.short(BigInt(total.input_tokens))} in`}
        />
      </Figures>
      <StackedChart
        title="How much does it charge each day?"
        lead={`Credits charged per day in UTC, ${DAYS} days, by the provider that was asked last`}
        unit={CREDITS}
        buckets={buckets}
        series={creditSeries(series.data, buckets)}
        shown={shownOf(series, total?.requests === 0 ? { title: `It was not used in these ${DAYS} days` } : null)}
      />
    </>
  );
}
