import type { Clock } from "../../core/clock.ts";

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
  /** How long until a request that no other route can serve may try it all the same. */
  probeInMs: () => number;
  /** How often it opened. */
  openings: () => number;
  /** `probe`: it is tried because no other route is left, however long it is to be left alone. */
  began: (how?: { probe: boolean }) => Ticket;
  answered: (ticket: Ticket) => void;
  succeeded: (ticket: Ticket) => void;
  failed: (ticket: Ticket) => void;
  /** The call ended without saying anything about the route, so that another must be the trial. */
  released: (ticket: Ticket) => void;
  /** Calls go unanswered. It opens until one of them is answered, or the trial. */
  unanswered: () => void;
};

const FAILURES_TO_OPEN = 5;
const FIRST_COOL_DOWN_MS = 10_000;
const LONGEST_COOL_DOWN_MS = 300_000;
/** Where no other route is left, one request in so long finds out when the provider is back: sooner where the last was told at once. */
const PROBE_EVERY_MS = { told: 3_000, waiting: 6_000 };
/** Up to this share is added by chance, so that many processes do not come back at one moment. */
const JITTER = 0.2;

type Parts = Pick<Clock, "elapsedMs"> & { random: () => number; onChange: (state: "closed" | "open") => void };

export function createRouteBreaker({ elapsedMs, random, onChange }: Parts): RouteBreaker {
  const pause = createPause({ elapsedMs, random });
  let failures = 0;
  /** How often it opened in all. */
  let opening = 0;
  let trial: { ticket: Ticket; stage: "waiting" | "answered" } | null = null;
  let isUnanswered = false;

  function open(): void {
    opening++;
    trial = null;
    pause.begin();
    onChange("open");
  }

  function close(): void {
    failures = 0;
    trial = null;
    isUnanswered = false;
    pause.end();
    onChange("closed");
  }

  return {
    state: pause.state,
    trial: () => trial?.stage ?? "none",
    remainingMs: pause.remainingMs,
    probeInMs: () => pause.probeInMs({ waits: trial !== null }),
    openings: () => opening,
    began: ({ probe } = { probe: false }) => {
      const ticket = { opening };
      if (!probe && (trial !== null || pause.state() !== "half_open")) return ticket;
      trial = { ticket, stage: "waiting" };
      pause.tried();
      return ticket;
    },
    answered: (ticket) => {
      if (trial?.ticket === ticket) trial.stage = "answered";
      if (isUnanswered) close();
    },
    succeeded: (ticket) => {
      if (ticket.opening !== opening) return;
      failures = 0;
      if (pause.holds()) close();
    },
    failed: (ticket) => {
      if (ticket.opening !== opening) return;
      failures++;
      if (pause.holds() || failures >= FAILURES_TO_OPEN) open();
    },
    released: (ticket) => {
      if (trial?.ticket === ticket) trial = null;
    },
    unanswered: () => {
      if (pause.holds()) return;
      isUnanswered = true;
      open();
    },
  };
}

/** How long a route is left alone: twice as long after each trial that fails. */
function createPause({ elapsedMs, random }: Pick<Parts, "elapsedMs" | "random">) {
  /** Null: it is not. */
  let untilMs: number | null = null;
  let inRow = 0;
  let jitter = 1;
  /** When the last trial began; before the first, when the pause did. */
  let triedAtMs = 0;

  const remainingMs = (): number => (untilMs === null ? 0 : Math.max(0, untilMs - elapsedMs()));
  const tried = (): void => void (triedAtMs = elapsedMs());

  return {
    holds: () => untilMs !== null,
    state: (): BreakerState => {
      if (untilMs === null) return "closed";
      return remainingMs() > 0 ? "open" : "half_open";
    },
    remainingMs,
    tried,
    begin: () => {
      if (untilMs === null) tried();
      jitter = 1 + JITTER * random();
      const coolDownMs = Math.min(LONGEST_COOL_DOWN_MS, FIRST_COOL_DOWN_MS * 2 ** inRow++);
      untilMs = elapsedMs() + coolDownMs * jitter;
    },
    end: () => {
      untilMs = null;
      inRow = 0;
    },
    /** `waits`: the last trial has not ended. */
    probeInMs: ({ waits }: { waits: boolean }) => {
      const everyMs = waits ? PROBE_EVERY_MS.waiting : PROBE_EVERY_MS.told;
      const dueInMs = Math.max(0, triedAtMs + everyMs * jitter - elapsedMs());
      return waits ? dueInMs : Math.min(remainingMs(), dueInMs);
    },
  };
}
