/** Upper bounds in milliseconds; one bucket more holds what is above the last. Stored counts follow these: add none between. */
export const TTFT_BOUNDS_MS = [
  50, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000, 15_000, 30_000, 60_000,
] as const;
export const OVERHEAD_BOUNDS_MS = [0.5, 1, 2, 3, 5, 7.5, 10, 15, 25, 50, 100, 250, 1_000] as const;

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
