/** More than any provider can mean; past it a figure is a mistake. */
const MOST_TOKENS = 1_000_000_000;

/** Whether a figure of a provider's can be a count of tokens. Money is counted from it, and anything may be wrong. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS;
}

const TICKS = 1e10;

/**
 * What a provider says that it bills: xAI in ten thousand millionths of a dollar, OpenRouter in dollars. What cannot be an amount says nothing.
 */
export function billedSaid({ cost_in_usd_ticks: ticks, cost }: Readonly<Record<string, unknown>>): {
  billedTicks?: number;
} {
  const said = ticks ?? (typeof cost === "number" ? Math.round(cost * TICKS) : null);
  return typeof said === "number" && Number.isSafeInteger(said) && said >= 0 ? { billedTicks: said } : {};
}

/** A share cannot be larger than its whole. */
export function share(value: unknown, whole: number): number {
  return isCount(value) ? Math.min(value, whole) : 0;
}

type Shares = readonly [whole: number, parts: Readonly<Record<string, unknown>>];

/** Shares of wholes, by the words of their prices: each no larger than what the others leave. Nothing where there are none. */
export function sharesOf(...wholes: readonly Shares[]): { parts?: Record<string, number> } {
  const parts: Record<string, number> = {};
  for (const [whole, said] of wholes) {
    let rest = whole;
    for (const [word, value] of Object.entries(said)) {
      const tokens = share(value, Math.max(0, rest));
      if (tokens === 0) continue;
      parts[word] = tokens;
      rest -= tokens;
    }
  }
  return Object.keys(parts).length === 0 ? {} : { parts };
}
