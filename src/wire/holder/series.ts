import { z } from "zod";
import { renamed } from "../codec.ts";
import { csv } from "../csv.ts";
import { instant } from "../instant.ts";
import { type ReadAs, written, type WrittenAs } from "../validate.ts";
import { amountIn } from "./amounts.ts";
import { rangeFields } from "./query.ts";

/** Steps by their names, in minutes. */
const STEPS = { "5m": 5, "1h": 60, "1d": 1_440 } as const;
const STEP_NAMES = Object.keys(STEPS) as (keyof typeof STEPS)[];
const step = z.codec(z.enum(STEP_NAMES), z.int(), {
  decode: (name) => STEPS[name],
  encode: (minutes) => STEP_NAMES.find((name) => STEPS[name] === minutes) ?? "1d",
});

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
  credits: amountIn("credit"),
  tokens: amountIn("tokens"),
  input_tokens: z.int(),
  cached_tokens: z.int(),
  output_tokens: z.int(),
};
const COUNTS = { inputTokens: "input_tokens", cachedTokens: "cached_tokens", outputTokens: "output_tokens" } as const;
const SUM = { ...COUNTS, outputPerSecond: "output_per_second" } as const;

/** Sums of requests. Times in milliseconds. */
export const holderSum = renamed(
  z.object({
    ...counts,
    codes: z.record(z.string(), z.int()),
    ttft: z.object({ p50: z.number(), p95: z.number(), p99: z.number() }).nullable(),
    output_per_second: z.number().nullable(),
  }),
  SUM,
);

const group = renamed(
  z.object({
    name: z.string().nullable(),
    total: holderSum,
    points: z.array(renamed(z.object({ at: instant, ...counts }), { ...COUNTS, atMs: "at" })),
  }),
  { id: "name" },
);

/** What GET /me/series answers. */
export const holderSeries = renamed(
  z.object({
    from: instant,
    to: instant,
    step,
    by: z.enum(["model", "code"]).nullable(),
    total: holderSum,
    points: z.array(renamed(z.object({ at: instant, ...holderSum.in.shape }), { ...SUM, atMs: "at" })),
    groups: z.array(group),
  }),
  { fromMs: "from", toMs: "to", stepMinutes: "step" },
);

export type HolderSeries = ReadAs<typeof holderSeries>;
type HolderSeriesBody = WrittenAs<typeof holderSeries>;

export const writeSeries = (series: HolderSeries): HolderSeriesBody => written(holderSeries, series);

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
