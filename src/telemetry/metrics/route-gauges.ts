import { Gauge, type Registry } from "@prometheus-io/client";
import { ROUTE_GAUGES } from "./metric-table.ts";

/** What is known of a route, as far as it is counted. */
export type RouteReading = {
  routeId: string;
  provider: string;
  /** Its name at the provider. */
  upstreamModel: string;
  breaker: "closed" | "half_open" | "open";
  successRate: number;
  firstByteMs: number | null;
  slowness: object | null;
  tokensPerSecond: number | null;
  callsInProgress: number;
};

const MOST_ROUTES = 100;
const BREAKER_LEVELS = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<RouteReading["breaker"], number>;

/** How each gauge is read; null leaves it out. */
const READERS: Record<keyof typeof ROUTE_GAUGES, (reading: RouteReading) => number | null> = {
  breaker: ({ breaker }) => BREAKER_LEVELS[breaker],
  successRate: ({ successRate }) => successRate,
  firstByteSeconds: ({ firstByteMs }) => (firstByteMs === null ? null : firstByteMs / 1_000),
  slow: ({ slowness }) => (slowness === null ? 0 : 1),
  tokensPerSecond: ({ tokensPerSecond }) => tokensPerSecond,
  callsInProgress: ({ callsInProgress }) => callsInProgress,
};

/** Set anew at every reading, so that routes which are gone leave no series behind. */
export function watchRoutes(read: () => readonly RouteReading[], registry: Registry): void {
  for (const key of Object.keys(READERS) as (keyof typeof READERS)[]) {
    const { name, help, labels, overWorkers } = ROUTE_GAUGES[key];
    const gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      aggregator: overWorkers,
      registers: [],
      collect() {
        this.reset();
        for (const reading of read().slice(0, MOST_ROUTES)) {
          const value = READERS[key](reading);
          const { provider, upstreamModel, routeId } = reading;
          if (value !== null) this.set({ provider, upstream_model: upstreamModel, route: routeId }, value);
        }
      },
    });
    registry.registerMetric(gauge);
  }
}
