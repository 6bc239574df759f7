import type { Target } from "./upstream.ts";

/**
 * Whether a route should be called now. `doubtful`: only when nothing better is left, the least bad first. `full`: it has as
 * many calls as it may have. `open`: it failed every one of its last calls, and is left alone.
 */
export type Standing = { verdict: "ready" | "full" | "open" } | { verdict: "doubtful"; badness: number };

type Planned = Pick<Target, "priority" | "weight">;

/**
 * Orders the targets that may be called: those that are ready by priority, lower first, and among equals by chance in
 * proportion to weight, where weight 0 is a last resort; then the doubtful ones.
 */
export function plan<T extends Planned>(
  targets: readonly T[],
  { random, standingOf }: { random: () => number; standingOf: (target: T) => Standing },
): T[] {
  return targets
    .flatMap((target) => {
      const standing = standingOf(target);
      if (standing.verdict === "full" || standing.verdict === "open") return [];
      const badness = standing.verdict === "doubtful" ? standing.badness : -1;
      return [{ target, badness, draw: target.weight > 0 ? -Math.log(1 - random()) / target.weight : Infinity }];
    })
    .sort((a, b) => a.badness - b.badness || a.target.priority - b.target.priority || compare(a.draw, b.draw))
    .map(({ target }) => target);
}

/** A difference of infinities would be no number. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
