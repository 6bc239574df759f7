import type { Clock } from "../core/clock.ts";
import type { Operator } from "../operator/operator.ts";
import type { Events } from "../telemetry/events.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { ShownRoute } from "../wire/admin/health.ts";

/** What the routes of the admin API work with. */
export type AdminParts = {
  operator: Operator;
  /** What this process knows of the routes it used. */
  reportRoutes: () => readonly ShownRoute[];
  metrics: Pick<Metrics, "expose">;
  events: Events;
  readiness: () => Promise<string[]>;
  degraded: () => string[];
  clock: Pick<Clock, "nowMs">;
};
