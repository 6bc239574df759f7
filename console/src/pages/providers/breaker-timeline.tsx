import type { ReactNode } from "react";
import type { RouteHealth } from "../../api/generated/admin.ts";
import { StateTimeline } from "../../charts/state-timeline.tsx";
import type { Shown } from "../../parts/state.tsx";
import { useNow } from "../../shell/use-range.ts";
import { BREAKER_WORDS, timelineOf } from "./breaker-spans.ts";
import { routeState } from "./route-state.tsx";

type Props = {
  routes: readonly RouteHealth[];
  fromMs: number;
  nameOf: (route: RouteHealth) => string;
  shown: Shown;
  onPick?: (provider: string) => void;
};

const MOST_ROWS = 12;
const UNUSED = {
  kind: "empty",
  title: "This process has not called a route since it started",
  hint: "Each gateway process learns for itself, from the requests that it serves, and forgets when it ends.",
} as const;

/** When the breakers of routes kept calls away, as the process remembers that answers. Those that had trouble stand first. */
export function BreakerTimeline({ routes, fromMs, nameOf, shown, onPick }: Props): ReactNode {
  const nowMs = useNow(10_000);
  const sorted = routes.toSorted(
    (one, other) =>
      Number(routeState(one) === "closed") - Number(routeState(other) === "closed") ||
      other.changes.length - one.changes.length ||
      nameOf(one).localeCompare(nameOf(other)),
  );
  const { rows, fromMs: sinceMs } = timelineOf(sorted.slice(0, MOST_ROWS), { fromMs, nowMs, nameOf });
  const hidden = routes.length - rows.length;
  const state: Shown =
    shown.kind !== "ready"
      ? shown
      : routes.length === 0
        ? UNUSED
        : hidden > 0
          ? {
              kind: "too-many",
              note: `${hidden} more routes, with less trouble, are not shown. Open a provider for them.`,
            }
          : shown;
  return (
    <StateTimeline
      title="When were routes skipped?"
      lead="Each route's breaker, since the gateway process that answered first used it"
      rows={rows}
      fromMs={sinceMs}
      toMs={nowMs}
      words={BREAKER_WORDS}
      shown={state}
      onPick={onPick && ((id) => onPick(routes.find((route) => route.route_id === id)?.provider ?? ""))}
    />
  );
}
