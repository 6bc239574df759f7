/** How a provider is at a moment: how many of its answers fail, and how much longer they take. */
export type Weather = { fails: number; slower: number; status: number };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const USUAL: Weather = { fails: 0.0035, slower: 1, status: 503 };
/** In the afternoon half of the world asks. */
const BUSY: Weather = { fails: 0.006, slower: 1.35, status: 529 };
const BAD = { provider: "anthropic", fromHour: 12.6, toHour: 15.9 };

/** The bad afternoon is the last working day that is at least two days old. */
export function badDayOf(endMs: number): number {
  const todayMs = endMs - (endMs % DAY_MS);
  const days = [2, 3, 4].map((ago) => todayMs - ago * DAY_MS);
  return days.find((dayMs) => ![0, 6].includes(new Date(dayMs).getUTCDay())) ?? todayMs - 4 * DAY_MS;
}

export function weatherAt({ atMs, provider, badDayMs }: { atMs: number; provider: string; badDayMs: number }): Weather {
  const hour = (atMs % DAY_MS) / HOUR_MS;
  const isBad = provider === BAD.provider && atMs - (atMs % DAY_MS) === badDayMs;
  if (isBad && hour >= BAD.fromHour && hour < BAD.toHour) return { fails: 0.58, slower: 4.2, status: 529 };
  return hour >= 13 && hour < 18 ? BUSY : USUAL;
}
