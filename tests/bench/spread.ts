/** The middle of a list of values, and where its middle half lies. */
export type Spread = { q1: number; median: number; q3: number };

/** Null: of nothing. */
export function spreadOf(values: readonly number[]): Spread | null {
  const sorted = values.toSorted((left, right) => left - right);
  if (sorted.length === 0) return null;
  return { q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75) };
}

/** Between two values it takes the point on the line that joins them. */
function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? 0;
  const above = sorted[Math.ceil(position)] ?? 0;
  return below + (above - below) * (position - Math.floor(position));
}
