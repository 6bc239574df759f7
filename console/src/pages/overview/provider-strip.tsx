import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Chart } from "../../charts/plot/chart.tsx";
import { DURATION, PERCENT, REQUESTS } from "../../format/unit.ts";
import { Badge } from "../../parts/badge.tsx";
import { shownOf } from "../../parts/shown-of.ts";
import { healthQuery } from "../providers/providers-query.ts";
import { stateName, stateTone } from "../providers/route-state.tsx";
import { successShare, type ProviderRow, useProviderRows, useProviderSeries } from "../providers/use-provider-rows.ts";
import { useHouseWide } from "../../shell/use-house-wide.ts";
import { microseconds } from "./series-of.ts";

const MOST = 8;
const NOTHING: readonly never[] = [];
const UNASKED = { title: "No provider was asked in this span" };

type Span = Parameters<typeof useProviderSeries>[0];

/** Every provider that was asked: whether its routes are in use, and what became of requests. */
export function ProviderStrip({ span }: { span: Span }): ReactNode {
  const series = useProviderSeries(span);
  const health = useQuery({ ...healthQuery, enabled: useHouseWide() });
  const rows = useProviderRows(null, health.data ?? NOTHING, series.data).toSorted(byTrouble);
  const hasStates = health.data !== undefined;
  return (
    <Chart
      title="How are the providers?"
      lead="Requests by the provider asked last; routes as the gateway process that answered sees them now"
      height={64}
      shown={shownOf(series, rows.length === 0 ? UNASKED : null)}
      table={tableOf(rows)}
      legend={
        rows.length > MOST && (
          <Link to="/providers" className="mt-1 inline-block text-small text-accent hover:underline">
            and {rows.length - MOST} more
          </Link>
        )
      }
    >
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(210px,1fr))] gap-2">
        {rows.slice(0, MOST).map((row) => (
          <li key={row.name} className="min-w-0">
            <Link
              to="/providers/$provider"
              params={{ provider: row.name }}
              className="block rounded-md bg-sunken/60 px-3 py-2 hover:bg-sunken"
            >
              <span className="flex items-center gap-2">
                <span className="min-w-0 flex-1 truncate font-medium">{row.name}</span>
                {hasStates && <Badge tone={stateTone(row.state)}>{stateName(row.state)}</Badge>}
              </span>
              <span
                className="block truncate text-small text-ink-2"
                title={row.total === null ? undefined : `${REQUESTS.show(BigInt(row.total.requests))} requests`}
              >
                {wordsOf(row)}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Chart>
  );
}

/** Those in trouble first, then by how much they are used. */
function byTrouble(one: ProviderRow, other: ProviderRow): number {
  const inTrouble = ({ state }: ProviderRow): number => Number(state === "closed" || state === "unused");
  return inTrouble(one) - inTrouble(other) || (other.total?.requests ?? 0) - (one.total?.requests ?? 0);
}

function wordsOf({ total }: ProviderRow): string {
  const share = successShare(total);
  if (total === null || share === null) return "not asked in this span";
  const first = total.ttft ? ` · p95 ${DURATION.show(microseconds(total.ttft.p95))}` : "";
  return `${PERCENT.show(share)} success${first}`;
}

const tableOf = (rows: readonly ProviderRow[]) => ({
  heads: ["Provider", "Routes", "Requests", "Success", "First token, p95"],
  rows: rows.map(({ name, state, total }) => {
    const share = successShare(total);
    const p95 = total?.ttft ? microseconds(total.ttft.p95) : null;
    return [
      { show: name, plain: name },
      { show: stateName(state), plain: stateName(state) },
      { show: REQUESTS.show(BigInt(total?.requests ?? 0)), plain: String(total?.requests ?? 0) },
      { show: share === null ? "–" : PERCENT.show(share), plain: share === null ? "" : PERCENT.plain(share) },
      { show: p95 === null ? "–" : DURATION.show(p95), plain: p95 === null ? "" : DURATION.plain(p95) },
    ];
  }),
});
