import { z } from "zod";
import { OVERHEAD_BOUNDS_MS, SERIES_GROUPS, TTFT_BOUNDS_MS } from "../core/request/series.ts";
import type { AskedSeriesReport, ReportSeries } from "../operator/series.ts";
import { amountIn } from "../wire/admin/amount-in.ts";
import { namedHolder } from "../wire/admin/holder.ts";
import { instant } from "../wire/instant.ts";
import { accountName } from "../wire/admin/keys.ts";
import { renamed, sparse } from "../wire/codec.ts";
import { csv } from "../wire/csv.ts";
import type { WrittenAs } from "../wire/validate.ts";
import type { Operations } from "./operation.ts";

/** By the minutes that they have. */
export const SERIES_STEPS = { "5m": 5, "1h": 60, "1d": 1_440 } as const;
export type SeriesStep = keyof typeof SERIES_STEPS;
export const STEP_NAMES = Object.keys(SERIES_STEPS) as SeriesStep[];

const step = z.codec(z.enum(STEP_NAMES), z.number(), {
  decode: (name) => SERIES_STEPS[name],
  encode: (minutes) => STEP_NAMES.find((name) => SERIES_STEPS[name] === minutes) ?? "1d",
});

const MOST_GROUPS = 50;

export const seriesQuery = z.codec(
  sparse(
    z
      .strictObject({
        from: instant.exactOptional().describe("Beginning of the range; a day before `to` unless told."),
        to: instant.exactOptional().describe("End of the range; now unless told."),
        key: z.string().min(1).max(100).exactOptional().describe("Only requests of this key: its id or prefix."),
        account: accountName
          .exactOptional()
          .describe("Only requests of this account and those below: its id or names."),
        model: z.string().min(1).max(200).exactOptional().describe("Only requests of this model."),
        provider: z.string().min(1).max(200).exactOptional().describe("Only requests that asked this provider last."),
        step: step
          .exactOptional()
          .describe("Length of a step; as fits the range unless told. Steps of 5 minutes are kept for 8 days."),
        by: z
          .enum(SERIES_GROUPS)
          .exactOptional()
          .describe(
            "Divide by model, provider, code, key, or the accounts next below, each with all that is below it.",
          ),
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
      }),
    { fromMs: "from", toMs: "to", stepMinutes: "step" },
  ),
  z.custom<AskedSeriesReport>(),
  {
    decode: ({ key, account, ...asked }) => {
      if (key !== null) return { ...asked, of: { kind: "key" as const, name: key } };
      return { ...asked, of: account === null ? null : { kind: "account" as const, name: account } };
    },
    encode: ({ of, ...asked }) => ({
      model: null,
      provider: null,
      ...asked,
      key: of?.kind === "key" ? of.name : null,
      account: of?.kind === "account" ? of.name : null,
    }),
  },
);

const counts = {
  requests: z.int(),
  credits: amountIn("credit").describe("Credits charged."),
  tokens: amountIn("tokens").describe("Tokens charged to limits in tokens."),
  input_tokens: z.int(),
  cached_tokens: z.int().describe("Of the input tokens, those read from a cache."),
  output_tokens: z.int(),
};
const COUNTS = { inputTokens: "input_tokens", cachedTokens: "cached_tokens", outputTokens: "output_tokens" } as const;

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
const SUM = { ...COUNTS, outputPerSecond: "output_per_second" } as const;

const total = renamed(z.object(sum).meta({ id: "SeriesSum" }), SUM);
const at = instant.describe("Beginning of the step.");

const seriesJson = renamed(
  z
    .object({
      ...namedHolder,
      model: z.string().nullable().describe("The model that was asked for; null: all."),
      provider: z.string().nullable().describe("The provider that was asked for; null: all."),
      from: instant.describe("Beginning of the first step."),
      to: instant.describe("End of the last step."),
      step,
      by: z.enum(SERIES_GROUPS).nullable(),
      bounds: z
        .object({
          ttft: z.array(z.number()).describe("Of the time to the first byte."),
          overhead: z.array(z.number()).describe("Of the time in the gateway."),
        })
        .describe("Upper bounds of the histograms in milliseconds."),
      total,
      points: z
        .array(renamed(z.object({ at, ...sum }), { ...SUM, atMs: "at" }))
        .describe("Oldest first; steps without requests are left out."),
      groups: z
        .array(
          z.object({
            id: z
              .string()
              .nullable()
              .describe("A model, provider or code, or the id of a key or account; null: all others."),
            name: z.string().nullable().describe("Of a key or account; null: it has none."),
            total,
            points: z
              .array(renamed(z.object({ at, ...counts }), { ...COUNTS, atMs: "at" }))
              .describe("Oldest first; steps without requests are left out."),
          }),
        )
        .describe("Most expensive first. A key or account that was moved counts all that it did."),
    })
    .meta({ id: "Series" }),
  { fromMs: "from", toMs: "to", stepMinutes: "step" },
);

export const series = z.codec(seriesJson, z.custom<Omit<z.output<typeof seriesJson>, "bounds">>(), {
  decode: ({ bounds: _bounds, ...report }) => report,
  encode: (report) => ({ ...report, bounds: { ttft: [...TTFT_BOUNDS_MS], overhead: [...OVERHEAD_BOUNDS_MS] } }),
});

export type SeriesJson = WrittenAs<typeof series>;
export type SeriesSumJson = SeriesJson["total"];

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

export const seriesCsvText = z.string().meta({
  description: "One row per step, oldest first; with `by`, one per group and step. The first row has the column names.",
  examples: ["at,requests,credits,tokens,input_tokens,cached_tokens,output_tokens\r\n"],
});

/** How operators read sums over time, below `/admin/v1`. */
export const SERIES: Operations<ReportSeries> = {
  report: {
    id: "readSeries",
    method: "GET",
    path: "/series",
    summary: "Spend, requests, tokens, outcomes and times over time, of everything, an account or a key",
    payload: seriesQuery,
    answer: series,
    refusals: ["invalid_request", "not_found"],
    audit: "read",
  },
};
