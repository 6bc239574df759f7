/** A worker that lived longer than this did not die of its start. */
const QUICK_DEATH_MS = 10_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;
const QUICK_DEATHS_BEFORE_GIVING_UP = 5;

type Death = {
  livedMs: number;
  /** How many times in a row this place had a quick death before. */
  quickDeaths: number;
  /** Whether any other worker takes requests. While one does, nobody gives up. */
  othersServe: boolean;
};

/** How long to wait before a dead worker is replaced; null when there is no point in it. */
export function restartAfter({ livedMs, quickDeaths, othersServe }: Death): {
  waitMs: number | null;
  quickDeaths: number;
} {
  if (livedMs >= QUICK_DEATH_MS) return { waitMs: 0, quickDeaths: 0 };
  const deaths = quickDeaths + 1;
  if (deaths >= QUICK_DEATHS_BEFORE_GIVING_UP && !othersServe) return { waitMs: null, quickDeaths: deaths };
  return { waitMs: Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (deaths - 1)), quickDeaths: deaths };
}
