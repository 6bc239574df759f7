import type { Clock } from "../../core/clock.ts";
import type { Payer } from "../../core/money/payer.ts";
import type { Pace } from "../../core/request/pace.ts";
import type { HeardNews, RouteNews } from "../news/route-news.ts";
import type { RouteStanding } from "./order-routes.ts";
import { type CallBegins, RouteRecord, type WatchedCall } from "./route-record.ts";
import type { RouteReport } from "./route-report.ts";
import type { Slowness } from "./route-slowness.ts";
import type { Route } from "../../core/catalogue/route.ts";

/** What requests have taught this process about the routes it used. Nothing is ever asked of a provider to find out. */
export type RouteHealth = {
  /** `payer`: who would use it. One whom it has not failed may use it when others may not. */
  standing: (route: Route, payer?: Payer) => RouteStanding;
  /** How long until a route that is left alone may be tried, where no other is left. */
  restsMs: (route: Route) => number;
  begin: (route: Route, call?: CallBegins) => WatchedCall;
  /** How fast its model speaks. */
  pace: (route: Route) => Pace;
  /** How often it was given up for everybody. */
  openings: (route: Route) => number;
  /** What another process says of a route; of one that was never used here, it says nothing. */
  heard: (news: HeardNews) => void;
  report: () => RouteReport[];
};

export type RouteChange = {
  routeId: string;
  provider: string;
  state: "closed" | "open";
  reason: string;
  /** Opened after fewer failures than usual, because another process had said that it fails. */
  onHearsay: boolean;
};

/** Its streams begin much later than usual; null: no longer. */
export type RouteSlowed = { routeId: string; provider: string; slowness: Slowness | null };

/** Routes come from the catalogue, so there are few; those that were withdrawn from it must not add up for ever. */
const MOST_ROUTES = 10_000;

type Parts = {
  clock: Clock;
  random: () => number;
  onChange: (change: RouteChange) => void;
  onSlowness?: (slowed: RouteSlowed) => void;
  tell?: (news: RouteNews) => void;
};

export function createRouteHealth(parts: Parts): RouteHealth {
  const { clock, random, onChange, onSlowness = () => undefined, tell = () => undefined } = parts;
  const records = new Map<string, RouteRecord>();

  function recordOf(route: Route): RouteRecord {
    const known = records.get(route.id);
    if (known) return known;
    if (records.size >= MOST_ROUTES) forgetIdle();
    const { id: routeId, provider } = route;
    const record = new RouteRecord({
      clock,
      route,
      random,
      tell,
      onChange: (state, reason, onHearsay) => onChange({ routeId, provider, state, reason, onHearsay }),
      onSlowness: (slowness) => onSlowness({ routeId, provider, slowness }),
    });
    records.set(routeId, record);
    return record;
  }

  function forgetIdle(): void {
    for (const [routeId, record] of records) if (record.report().callsInProgress === 0) records.delete(routeId);
  }

  return {
    standing: (route, payer) => recordOf(route).standing(route, payer),
    restsMs: (route) => recordOf(route).restsMs(),
    begin: (route, call) => recordOf(route).begin(call),
    pace: (route) => recordOf(route).pace(),
    openings: (route) => recordOf(route).openings(),
    heard: (news) => records.get(news.routeId)?.heard(news),
    report: () => [...records.values()].map((record) => record.report()),
  };
}
