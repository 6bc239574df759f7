import type { AnswerOf } from "../../api/call.ts";
import type { Buckets, Series } from "../../charts/series.ts";
import { readAmount } from "../../format/counted.ts";
import { bucketsIn, valuesIn } from "../overview/series-of.ts";

export type OwnSeries = AnswerOf<"GET /me/series">;

/** Null: all that are not among the largest. Empty: requests that named no model, or none that there is. */
export const modelName = (name: string | null): string => (name === null ? "all others" : name || "no model");

const NO_BUCKETS: Buckets = { startsMs: [], stepMs: 1 };

export const bucketsOfOwn = (answer: OwnSeries | undefined): Buckets => (answer ? bucketsIn(answer) : NO_BUCKETS);

/** What each model was charged over time, in the unit the key pays with. Models that cost nothing are left out. */
export function seriesByModel(
  answer: OwnSeries | undefined,
  unit: "credit" | "tokens",
): { buckets: Buckets; series: Series[] } {
  const buckets = bucketsOfOwn(answer);
  const of = ({ credits, tokens }: { credits: string; tokens: string }): bigint =>
    readAmount(unit, unit === "credit" ? credits : tokens);
  const series = (answer?.groups ?? [])
    .filter(({ total }) => of(total) > 0n)
    .map(({ name, points }) => ({
      id: name ?? "other",
      name: modelName(name),
      rest: name === null,
      values: valuesIn(buckets, points, { of, none: 0n }),
    }));
  return { buckets, series };
}

type Tokens = { input_tokens: number; cached_tokens: number; output_tokens: number };

const KINDS: readonly [name: string, of: (counts: Tokens) => bigint][] = [
  ["input", ({ input_tokens: input, cached_tokens: cached }) => BigInt(input - cached)],
  ["cached input", ({ cached_tokens: cached }) => BigInt(cached)],
  ["output", ({ output_tokens: output }) => BigInt(output)],
];

export const tokenSeries = (answer: OwnSeries | undefined, buckets: Buckets): Series[] =>
  KINDS.map(([name, of]) => ({
    id: name,
    name,
    values: valuesIn(buckets, answer?.points ?? [], { of, none: 0n }),
  }));
