import type { Clock } from "../../core/clock.ts";

const FIRST_COOL_DOWN_MS = 10_000;
const LONGEST_COOL_DOWN_MS = 300_000;
/** Where no other route is left, one request in so long finds out when the provider is back: sooner where the last was told at once. */
const PROBE_EVERY_MS = { told: 3_000, waiting: 6_000 };
/** So long, what another process tries is waited for, which may have ended. */
const OTHERS_TRY_MS = 4_000;
/** However often other processes try a route, this one does so too in such a time, and in 30 s with the share that chance adds. */
const OWN_PROBE_MS = 25_000;
/** A pause that would have ended lasts so much longer at most, because of what other processes say. */
const LONGEST_DEFERRAL_MS = 30_000;
/** Up to this share is added by chance, so that many processes do not come back at one moment. */
const JITTER = 0.2;
/** After what was heard, which reaches all at one moment: up to so much later where this process has just tried, and not where it has long not. */
const OTHERS_FIRST_MS = 1_200;
const CHANCE_MS = 300;
/**
 * What has answered another process is tried so many times at this distance, since the first request may be one that takes long; and not so
 * again within ten seconds: however many messages come, that is six within ten seconds at most, where it would be four without any.
 */
const ANSWERED_ELSEWHERE = { tries: 3, everyMs: 1_000, againMs: 10_000 };

export type PauseState = "closed" | "open" | "half_open";

const NEVER = { probeMs: 0, pauseMs: 0 };

/** How long a route is left alone: twice as long after each trial that fails. */
export type RoutePause = {
  holds: () => boolean;
  state: () => PauseState;
  remainingMs: () => number;
  /** A call of this process finds out now. */
  tried: () => void;
  begin: () => void;
  end: () => void;
  /** How long until a request that no other route can serve may try it. `waits`: the last trial has not ended. */
  probeInMs: (last: { waits: boolean }) => number;
  /** Another process tries it now, or has just failed to and leaves it alone for so long. */
  othersTry: () => void;
  othersFailed: (restsMs: number) => void;
  /** It has answered another process: it is tried at once, or as soon after the last trial as it would be without a word. */
  othersSucceeded: () => void;
};

// oxlint-disable-next-line max-lines-per-function -- one state, and what changes it
export function createRoutePause({
  elapsedMs,
  random,
}: Pick<Clock, "elapsedMs"> & { random: () => number }): RoutePause {
  /** Null: it is not. */
  let untilMs: number | null = null;
  let inRow = 0;
  let jitter = 1;
  /** When the last trial began; before the first, when the pause did. */
  let triedAtMs = 0;
  /** What others know by then, need not be tried before. */
  let deferred = NEVER;
  /** It has answered another process, so that no other trial is waited for. */
  let isBack = false;
  let quick = { left: 0, sinceMs: Number.NEGATIVE_INFINITY };

  const remainingMs = (): number => {
    if (untilMs === null) return 0;
    const endsMs = Math.max(untilMs, Math.min(deferred.pauseMs, untilMs + LONGEST_DEFERRAL_MS));
    return Math.max(0, endsMs - elapsedMs());
  };
  let heardAtMs = Number.NEGATIVE_INFINITY;

  const tried = (): void => {
    triedAtMs = elapsedMs();
    quick.left = Math.max(0, quick.left - 1);
    if (quick.left > 0) return;
    isBack = false;
    // It is then another's turn, if there is one.
    if (heardAtMs > triedAtMs - OWN_PROBE_MS) defer(PROBE_EVERY_MS.told, 0);
  };
  const defer = (probeInMs: number, pauseInMs: number): void => {
    const nowMs = elapsedMs();
    const turn = Math.max(0, 1 - (nowMs - triedAtMs) / OWN_PROBE_MS);
    const fromMs = nowMs + OTHERS_FIRST_MS * turn + CHANCE_MS * random();
    deferred = { probeMs: fromMs + probeInMs, pauseMs: fromMs + pauseInMs };
  };

  return {
    holds: () => untilMs !== null,
    state: () => {
      if (untilMs === null) return "closed";
      return remainingMs() > 0 ? "open" : "half_open";
    },
    remainingMs,
    tried,
    begin: () => {
      if (untilMs === null) tried();
      quick.left = 0;
      isBack = false;
      jitter = 1 + JITTER * random();
      const coolDownMs = Math.min(LONGEST_COOL_DOWN_MS, FIRST_COOL_DOWN_MS * 2 ** inRow++);
      untilMs = elapsedMs() + coolDownMs * jitter;
    },
    end: () => {
      untilMs = null;
      inRow = 0;
      deferred = NEVER;
      isBack = false;
    },
    probeInMs: ({ waits }) => {
      const everyMs = waits ? PROBE_EVERY_MS.waiting : PROBE_EVERY_MS.told;
      const ownMs = triedAtMs + (quick.left > 0 ? ANSWERED_ELSEWHERE.everyMs : everyMs * jitter);
      const dueMs = Math.max(ownMs, Math.min(deferred.probeMs, triedAtMs + OWN_PROBE_MS * jitter));
      const dueInMs = Math.max(0, dueMs - elapsedMs());
      return waits ? dueInMs : Math.min(remainingMs(), dueInMs);
    },
    othersTry: () => {
      heardAtMs = elapsedMs();
      if (!isBack) defer(OTHERS_TRY_MS, OTHERS_TRY_MS);
    },
    othersFailed: (restsMs) => {
      heardAtMs = elapsedMs();
      if (!isBack) defer(PROBE_EVERY_MS.told, Math.min(restsMs, LONGEST_DEFERRAL_MS));
    },
    othersSucceeded: () => {
      const { tries, everyMs, againMs } = ANSWERED_ELSEWHERE;
      if (elapsedMs() >= quick.sinceMs + againMs) quick = { left: tries, sinceMs: elapsedMs() };
      isBack = true;
      deferred = NEVER;
      const distanceMs = quick.left > 0 ? everyMs : PROBE_EVERY_MS.told;
      if (untilMs !== null) untilMs = Math.max(elapsedMs(), triedAtMs + distanceMs);
    },
  };
}
