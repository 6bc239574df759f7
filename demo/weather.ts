/** How a provider is at a moment: how many of its answers fail, and how much longer they take. */
export type Weather = { fails: number; slower: number; status: number };

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const USUAL: Weather = { fails: 0.0035, slower: 1, status: 503 };
/** In the afternoon half of the world asks. */
const BUSY: Weather = { fails: 0.006, slower: 1.35, status: 529 };
const BAD_HOURS = { from: 12.6, to: 15.9 };
/** Where everybody goes when one provider is down, it is crowded. */
const BAD: Readonly<Record<string, Weather>> = {
  anthropic: { fails: 0.66, slower: 4.2, status: 529 },
  bedrock: { fails: 0.27, slower: 2.6, status: 503 },
};

/** The bad afternoon is the last working day that is at least two days old. */
export function badDayOf(endMs: number): number {
  const todayMs = endMs - (endMs % DAY_MS);
  const days = [2, 3, 4].map((ago) => todayMs - ago * DAY_MS);
  return days.find((dayMs) => ![0, 6].includes(new Date(dayMs).getUTCDay())) ?? todayMs - 4 * DAY_MS;
}

export function weatherAt({ atMs, provider, badDayMs }: { atMs: number; provider: string; badDayMs: number }): Weather {
  const hour = (atMs % DAY_MS) / HOUR_MS;
  const bad = atMs - (atMs % DAY_MS) === badDayMs ? BAD[provider] : undefined;
  if (bad !== undefined && hour >= BAD_HOURS.from && hour < BAD_HOURS.to) return bad;
  return hour >= 13 && hour < 18 ? BUSY : USUAL;
}
