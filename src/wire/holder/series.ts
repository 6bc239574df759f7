import { z } from "zod";
import { csv } from "../csv.ts";
import { moment } from "./holder.ts";
import { rangeFields } from "./query.ts";

/** Steps by their names, in minutes. */
const STEPS = { "5m": 5, "1h": 60, "1d": 1_440 } as const;
const STEP_NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];
export const stepName = (minutes: number): keyof typeof STEPS =>
  STEP_NAMES.find((name) => STEPS[name] === minutes) ?? "1d";

const fields = {
  ...rangeFields,
  step: z.enum(STEP_NAMES).exactOptional(),
  by: z.enum(["model", "code"]).exactOptional(),
};

export const seriesQuery = {
  names: Object.keys(fields),
  schema: z.strictObject(fields).transform(({ from, to, step, by }) => ({
    fromMs: from ?? null,
    toMs: to ?? null,
    stepMinutes: step === undefined ? null : STEPS[step],
    by: by ?? null,
  })),
};

const counts = {
  requests: z.int(),
  credits: z.string(),
  tokens: z.string(),
  input_tokens: z.int(),
  cached_tokens: z.int(),
  output_tokens: z.int(),
};
const point = z.object({ at: moment, ...counts });

/** Sums of requests. Times in milliseconds. */
export const holderSumSchema = z.object({
  ...counts,
  codes: z.record(z.string(), z.int()),
  ttft: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }).nullable(),
  output_per_second: z.number().nullable(),
});

/** What GET /me/series answers. */
export const holderSeriesSchema = z.object({
  from: moment,
  to: moment,
  step: z.enum(STEP_NAMES),
  by: z.enum(["model", "code"]).nullable(),
  total: holderSumSchema,
  points: z.array(z.object({ at: moment, ...holderSumSchema.shape })),
  groups: z.array(z.object({ name: z.string().nullable(), total: holderSumSchema, points: z.array(point) })),
});

export type HolderSeriesBody = z.output<typeof holderSeriesSchema>;
export type HolderSum = z.output<typeof holderSumSchema>;

const COUNTED = ["requests", "credits", "tokens", "input_tokens", "cached_tokens", "output_tokens"] as const;

/** One row per step; with groups, per step and group. */
export function holderSeriesCsv({ by, points, groups }: HolderSeriesBody): string {
  if (by === null)
    return csv([
      ["at", ...COUNTED, "ok", "client_gone", "ttft_p50_ms", "ttft_p95_ms", "ttft_p99_ms"],
      ...points.map((row) => [
        row.at,
        ...COUNTED.map((column) => row[column]),
        row.codes["ok"] ?? 0,
        row.codes["client_gone"] ?? 0,
        ...(["p50", "p95", "p99"] as const).map((share) => row.ttft?.[share] ?? null),
      ]),
    ]);
  return csv([
    ["at", by, ...COUNTED],
    ...groups.flatMap(({ name, points: steps }) =>
      steps.map((step) => [step.at, name ?? "other", ...COUNTED.map((column) => step[column])]),
    ),
  ]);
}
