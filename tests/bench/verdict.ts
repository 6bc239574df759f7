import type { Crossing } from "./crossings.ts";
import type { Figure } from "./figure.ts";

/** Plain requests pay for two calls to the ledger each; a stream shares them among its events. */
const LEAST = { plain: 0.4, stream: 0.85 };

const LEAST_TRANSLATED = 0.5;

export type Miss = { kind: string; ratio: number | null; of: string; least: number };

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
    if (ratio === null || ratio < least) misses.push({ kind, ratio, of: "the bare proxy", least });
  }
  return misses;
}

/** Translated streams are held against streams of the caller's format that are relayed. */
export function missesAmong(crossings: readonly Crossing[]): Miss[] {
  return crossings.flatMap(({ client, provider, ratio }) =>
    ratio >= LEAST_TRANSLATED
      ? []
      : [{ kind: `${client} from ${provider}`, ratio, of: "a relayed stream", least: LEAST_TRANSLATED }],
  );
}
