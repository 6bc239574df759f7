import { spreadOf } from "./spread.ts";

const WINDOW = 4;
const FALL = 0.03;

/**
 * Whether a process is warm: over its last four slices the median of processor time per request is no more than 3 % below
 * that of the four before. Costs only fall while code is being compiled, so a rise, which is noise, does not prolong it.
 */
export function isFlat(costs: readonly number[]): boolean {
  if (costs.length < 2 * WINDOW) return false;
  const earlier = spreadOf(costs.slice(-2 * WINDOW, -WINDOW));
  const later = spreadOf(costs.slice(-WINDOW));
  return earlier !== null && later !== null && later.median >= earlier.median * (1 - FALL);
}
