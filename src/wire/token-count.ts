/** More than any provider can mean; past it a figure is a mistake. */
const MOST_TOKENS = 1_000_000_000;

/** Whether a figure of a provider's can be a count of tokens. Money is counted from it, and anything may be wrong. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS;
}

/** A share cannot be larger than its whole. */
export function share(value: unknown, whole: number): number {
  return isCount(value) ? Math.min(value, whole) : 0;
}
