import { z } from "zod";
import { formatAmount } from "../../core/amount.ts";
import { OVERHEAD_BOUNDS_MS, SERIES_GROUPS, TTFT_BOUNDS_MS } from "../../core/series.ts";
import { csv } from "../csv.ts";
import type { ReadAs, WrittenAs } from "../validate.ts";
import { amountIn } from "./amount-in.ts";
import { namedHolder } from "./holder.ts";
import { dateOf, instant } from "./instant.ts";
import { accountName } from "./keys.ts";

/** By the minutes that they have. */
export const SERIES_STEPS = { "5m": 5, "1h": 60, "1d": 1_440 } as const;
export type SeriesStep = keyof typeof SERIES_STEPS;
export const STEP_NAMES = Object.keys(SERIES_STEPS) as SeriesStep[];

const MOST_GROUPS = 50;

export const seriesQuery = z
  .strictObject({
    from: instant.exactOptional().describe("Beginning of the range; a day before `to` unless told."),
    to: instant.exactOptional().describe("End of the range; now unless told."),
    key: z.string().min(1).max(100).exactOptional().describe("Only requests of this key: its id or prefix."),
    account: accountName.exactOptional().describe("Only requests of this account and those below: its id or names."),
    model: z.string().min(1).max(200).exactOptional().describe("Only requests of this model."),
    provider: z.string().min(1).max(200).exactOptional().describe("Only requests that asked this provider last."),
    step: z
      .enum(STEP_NAMES)
      .exactOptional()
      .describe("Length of a step; as fits the range unless told. Steps of 5 minutes are kept for 8 days."),
    by: z
      .enum(SERIES_GROUPS)
      .exactOptional()
      .describe("Divide by model, provider, code, key, or the accounts next below, each with all that is below it."),
    top: z.coerce
      .number()
      .int()
      .min(1)
      .max(MOST_GROUPS)
      .default(10)
      .describe(`How many groups are told apart, up to ${MOST_GROUPS}. The rest are one group without an id.`),
  })
  .refine(({ key, account }) => key === undefined || account === undefined, {
    path: ["account"],
    message: "Input should be absent when `key` is given",
  })
  .transform(({ from, to, key, account, model, provider, step, by, top }) => ({
    fromMs: from ?? null,
    toMs: to ?? null,
    of:
      key === undefined
        ? account === undefined
          ? null
          : { kind: "account" as const, name: account }
        : { kind: "key" as const, name: key },
    model: model ?? null,
    provider: provider ?? null,
    stepMinutes: step === undefined ? null : SERIES_STEPS[step],
    by: by ?? null,
    top,
  }));

const counts = {
  requests: z.int(),
  credits: amountIn("credit").describe("Credits charged."),
  tokens: amountIn("tokens").describe("Tokens charged to limits in tokens."),
  input_tokens: z.int(),
  cached_tokens: z.int().describe("Of the input tokens, those read from a cache."),
  output_tokens: z.int(),
};

const histogram = z
  .object({
    counts: z.array(z.int()).describe("Requests up to each bound of `bounds`, and above the last."),
    p50: z.number().describe("Milliseconds, interpolated."),
    p95: z.number(),
    p99: z.number(),
  })
  .meta({ id: "SeriesHistogram" });

const sum = {
  ...counts,
  codes: z
    .record(z.string(), z.int())
    .meta({ examples: [{ ok: 1_204, rate_limit_exceeded: 3 }] })
    .describe("Requests by the code that they ended with: `ok`, an error code, or `client_gone`."),
  ttft: histogram.nullable().describe("Time to the first byte of streams; null: there were none."),
  overhead: histogram.nullable().describe("Time in the gateway itself; null: no provider was asked."),
  output_per_second: z.number().nullable().describe("Tokens per second of completed streams; null: there were none."),
};

const countsObject = z.object({ at: instant.describe("Beginning of the step."), ...counts });
const sumObject = z.object(sum).meta({ id: "SeriesSum" });
const pointObject = z.object({ at: instant.describe("Beginning of the step."), ...sum });
type Counts = Omit<z.output<typeof countsObject>, "at">;
type Sum = z.output<typeof sumObject>;

const countsOf = ({
  input_tokens: inputTokens,
  cached_tokens: cachedTokens,
  output_tokens: outputTokens,
  ...rest
}: Counts) => ({
  requests: rest.requests,
  credits: rest.credits,
  tokens: rest.tokens,
  inputTokens,
  cachedTokens,
  outputTokens,
});

const sumOf = (given: Sum) => ({
  ...countsOf(given),
  codes: given.codes,
  ttft: given.ttft,
  overhead: given.overhead,
  outputPerSecond: given.output_per_second,
});

export const seriesSchema = z
  .object({
    ...namedHolder,
    model: z.string().nullable().describe("The model that was asked for; null: all."),
    provider: z.string().nullable().describe("The provider that was asked for; null: all."),
    from: instant.describe("Beginning of the first step."),
    to: instant.describe("End of the last step."),
    step: z.enum(STEP_NAMES),
    by: z.enum(SERIES_GROUPS).nullable(),
    bounds: z
      .object({
        ttft: z.array(z.number()).describe("Of the time to the first byte."),
        overhead: z.array(z.number()).describe("Of the time in the gateway."),
      })
      .describe("Upper bounds of the histograms in milliseconds."),
    total: sumObject,
    points: z.array(pointObject).describe("Oldest first; steps without requests are left out."),
    groups: z
      .array(
        z.object({
          id: z
            .string()
            .nullable()
            .describe("A model, provider or code, or the id of a key or account; null: all others."),
          name: z.string().nullable().describe("Of a key or account; null: it has none."),
          total: sumObject,
          points: z.array(countsObject).describe("Oldest first; steps without requests are left out."),
        }),
      )
      .describe("Most expensive first. A key or account that was moved counts all that it did."),
  })
  .meta({ id: "Series" })
  .transform(({ key, account, model, provider, by, from, to, step, total, points, groups }) => ({
    key,
    account,
    model,
    provider,
    by,
    fromMs: from,
    toMs: to,
    stepMinutes: SERIES_STEPS[step] as number,
    total: sumOf(total),
    points: points.map(({ at, ...point }) => ({ atMs: at, ...sumOf(point) })),
    groups: groups.map((group) => ({
      id: group.id,
      name: group.name,
      total: sumOf(group.total),
      points: group.points.map(({ at, ...point }) => ({ atMs: at, ...countsOf(point) })),
    })),
  }));

type ReadSum = ReturnType<typeof sumOf>;
type LooseSum = Omit<ReadSum, "codes" | "ttft" | "overhead"> & {
  codes: Readonly<Record<string, number>>;
  ttft: LooseHistogram | null;
  overhead: LooseHistogram | null;
};
type LooseHistogram = Omit<NonNullable<ReadSum["ttft"]>, "counts"> & { counts: readonly number[] };
type Read = ReadAs<typeof seriesSchema>;
type Loose = Omit<Read, "total" | "points" | "groups"> & {
  total: LooseSum;
  points: readonly (LooseSum & { atMs: number })[];
  groups: readonly {
    id: string | null;
    name: string | null;
    total: LooseSum;
    points: readonly (ReturnType<typeof countsOf> & { atMs: number })[];
  }[];
};
export type SeriesJson = WrittenAs<typeof seriesSchema>;
export type SeriesSumJson = SeriesJson["total"];

const countsView = (given: ReturnType<typeof countsOf>) => ({
  requests: given.requests,
  credits: formatAmount("credit", given.credits),
  tokens: formatAmount("tokens", given.tokens),
  input_tokens: given.inputTokens,
  cached_tokens: given.cachedTokens,
  output_tokens: given.outputTokens,
});

const histogramView = (given: LooseHistogram | null) => given && { ...given, counts: [...given.counts] };

const sumView = (given: LooseSum): SeriesSumJson => ({
  ...countsView(given),
  codes: { ...given.codes },
  ttft: histogramView(given.ttft),
  overhead: histogramView(given.overhead),
  output_per_second: given.outputPerSecond,
});

export const seriesView = (given: Loose): SeriesJson => ({
  key: given.key,
  account: given.account,
  model: given.model,
  provider: given.provider,
  from: dateOf(given.fromMs),
  to: dateOf(given.toMs),
  step: STEP_NAMES.find((step) => SERIES_STEPS[step] === given.stepMinutes) ?? "1d",
  by: given.by,
  bounds: { ttft: [...TTFT_BOUNDS_MS], overhead: [...OVERHEAD_BOUNDS_MS] },
  total: sumView(given.total),
  points: given.points.map(({ atMs, ...point }) => ({ at: dateOf(atMs), ...sumView(point) })),
  groups: given.groups.map((group) => ({
    id: group.id,
    name: group.name,
    total: sumView(group.total),
    points: group.points.map(({ atMs, ...point }) => ({ at: dateOf(atMs), ...countsView(point) })),
  })),
});

const COUNTED = ["requests", "credits", "tokens", "input_tokens", "cached_tokens", "output_tokens"] as const;

/** One row per step and group; without groups, per step with times. */
export function seriesCsv({ by, points, groups }: SeriesJson): string {
  if (by === null)
    return csv([
      ["at", ...COUNTED, "errors", "ttft_p50_ms", "ttft_p95_ms", "ttft_p99_ms", "overhead_p50_ms", "overhead_p95_ms"],
      ...points.map((point) => [
        point.at,
        ...COUNTED.map((name) => point[name]),
        errorsIn(point),
        ...(["p50", "p95", "p99"] as const).map((share) => point.ttft?.[share] ?? null),
        ...(["p50", "p95"] as const).map((share) => point.overhead?.[share] ?? null),
      ]),
    ]);
  return csv([
    ["at", by, "name", ...COUNTED],
    ...groups.flatMap(({ id, name, points: steps }) =>
      steps.map((step) => [step.at, id ?? "other", name, ...COUNTED.map((column) => step[column])]),
    ),
  ]);
}

/** Requests that were rejected or failed. */
export const errorsIn = ({ requests, codes }: SeriesSumJson): number =>
  requests - (codes["ok"] ?? 0) - (codes["client_gone"] ?? 0);

export const seriesCsvSchema = z.string().meta({
  description: "One row per step, oldest first; with `by`, one per group and step. The first row has the column names.",
  examples: ["at,requests,credits,tokens,input_tokens,cached_tokens,output_tokens\r\n"],
});
