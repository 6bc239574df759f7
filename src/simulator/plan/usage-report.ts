import type { UsageMode } from "./script.ts";

type Figure = number | string;

/** Token counts as the provider claims them, which a script may have made wrong. */
export type UsageReport = {
  inputTokens: Figure;
  outputTokens: Figure;
  totalTokens: Figure;
  cachedTokens: number;
  /** The share of the output that was thought and not said. */
  thoughtTokens: number;
};

type Counts = { inputTokens: number; outputTokens: number; cachedTokens: number; thoughtTokens: number };

const ABSURD = 1e18;

/** Null when the provider is to say nothing about usage. */
export function reportUsage(mode: UsageMode, counts: Counts): UsageReport | null {
  const figure = FIGURES[mode];
  if (figure === null) return null;
  return {
    inputTokens: figure(counts.inputTokens),
    outputTokens: figure(counts.outputTokens),
    totalTokens: figure(counts.inputTokens + counts.outputTokens),
    cachedTokens: Math.min(counts.cachedTokens, counts.inputTokens),
    thoughtTokens: counts.thoughtTokens,
  };
}

const FIGURES: Record<UsageMode, ((count: number) => Figure) | null> = {
  normal: (count) => count,
  missing: null,
  negative: (count) => -Math.max(1, count),
  absurd: () => ABSURD,
  string: (count) => String(count),
};
