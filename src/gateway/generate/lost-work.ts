import type { Amounts, Unit } from "../../core/money/amount.ts";
import type { Clock } from "../../core/clock.ts";
import type { Payer } from "../../core/money/payer.ts";
import type { Route } from "../../core/catalogue/route.ts";
import type { AnswerMode } from "../../upstream/call-convention.ts";

/** Whose requests, to which route, and how they were asked for: who asks for less at once may still be served. */
export type Loser = { payer: Payer; route: Route; answerMode: AnswerMode };

/** What providers did for requests that ended with an error status. That costs nobody anything but the house. */
export type LostWork = {
  add: (loser: Loser, lost: Amounts) => void;
  /** How long requests such as these must leave the route alone; 0: not at all. */
  restsMs: (loser: Loser) => number;
};

type Parts = {
  clock: Pick<Clock, "elapsedMs">;
  /** What the house bears of one payer in an hour. */
  cap: Readonly<Record<Unit, bigint>>;
  /** How often the route was given up for everybody. */
  openings: (route: Route) => number;
};

type Minute = { minute: number; credits: bigint; tokens: bigint };
type Sums = { openings: number; minutes: Minute[] };

const MINUTE_MS = 60_000;
/** The one under way and those of the hour before it. */
const MINUTES_KEPT = 61;
const MOST_LOSERS = 10_000;

/**
 * Within an hour a payer loses no more of it on a route than the cap, and then asks another route or waits. Nothing is charged and nothing
 * suspended for it: it may be the provider that fails. When that shows, because the route is given up for everybody, what was lost there is
 * forgotten.
 */
export function createLostWork({ clock, cap, openings }: Parts): LostWork {
  const losers = new Map<string, Sums>();
  const nameOf = ({ payer, route, answerMode }: Loser): string => `${payer} ${answerMode} ${route.id}`;
  const minuteNow = (): number => Math.floor(clock.elapsedMs() / MINUTE_MS);

  function recent(loser: Loser): Sums | null {
    const name = nameOf(loser);
    const sums = losers.get(name);
    if (sums === undefined) return null;
    sums.minutes = sums.minutes.filter(({ minute }) => minute > minuteNow() - MINUTES_KEPT);
    if (sums.minutes.length > 0 && sums.openings === openings(loser.route)) return sums;
    losers.delete(name);
    return null;
  }

  return {
    add: (loser, { credits, tokens }) => {
      const sums = recent(loser) ?? { openings: openings(loser.route), minutes: [] };
      let last = sums.minutes.at(-1);
      if (last?.minute !== minuteNow()) {
        last = { minute: minuteNow(), credits: 0n, tokens: 0n };
        sums.minutes.push(last);
      }
      last.credits += credits ?? 0n;
      last.tokens += tokens ?? 0n;
      losers.set(nameOf(loser), sums);
      if (losers.size <= MOST_LOSERS) return;
      const [oldest] = losers.keys();
      if (oldest !== undefined) losers.delete(oldest);
    },
    restsMs: (loser) => {
      if (losers.size === 0) return 0;
      const { minutes } = recent(loser) ?? { minutes: [] };
      let credits = 0n;
      let tokens = 0n;
      // The newest first: once these alone reach the cap, the one that did must be an hour old before there is room again.
      for (const sum of minutes.toReversed()) {
        credits += sum.credits;
        tokens += sum.tokens;
        if (credits >= cap.credit || tokens >= cap.tokens)
          return Math.max(1, (sum.minute + MINUTES_KEPT) * MINUTE_MS - clock.elapsedMs());
      }
      return 0;
    },
  };
}
