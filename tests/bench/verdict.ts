import type { Figure } from "./figure.ts";

/** Plain requests pay for two calls to the ledger each; a stream shares them among its events. */
const LEAST = { plain: 0.4, stream: 0.85 };

export type Miss = { kind: keyof typeof LEAST; ratio: number | null; least: number };

/**
 * The demands that were measured and not met. What counts is the lower of two ratios: of the rates, and of the processor
 * time per operation. Where the load was the limit, both rates are the same, and only the second one can tell.
 */
export function missesOf(figures: readonly Figure[]): Miss[] {
  const misses: Miss[] = [];
  for (const kind of ["plain", "stream"] as const) {
    const rate = figures.find(({ id }) => id === `${kind}-rate`);
    const cpu = figures.find(({ id }) => id === `${kind}-cpu`);
    if (rate === undefined || cpu === undefined) continue;
    const ratio = rate.ratio === null || cpu.ratio === null ? null : Math.min(rate.ratio, 1 / cpu.ratio);
    const least = LEAST[kind];
    if (ratio === null || ratio < least) misses.push({ kind, ratio, least });
  }
  return misses;
}
