import type { Route } from "../../core/catalogue/route.ts";

/**
 * Whether a route should be called now. `doubtful`: only when nothing better is left, the least bad first. `full`: it has as
 * many calls as it may have. `open`: it failed every one of its last calls, and is left alone.
 */
export type RouteStanding = { verdict: "ready" | "full" | "open" } | { verdict: "doubtful"; badness: number };

type Planned = Pick<Route, "priority" | "weight">;

/**
 * Orders the routes that may be called: those that are ready by priority, lower first, and among equals by chance in
 * proportion to weight, where weight 0 is a last resort; then the doubtful ones.
 */
export function orderRoutes<T extends Planned>(
  routes: readonly T[],
  { random, standingOf }: { random: () => number; standingOf: (route: T) => RouteStanding },
): T[] {
  const [only] = routes;
  // Most models have one, and every request is here.
  if (routes.length === 1 && only !== undefined) return isLeft(standingOf(only)) ? [only] : [];
  return routes
    .flatMap((route) => {
      const standing = standingOf(route);
      if (!isLeft(standing)) return [];
      const badness = standing.verdict === "doubtful" ? standing.badness : -1;
      return [{ route, badness, draw: route.weight > 0 ? -Math.log(1 - random()) / route.weight : Infinity }];
    })
    .sort((a, b) => a.badness - b.badness || a.route.priority - b.route.priority || compare(a.draw, b.draw))
    .map(({ route }) => route);
}

const isLeft = ({ verdict }: RouteStanding): boolean => verdict !== "full" && verdict !== "open";

/** A difference of infinities would be no number. */
const compare = (a: number, b: number): number => (a === b ? 0 : a - b);
