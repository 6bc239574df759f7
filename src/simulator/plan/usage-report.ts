import type { UsageMode } from "./script.ts";

type Figure = number | string;

/** Token counts as the provider claims them, which a script may have made wrong. */
export type UsageReport = {
  /** Of the prompt alone; the input has what tools of the provider's own have brought beside it. */
  promptTokens: Figure;
  inputTokens: Figure;
  outputTokens: Figure;
  totalTokens: Figure;
  cachedTokens: number;
  /** The share of the output that was thought and not said. */
  thoughtTokens: number;
  /** Calls of its own tools that are billed. */
  searches: number;
  pages: number;
  /** As xAI says it; nothing where no bill is stated. */
  billed: { cost_in_usd_ticks?: number };
};

type Counts = {
  promptTokens: number;
  searches: number;
  pages: number;
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  thoughtTokens: number;
  billedTicks: number | null;
};

const ABSURD = 1e18;

/** Null when the provider is to say nothing about usage. */
export function reportUsage(mode: UsageMode, counts: Counts): UsageReport | null {
  const figure = FIGURES[mode];
  if (figure === null) return null;
  return {
    promptTokens: figure(counts.promptTokens),
    inputTokens: figure(counts.inputTokens),
    outputTokens: figure(counts.outputTokens),
    totalTokens: figure(counts.inputTokens + counts.outputTokens),
    cachedTokens: Math.min(counts.cachedTokens, counts.inputTokens),
    thoughtTokens: counts.thoughtTokens,
    billed: counts.billedTicks === null ? {} : { cost_in_usd_ticks: counts.billedTicks },
    searches: counts.searches,
    pages: counts.pages,
  };
}

const FIGURES: Record<UsageMode, ((count: number) => Figure) | null> = {
  normal: (count) => count,
  missing: null,
  negative: (count) => -Math.max(1, count),
  absurd: () => ABSURD,
  string: (count) => String(count),
};
