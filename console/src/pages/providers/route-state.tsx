import type { ReactNode } from "react";
import type { RouteHealth } from "../../api/generated/admin.ts";
import { DURATION } from "../../format/unit.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";

/** `doubtful`: used when nothing better is left. `unused`: this process has not called it. */
export type RouteState = "open" | "half_open" | "doubtful" | "closed" | "unused";

const POOR_BELOW = 0.7;
const NAMES: Record<RouteState, string> = {
  open: "skipped",
  half_open: "on trial",
  doubtful: "doubtful",
  closed: "in use",
  unused: "not used yet",
};
const TONES: Record<RouteState, Tone> = {
  open: "bad",
  half_open: "warn",
  doubtful: "warn",
  closed: "good",
  unused: "neutral",
};
/** The worst first. */
const ORDER = Object.keys(NAMES) as RouteState[];

export function routeState(health: RouteHealth | undefined): RouteState {
  if (health === undefined) return "unused";
  if (health.breaker !== "closed") return health.breaker;
  return health.rests_ms > 0 || health.success_rate < POOR_BELOW ? "doubtful" : "closed";
}

/** The worst of several; a route that was not used says nothing where another was. */
export function worstState(states: readonly RouteState[]): RouteState {
  const known = states.filter((state) => state !== "unused");
  return known.toSorted((one, other) => ORDER.indexOf(one) - ORDER.indexOf(other))[0] ?? "unused";
}

export const stateName = (state: RouteState): string => NAMES[state];
export const stateTone = (state: RouteState): Tone => TONES[state];

export const RouteBadge = ({ of: health }: { of: RouteHealth | undefined }): ReactNode => {
  const state = routeState(health);
  const rests = health !== undefined && health.rests_ms > 0 ? BigInt(Math.round(health.rests_ms)) * 1000n : null;
  return (
    <span title={rests === null ? undefined : `Skipped for another ${DURATION.show(rests)}`}>
      <Badge tone={TONES[state]}>{NAMES[state]}</Badge>
    </span>
  );
};
