import { orderRoutes, type RouteStanding } from "./order-routes.ts";
import type { Route } from "../../core/catalogue/route.ts";

/** Who may be asked for one answer. */
export type RouteChoice = {
  /** Who is best asked now; null when there is nobody left. */
  next: () => Route | null;
  /** Who is asked although it is to be left alone, since nobody else is left; null when it is too early for that. */
  probe: () => Route | null;
  drop: (route: Route) => void;
  /** Whether there never was another to ask. */
  isSole: () => boolean;
  /** All that have been considered so far. */
  considered: () => readonly Route[];
};

type Groups = {
  routes: readonly Route[];
  /** Groups to turn to, in this order, once nobody of the one before is left. Asked for only then. */
  otherRoutes?: () => readonly (readonly Route[])[];
};

type Planning = {
  random: () => number;
  standingOf: (route: Route) => RouteStanding;
  /** How long until a route that has been given up may be tried, where no other is left. */
  restsMs: (route: Route) => number;
};

export function createRouteChoice({ routes, otherRoutes = () => [] }: Groups, planning: Planning): RouteChoice {
  let left = routes;
  const considered = [...left];
  let waiting: (readonly Route[])[] | null = null;
  const groups = (): (readonly Route[])[] => (waiting ??= otherRoutes().filter(({ length }) => length > 0));

  return {
    next: () => {
      for (;;) {
        const [route] = orderRoutes(left, planning);
        if (route !== undefined) return route;
        const group = groups().shift();
        if (group === undefined) return null;
        considered.push(...group);
        left = group;
      }
    },
    probe: () =>
      considered
        .filter((route) => planning.standingOf(route).verdict === "open" && planning.restsMs(route) === 0)
        .toSorted((one, other) => one.priority - other.priority)[0] ?? null,
    drop: (route) => {
      left = left.filter((other) => other !== route);
    },
    isSole: () => considered.length === 1 && groups().length === 0,
    considered: () => considered,
  };
}
