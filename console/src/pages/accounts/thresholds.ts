import type { Counter, ShowThresholdsResponse } from "../../api/generated/admin.ts";

/** Percentages of a limit at which somebody is told; of a purse there are none, because it has amounts. */
export function thresholdsOf(watched: ShowThresholdsResponse | undefined, { id, kind }: Counter): readonly number[] {
  const found = watched?.counters.find(({ counter }) => counter === id);
  return kind === "limit" && found ? found.thresholds.map(Number).filter((percent) => percent < 100) : [];
}
