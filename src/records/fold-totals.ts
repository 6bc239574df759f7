import type { SeriesRow } from "./fold-series.ts";
import { addedCounts } from "./histogram.ts";

/** A row of the table `series_total`, as JSON: rows of `series` of all models and providers, added up. */
export type TotalRow = Omit<SeriesRow, "model" | "provider">;

export function foldTotals(series: readonly SeriesRow[]): TotalRow[] {
  const totals = new Map<string, TotalRow>();
  for (const { model: _model, provider: _provider, ...row } of series) {
    const name = `${row.scope} ${row.grain} ${row.start} ${row.code}`;
    const total = totals.get(name);
    if (total === undefined) totals.set(name, row);
    else add(total, row);
  }
  return [...totals.values()];
}

function add(into: TotalRow, row: TotalRow): void {
  into.requests += row.requests;
  into.input += row.input;
  into.cached += row.cached;
  into.output += row.output;
  into.credits = String(BigInt(into.credits) + BigInt(row.credits));
  into.tokens = String(BigInt(into.tokens) + BigInt(row.tokens));
  into.spoken += row.spoken;
  into.spoken_ms += row.spoken_ms;
  into.ttft = addedCounts(into.ttft, row.ttft);
  into.overhead = addedCounts(into.overhead, row.overhead);
}
