import type { Clock } from "../../core/clock.ts";
import { createRoutePause, type PauseState } from "./route-pause.ts";

export type BreakerState = PauseState;

/** What a call is told with: a verdict on a call that began before the breaker opened says nothing about the route since. */
export type Ticket = { readonly opening: number; readonly isTrial: boolean };

/** Keeps calls from a route that fails every one of them, and lets one real request find out when it is back. */
export type RouteBreaker = {
  state: () => BreakerState;
  /** Half open, the one trial is under way. `answered`: the provider has begun to answer it. */
  trial: () => "none" | "waiting" | "answered";
  /** How long the route is left alone yet. */
  remainingMs: () => number;
  /** How long until a request that no other route can serve may try it all the same. */
  probeInMs: () => number;
  /** How often it opened. */
  openings: () => number;
  /** `probe`: it is tried because no other route is left, however long it is to be left alone. */
  began: (how?: { probe: boolean }) => Ticket;
  answered: (ticket: Ticket) => void;
  succeeded: (ticket: Ticket) => void;
  /** `isDoubted`: others say that it fails, so that fewer failures open it. */
  failed: (ticket: Ticket, how?: { isDoubted: boolean }) => void;
  /** The call ended without saying anything about the route, so that another must be the trial. */
  released: (ticket: Ticket) => void;
  /** Calls go unanswered. It opens until one of them is answered, or the trial. */
  unanswered: (cause?: BreakerCause) => void;
  /** Others say that it fails: it opens if the last calls of this process did too. */
  doubted: () => void;
  /** What others found out while it is open: they try it, it failed them and they leave it alone for so long, it has answered. */
  othersTry: () => void;
  othersFailed: (restsMs: number) => void;
  othersSucceeded: () => void;
};

/** How a change came about. `onHearsay`: sooner than by the failures of this process alone. */
export type BreakerCause = { onHearsay: boolean };

/** What others want to know of a route that is paused, or was. */
export type TrialNews = "failed" | "trying" | "answered";

/** In a row. One alone is enough of a process that others have told. */
const FAILURES_TO_OPEN = { alone: 5, doubted: 3 };

type Parts = Pick<Clock, "elapsedMs"> & {
  random: () => number;
  onChange: (state: "closed" | "open", cause: BreakerCause) => void;
  onFinding?: (finding: TrialNews) => void;
};

// oxlint-disable-next-line max-lines-per-function -- one state, and what changes it
export function createRouteBreaker({ elapsedMs, random, onChange, onFinding = () => undefined }: Parts): RouteBreaker {
  const pause = createRoutePause({ elapsedMs, random });
  let failures = 0;
  /** How often it opened in all. */
  let opening = 0;
  let trial: { ticket: Ticket; stage: "waiting" | "answered" } | null = null;
  let isUnanswered = false;

  function open(cause: BreakerCause): void {
    opening++;
    trial = null;
    pause.begin();
    onChange("open", cause);
    // Who was told by others has nothing to tell them.
    if (!cause.onHearsay) onFinding("failed");
  }

  function close(): void {
    const isNews = trial?.stage !== "answered";
    failures = 0;
    trial = null;
    isUnanswered = false;
    pause.end();
    onChange("closed", { onHearsay: false });
    if (isNews) onFinding("answered");
  }

  return {
    state: pause.state,
    trial: () => trial?.stage ?? "none",
    remainingMs: pause.remainingMs,
    probeInMs: () => pause.probeInMs({ waits: trial !== null }),
    openings: () => opening,
    began: ({ probe } = { probe: false }) => {
      const isTrial = probe || (trial === null && pause.state() === "half_open");
      const ticket = { opening, isTrial };
      if (!isTrial) return ticket;
      trial = { ticket, stage: "waiting" };
      pause.tried();
      onFinding("trying");
      return ticket;
    },
    answered: (ticket) => {
      // Of several, whichever is answered first.
      if (ticket.isTrial && ticket.opening === opening && pause.holds() && trial?.stage !== "answered") {
        trial = { ticket, stage: "answered" };
        onFinding("answered");
      }
      if (isUnanswered) close();
    },
    succeeded: (ticket) => {
      if (ticket.opening !== opening) return;
      failures = 0;
      if (pause.holds()) close();
    },
    failed: (ticket, { isDoubted } = { isDoubted: false }) => {
      if (ticket.opening !== opening) return;
      // Another call than the trial, which decides.
      if (pause.holds() && trial === null) return;
      failures++;
      if (pause.holds() || failures >= FAILURES_TO_OPEN.alone) open({ onHearsay: false });
      else if (isDoubted && failures >= FAILURES_TO_OPEN.doubted) open({ onHearsay: true });
    },
    released: (ticket) => {
      if (trial?.ticket === ticket) trial = null;
    },
    unanswered: (cause = { onHearsay: false }) => {
      if (pause.holds()) return;
      isUnanswered = true;
      open(cause);
    },
    doubted: () => {
      if (!pause.holds() && failures >= FAILURES_TO_OPEN.doubted) open({ onHearsay: true });
    },
    othersTry: pause.othersTry,
    othersFailed: pause.othersFailed,
    othersSucceeded: () => {
      // A trial that began before may wait long for nothing.
      if (trial?.stage === "waiting") trial = null;
      pause.othersSucceeded();
    },
  };
}
