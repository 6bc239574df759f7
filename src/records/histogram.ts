export const emptyCounts = (bounds: readonly number[]): number[] => Array.from({ length: bounds.length + 1 }, () => 0);

export function countIn(counts: number[], bounds: readonly number[], { valueMs, times }: Counted): void {
  let place = 0;
  while (place < bounds.length && valueMs > (bounds[place] ?? 0)) place++;
  counts[place] = (counts[place] ?? 0) + times;
}

export function addedCounts(one: number[] | null, other: readonly number[] | null): number[] | null {
  if (one === null || other === null) return one ?? (other && [...other]);
  return one.map((count, place) => count + (other[place] ?? 0));
}

type Counted = { valueMs: number; times: number };

/** The value below which a share of what was counted lies, taken as even within each bucket. Above the last bound it is that bound. */
export function quantileOf(counts: readonly number[], bounds: readonly number[], share: number): number {
  const rank = counts.reduce((sum, count) => sum + count, 0) * share;
  let before = 0;
  for (const [place, count] of counts.entries()) {
    const [low, high] = [bounds[place - 1] ?? 0, bounds[place]];
    if (high === undefined) break;
    if (count > 0 && before + count >= rank)
      return Math.round((low + ((rank - before) / count) * (high - low)) * 10) / 10;
    before += count;
  }
  return bounds.at(-1) ?? 0;
}
