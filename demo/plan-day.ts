import type { Draw } from "./draw.ts";
import { createDraw } from "./draw.ts";
import { type Habit, HABITS, SERVICES } from "./habits.ts";
import type { HabitName, ServiceName } from "./organisation.ts";

/** Whoever calls, and from when to when. `key` null: nobody whom the gateway knows. */
export type DemoCaller = {
  key: string | null;
  does: { habit: HabitName; zeal: number } | { service: ServiceName };
  fromMs: number;
  toMs: number;
};

/** What a call meets before it costs anything; null: nothing. */
export type Mistake = "invalid_credentials" | "invalid_request" | "model_not_found" | "context_length_exceeded";

/** What somebody asks for, before the gateway has looked at it. */
export type Call = {
  atMs: number;
  key: string | null;
  model: string;
  habit: Habit;
  streamed: boolean;
  input: number;
  cached: number;
  written: number;
  output: number;
  mistake: Mistake | null;
  /** The share of the output after which the client disconnects; 1: it does not. */
  stays: number;
  /** A part of a burst that comes faster than the rate of its key allows. */
  burst: boolean;
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Whoever stays up late is rare, and noon is quiet. UTC; they work an hour east of it. */
const SESSION_HOURS = [1, 0, 0, 0, 0, 1, 4, 12, 16, 15, 12, 6, 10, 16, 15, 13, 9, 5, 3, 2, 3, 2, 2, 1];
const WEEKEND = 0.09;
const STRANGERS_A_DAY = 5;

type Day = { fromMs: number; seed: string; daysAgo: number; span: number };

/** All calls of a day, in their order. Each caller's follow from the seed, the day and its name alone. */
export function planDay(day: Day, callers: readonly DemoCaller[]): Call[] {
  return callers
    .flatMap((caller) => callsOf(day, caller))
    .concat(strangers(day))
    .toSorted((one, other) => one.atMs - other.atMs);
}

const isWeekend = (fromMs: number): boolean => [0, 6].includes(new Date(fromMs).getUTCDay());

/** Ever more people get used to it. */
const growthOf = ({ daysAgo, span }: Day): number => 0.5 + 0.42 * (1 - daysAgo / span);

function callsOf(day: Day, { key, does, fromMs, toMs }: DemoCaller): Call[] {
  const draw = createDraw(`${day.seed}/${day.daysAgo}/${key}`);
  const weekend = isWeekend(day.fromMs);
  const times =
    "habit" in does
      ? sessions(draw, { ...HABITS[does.habit], most: does.zeal * growthOf(day) * (weekend ? WEEKEND : 1) })
      : hours(draw, SERVICES[does.service].perHour, growthOf(day) * (weekend ? SERVICES[does.service].weekend : 1));
  const habit = "habit" in does ? HABITS[does.habit] : SERVICES[does.service];
  return times
    .map(({ offsetMs, place, burst }) => ({ atMs: day.fromMs + offsetMs, place, burst }))
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs && atMs < day.fromMs + DAY_MS)
    .map(({ atMs, place, burst }) => callAt(draw, { atMs, key, habit, place, burst }));
}

type Moment = { offsetMs: number; place: number; burst: boolean };

/** People work in sessions, in which the conversation grows. */
function sessions(
  draw: Draw,
  { sessions: usual, calls, gapSeconds, most }: { sessions: number; calls: number; gapSeconds: number; most: number },
): Moment[] {
  const expected = usual * most;
  const count = Math.floor(expected) + (draw.chance(expected % 1) ? 1 : 0);
  const hourly = SESSION_HOURS.map((weight, hour) => ({ weight, hour }));
  return Array.from({ length: count }, () => {
    let offsetMs = (draw.share(hourly).hour + draw.next()) * HOUR_MS;
    const length = Math.max(1, Math.round(draw.around(calls, 0.55)));
    return Array.from({ length }, (_, place) => {
      offsetMs += draw.around(gapSeconds, 0.9) * 1_000;
      return { offsetMs: Math.round(offsetMs), place, burst: false };
    });
  }).flat();
}

function hours(draw: Draw, perHour: readonly number[], share: number): Moment[] {
  return perHour.flatMap((usual, hour) => {
    const count = Math.round(draw.around(usual * share, 0.18));
    // Now and then everything is started at once.
    const burst = usual > 6 && draw.chance(0.02);
    const moments = Array.from({ length: count }, () => ({ offsetMs: within(draw, hour), place: 0, burst: false }));
    if (!burst) return moments;
    const beginMs = within(draw, hour);
    const many = Array.from({ length: 40 }, (_, place) => ({
      offsetMs: beginMs + place * 210,
      place: 0,
      burst: place > 11,
    }));
    return [...moments, ...many];
  });
}

const within = (draw: Draw, hour: number): number => Math.floor((hour + draw.next()) * HOUR_MS);

type Placed = { atMs: number; key: string | null; habit: Habit; place: number; burst: boolean };

function callAt(draw: Draw, { atMs, key, habit, place, burst }: Placed): Call {
  const input = Math.min(170_000, Math.round(draw.around(habit.input, 0.5) * (1 + place / 30)));
  const reads = place === 0 && habit.cached > 0.5 ? 0.2 : habit.cached * (0.85 + draw.next() * 0.22);
  const cached = Math.min(input, Math.floor(input * reads));
  const written = Math.min(input - cached, Math.floor(input * habit.written * draw.next() * 2));
  const mistake = draw.chance(0.014)
    ? draw.share<{ weight: number; is: Mistake }>([
        { weight: 6, is: "invalid_request" },
        { weight: 3, is: "model_not_found" },
        { weight: 2, is: "context_length_exceeded" },
      ]).is
    : null;
  const streamed = draw.chance(habit.streamed);
  return {
    atMs,
    key,
    model: draw.share(habit.models).id,
    habit,
    streamed,
    input,
    cached,
    written,
    output: Math.max(8, Math.min(16_000, Math.round(draw.around(habit.output, 0.75)))),
    mistake,
    stays: streamed && draw.chance(0.027) ? 0.1 + draw.next() * 0.8 : 1,
    burst,
  };
}

/** Requests without a key that is known: mistyped ones, and those of whoever tries. */
function strangers(day: Day): Call[] {
  const draw = createDraw(`${day.seed}/${day.daysAgo}/strangers`);
  const count = draw.whole(0, 2 * STRANGERS_A_DAY) * (draw.chance(0.05) ? 9 : 1);
  return Array.from({ length: count }, () => {
    const atMs = day.fromMs + Math.floor(draw.next() * DAY_MS);
    const habit = HABITS[draw.pick(["curl", "script", "claudeCode"] as const)];
    return { ...callAt(draw, { atMs, key: null, habit, place: 0, burst: false }), mistake: "invalid_credentials" };
  });
}
