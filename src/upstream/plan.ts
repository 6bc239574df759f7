import type { Target } from "./upstream.ts";

/** Orders targets: lower priority first; among equals by chance, in proportion to weight. Weight 0 is a last resort. */
export function plan<T extends Pick<Target, "priority" | "weight">>(targets: readonly T[], random: () => number): T[] {
  if (targets.length < 2) return [...targets];
  return targets
    .map((target) => ({ target, draw: target.weight > 0 ? -Math.log(1 - random()) / target.weight : Infinity }))
    .sort((a, b) => a.target.priority - b.target.priority || a.draw - b.draw)
    .map(({ target }) => target);
}
