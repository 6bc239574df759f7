import { DAY_MS, HOUR_MS } from "../format/time.ts";
import type { PageSearch } from "../routes/search.ts";

/** A span of time cut into buckets. */
export type Range = { name: string; fromMs: number; toMs: number; stepMs: number };

const MINUTE_MS = 60_000;

/** Each ends now; its buckets are so many that they can be told apart and so few that they can be read. */
export const RANGES: Record<string, { name: string; spanMs: number; stepMs: number }> = {
  "1h": { name: "Last hour", spanMs: HOUR_MS, stepMs: MINUTE_MS },
  "24h": { name: "Last 24 hours", spanMs: DAY_MS, stepMs: HOUR_MS / 2 },
  "7d": { name: "Last 7 days", spanMs: 7 * DAY_MS, stepMs: 3 * HOUR_MS },
  "30d": { name: "Last 30 days", spanMs: 30 * DAY_MS, stepMs: DAY_MS },
  "90d": { name: "Last 90 days", spanMs: 90 * DAY_MS, stepMs: DAY_MS },
};

export const USUAL_RANGE = "24h";
const STEPS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS / 2,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
  7 * DAY_MS,
];
const MOST_BUCKETS = 90;

/** The span that an address names. Its ends are whole buckets, so that the same address asks for the same numbers for a while. */
export function readRange({ range, from, to }: PageSearch, nowMs: number): Range {
  const [fromMs, toMs] = [Date.parse(from ?? ""), Date.parse(to ?? "")];
  if (fromMs < toMs) {
    const stepMs = STEPS_MS.find((step) => (toMs - fromMs) / step <= MOST_BUCKETS) ?? 7 * DAY_MS;
    return { name: "Chosen span", stepMs, ...whole(fromMs, toMs, stepMs) };
  }
  const { name, spanMs, stepMs } = RANGES[range ?? USUAL_RANGE] ?? (RANGES[USUAL_RANGE] as (typeof RANGES)[string]);
  return { name, stepMs, ...whole(nowMs - spanMs + stepMs, nowMs, stepMs) };
}

const whole = (fromMs: number, toMs: number, stepMs: number): { fromMs: number; toMs: number } => ({
  fromMs: Math.floor(fromMs / stepMs) * stepMs,
  toMs: Math.ceil(toMs / stepMs) * stepMs,
});

export const bucketsOf = ({ fromMs, toMs, stepMs }: Range): { startsMs: number[]; stepMs: number } => ({
  startsMs: Array.from({ length: Math.round((toMs - fromMs) / stepMs) }, (_start, index) => fromMs + index * stepMs),
  stepMs,
});
