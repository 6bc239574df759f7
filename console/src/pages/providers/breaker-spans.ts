import type { RouteHealth } from "../../api/generated/admin.ts";
import type { StateRow, StateSpan } from "../../charts/state-timeline.tsx";

export const BREAKER_WORDS = { well: "in use", doubt: "on trial", ill: "skipped" } as const;

/** As many as the gateway keeps. */
const MOST_CHANGES = 50;

type Known = Pick<RouteHealth, "known_since" | "changes">;

/**
 * How the breaker of a route was, as far as it is remembered. It is closed when the route is first used; each opening ends when a call
 * may test the route again, and is on trial until the next change.
 */
export function breakerSpans({ known_since: since, changes }: Known, nowMs: number): StateSpan[] {
  // Where the oldest changes are forgotten, nothing is known of the time before.
  const first = changes[0];
  const begin: StateSpan[] =
    first === undefined
      ? [{ fromMs: Date.parse(since), toMs: nowMs, kind: "well", name: BREAKER_WORDS.well }]
      : first.state === "open" && changes.length < MOST_CHANGES
        ? [{ fromMs: Date.parse(since), toMs: Date.parse(first.at), kind: "well", name: BREAKER_WORDS.well }]
        : [];
  const rest = changes.flatMap(({ at, state, reason, until }, index): StateSpan[] => {
    const fromMs = Date.parse(at);
    const endMs = changes[index + 1] === undefined ? nowMs : Date.parse(changes[index + 1]?.at ?? "");
    if (state === "closed") return [{ fromMs, toMs: endMs, kind: "well", name: BREAKER_WORDS.well }];
    const untilMs = Math.min(until === null ? endMs : Date.parse(until), endMs);
    return [
      { fromMs, toMs: untilMs, kind: "ill", name: BREAKER_WORDS.ill, note: reason },
      ...(untilMs < endMs ? [{ fromMs: untilMs, toMs: endMs, kind: "doubt" as const, name: BREAKER_WORDS.doubt }] : []),
    ];
  });
  return [...begin, ...rest].filter(({ fromMs, toMs }) => toMs > fromMs);
}

export function timelineOf(
  routes: readonly RouteHealth[],
  { fromMs, nowMs, nameOf }: { fromMs: number; nowMs: number; nameOf: (route: RouteHealth) => string },
): { rows: StateRow[]; fromMs: number } {
  const rows = routes.map((route) => {
    const spans = breakerSpans(route, nowMs).filter(({ toMs }) => toMs > fromMs);
    return { id: route.route_id, name: nameOf(route), spans };
  });
  const knownMs = Math.min(nowMs - SHORTEST_MS, ...routes.map(({ known_since: since }) => Date.parse(since)));
  return { rows, fromMs: Math.max(fromMs, knownMs) };
}

const SHORTEST_MS = 600_000;
