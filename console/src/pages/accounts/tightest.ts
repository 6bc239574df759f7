import type { Counter } from "../../api/generated/admin.ts";
import { readCounted } from "../../format/counted.ts";

/** The purse or limit of which most is used, and how much of it in percent; null: there is none. */
export function tightest(counters: readonly Counter[]): { counter: Counter; percent: number } | null {
  const shares = counters.map((counter) => ({ counter, percent: usedPercent(counter) }));
  return shares.toSorted((one, other) => other.percent - one.percent)[0] ?? null;
}

function usedPercent(counter: Counter): number {
  const { charged, reserved, available } = readCounted(counter);
  const used = charged + reserved;
  if (available <= 0n) return 100;
  return Number((used * 1000n) / (used + available)) / 10;
}
