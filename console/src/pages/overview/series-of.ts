import type { AnswerOf } from "../../api/call.ts";
import type { Buckets, Series } from "../../charts/series.ts";
import { readCredits } from "../../format/money.ts";
import { DAY_MS, HOUR_MS } from "../../format/time.ts";

export type SeriesAnswer = AnswerOf<"GET /admin/v1/series">;
export type SeriesPoint = SeriesAnswer["points"][number];

const STEPS_MS: Record<SeriesAnswer["step"], number> = { "5m": 300_000, "1h": HOUR_MS, "1d": DAY_MS };
export const STEP_NAMES: Record<SeriesAnswer["step"], string> = {
  "5m": "per 5 minutes",
  "1h": "per hour",
  "1d": "per day in UTC",
};

/** Every step of the answer, also those without requests, which it leaves out. */
export function bucketsIn(answer: Pick<SeriesAnswer, "from" | "to" | "step"> | undefined): Buckets {
  if (answer === undefined) return { startsMs: [], stepMs: 1 };
  const { from, to, step } = answer;
  const [fromMs, stepMs] = [Date.parse(from), STEPS_MS[step]];
  const length = Math.max(1, Math.round((Date.parse(to) - fromMs) / stepMs));
  return { startsMs: Array.from({ length }, (_start, index) => fromMs + index * stepMs), stepMs };
}

/** A value of each point in the bucket where it belongs; `none` where there is no point. */
export function valuesIn<Point extends { at: string }, Value>(
  { startsMs }: Buckets,
  points: readonly Point[],
  { of, none }: { of: (point: Point) => Value; none: Value },
): Value[] {
  const byStart = new Map(points.map((point) => [Date.parse(point.at), point]));
  return startsMs.map((start) => {
    const point = byStart.get(start);
    return point === undefined ? none : of(point);
  });
}

type Charged = Pick<SeriesPoint, "credits" | "tokens">;
type Group = {
  id: string | null;
  name: string | null;
  total: Charged;
  points: readonly (Charged & { at: string })[];
};

/** What each group that cost something was charged over time. The group of all others has no id. */
export const chargedSeries = (groups: readonly Group[], buckets: Buckets, of: (sum: Charged) => bigint): Series[] =>
  groups
    .filter(({ total }) => of(total) > 0n)
    .map(({ id, name, points }) => ({
      id: id ?? "other",
      name: id === null ? "all others" : (name ?? id),
      rest: id === null,
      values: valuesIn(buckets, points, { of, none: 0n }),
    }));

const creditsOf = ({ credits }: Charged): bigint => readCredits(credits);

export const creditSeries = (answer: SeriesAnswer | undefined, buckets: Buckets): Series[] =>
  chargedSeries(answer?.groups ?? [], buckets, creditsOf);

/** So many steps that they can be told apart: at most 72, 192 or as many days as there are. */
export function stepFor(spanMs: number): SeriesAnswer["step"] {
  if (spanMs <= 6 * HOUR_MS) return "5m";
  return spanMs <= 8 * DAY_MS ? "1h" : "1d";
}

/** What was delivered first, then by how often it occurs. */
export function codesIn({ total }: SeriesAnswer): string[] {
  const sorted = Object.entries(total.codes).toSorted(([, one], [, other]) => other - one);
  return sorted.map(([code]) => code).toSorted((one, other) => Number(other === "ok") - Number(one === "ok"));
}

/** Milliseconds of the API in microseconds. */
export const microseconds = (ms: number): bigint => BigInt(Math.round(ms * 1000));
