import type { AnswerOf } from "../../api/call.ts";
import type { Buckets, Series } from "../../charts/series.ts";
import { readAmount } from "../../format/counted.ts";
import { bucketsIn, chargedSeries } from "../overview/series-of.ts";

export type OwnSeries = AnswerOf<"GET /me/series">;

/** Null: all that are not among the largest. Empty: requests that named no model, or none that there is. */
export const modelName = (name: string | null): string => (name === null ? "all others" : name || "no model");

/** What each model was charged over time, in the unit the key pays with. Models that cost nothing are left out. */
export function seriesByModel(
  answer: OwnSeries | undefined,
  unit: "credit" | "tokens",
): { buckets: Buckets; series: Series[] } {
  const buckets = bucketsIn(answer);
  const groups = (answer?.groups ?? []).map((group) => ({ ...group, id: group.name, name: modelName(group.name) }));
  const series = chargedSeries(groups, buckets, ({ credits, tokens }) =>
    readAmount(unit, unit === "credit" ? credits : tokens),
  );
  return { buckets, series };
}
