import type { Clock } from "../core/clock.ts";

export type BreakerState = "closed" | "open" | "half_open";

/** What a call is told with: a verdict on a call that began before the breaker opened says nothing about the route since. */
export type Ticket = { readonly opening: number };

/** Keeps calls from a route that fails every one of them, and lets one real request find out when it is back. */
export type RouteBreaker = {
  state: () => BreakerState;
  /** Half open, the one trial is under way. `answered`: the provider has begun to answer it. */
  trial: () => "none" | "waiting" | "answered";
  /** How long the route is left alone yet. */
  remainingMs: () => number;
  /** How often it opened. */
  openings: () => number;
  began: () => Ticket;
  answered: (ticket: Ticket) => void;
  succeeded: (ticket: Ticket) => void;
  failed: (ticket: Ticket) => void;
  /** The call ended without saying anything about the route, so that another must be the trial. */
  released: (ticket: Ticket) => void;
};

const FAILURES_TO_OPEN = 5;
const FIRST_COOL_DOWN_MS = 10_000;
const LONGEST_COOL_DOWN_MS = 300_000;
/** Up to this share is added by chance, so that many processes do not come back at one moment. */
const JITTER = 0.2;

type Parts = Pick<Clock, "elapsedMs"> & { random: () => number; onChange: (state: "closed" | "open") => void };

export function createRouteBreaker({ elapsedMs, random, onChange }: Parts): RouteBreaker {
  let failures = 0;
  /** How often it opened in all, and how often since it was last closed. */
  let opening = 0;
  let openingsInRow = 0;
  /** Null: closed. */
  let openUntilMs: number | null = null;
  let trial: { ticket: Ticket; answered: boolean } | null = null;

  const remainingMs = (): number => (openUntilMs === null ? 0 : Math.max(0, openUntilMs - elapsedMs()));
  const state = (): BreakerState => {
    if (openUntilMs === null) return "closed";
    return remainingMs() > 0 ? "open" : "half_open";
  };

  function open(): void {
    const coolDownMs = Math.min(LONGEST_COOL_DOWN_MS, FIRST_COOL_DOWN_MS * 2 ** openingsInRow);
    opening++;
    openingsInRow++;
    trial = null;
    openUntilMs = elapsedMs() + coolDownMs * (1 + JITTER * random());
    onChange("open");
  }

  return {
    state,
    trial: () => {
      if (trial === null) return "none";
      return trial.answered ? "answered" : "waiting";
    },
    remainingMs,
    openings: () => opening,
    began: () => {
      const ticket = { opening };
      if (trial === null && state() === "half_open") trial = { ticket, answered: false };
      return ticket;
    },
    answered: (ticket) => {
      if (trial?.ticket === ticket) trial.answered = true;
    },
    succeeded: (ticket) => {
      if (ticket.opening !== opening) return;
      failures = 0;
      if (openUntilMs === null) return;
      openUntilMs = null;
      openingsInRow = 0;
      trial = null;
      onChange("closed");
    },
    failed: (ticket) => {
      if (ticket.opening !== opening) return;
      failures++;
      if (openUntilMs !== null || failures >= FAILURES_TO_OPEN) open();
    },
    released: (ticket) => {
      if (trial?.ticket === ticket) trial = null;
    },
  };
}
