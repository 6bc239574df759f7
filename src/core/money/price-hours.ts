/** Whether it holds at a moment. */
export type PriceHours = (atMs: number) => boolean;

export const MOST_HOURS_TEXT = 1_500;
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const SHAPE =
  /^(?:(\w{3})(?:-(\w{3}))? )?(\d\d:\d\d-\d\d:\d\d(?: \d\d:\d\d-\d\d:\d\d)*)(?: except (\d{4}-\d\d-\d\d(?: \d{4}-\d\d-\d\d)*))?$/;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Hours of the week in UTC, such as `mon-fri 01:00-04:00 06:00-10:00 except 2027-01-01`; null: that is what it is not. Every day where none
 * is named. The first minute of a time belongs to it and the last does not, and a day that is excepted has none of them.
 */
export function readHours(text: string): PriceHours | null {
  const [, first, last = first, times = "", except = ""] =
    text.length > MOST_HOURS_TEXT ? [] : (SHAPE.exec(text) ?? []);
  const days = first === undefined ? DAYS : daysFrom(first, last ?? first);
  const ranges = times === "" ? [] : times.split(" ").map(rangeOf);
  const excepted = except === "" ? [] : except.split(" ").map(dayOf);
  if (days === null || ranges.length === 0 || ranges.includes(null) || excepted.includes(null)) return null;
  const within = ranges as readonly Range[];
  const never = new Set(excepted);
  return (atMs) => {
    const ofDay = ((atMs % DAY_MS) + DAY_MS) % DAY_MS;
    const day = (atMs - ofDay) / DAY_MS;
    const name = DAYS[new Date(atMs).getUTCDay()] ?? "";
    return days.includes(name) && !never.has(day) && within.some(([from, to]) => from <= ofDay && ofDay < to);
  };
}

/** From one day of the week to another, round its end if need be. */
function daysFrom(first: string, last: string): readonly string[] | null {
  const [from, to] = [DAYS.indexOf(first), DAYS.indexOf(last)];
  if (from < 0 || to < 0) return null;
  return DAYS.filter((_, at) => (from <= to ? from <= at && at <= to : from <= at || at <= to));
}

type Range = readonly [fromMs: number, toMs: number];

function rangeOf(text: string): Range | null {
  const [from, to] = text.split("-").map(timeOf);
  return from != null && to != null && from < to ? [from, to] : null;
}

function timeOf(text: string): number | null {
  const [hours = 0, minutes = 0] = text.split(":").map(Number);
  const ms = hours * HOUR_MS + minutes * 60_000;
  return minutes < 60 && ms <= DAY_MS ? ms : null;
}

/** Days since 1970; null: there is no such day. */
function dayOf(text: string): number | null {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== text ? null : ms / DAY_MS;
}
