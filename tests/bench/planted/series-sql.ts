import { EVERYTHING } from "../../../src/records/fold-series.ts";
import type { Grain } from "../../../src/records/request-groups.ts";
import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS } from "../../../src/core/request/series.ts";

const SUMS = ["requests", "input", "cached", "output", "credits", "tokens", "spoken", "spoken_ms"];
const TTFT = Array.from({ length: TTFT_BOUNDS_MS.length + 1 }, (_, place) => `t${place}`);
const OVERHEAD = Array.from({ length: OVERHEAD_BOUNDS_MS.length + 1 }, (_, place) => `o${place}`);
const COLUMNS = [...SUMS, ...TTFT, ...OVERHEAD];
const KIND = "model, provider, code";

const stepOf = (minutes: number): string => `(ms / ${minutes * 60_000} * ${minutes * 60_000})`;
const listed = (columns: readonly string[]): string => columns.join(", ");
const summed = (columns: readonly string[]): string =>
  listed(columns.map((column) => `sum(${column})::bigint as ${column}`));

/** Sums of the day's rows by key, then of these in every scope, in the finest steps that are kept of the day. */
export const sumsOf = (finest: Grain): string => `
  drop table if exists planted_key_sum, planted_sum;
  create temp table planted_key_sum as
  select key_n, key_id, ${stepOf(finest)} as ms, coalesce(model, '') as model, coalesce(provider, '') as provider, code,
         sum(times)::bigint as requests, sum(input)::bigint as input, sum(cached)::bigint as cached, sum(output)::bigint as output,
         coalesce(sum(credits), 0)::bigint as credits, 0::bigint as tokens,
         coalesce(sum(output) filter (where spoken_ms is not null), 0)::bigint as spoken, coalesce(sum(spoken_ms), 0)::bigint as spoken_ms,
         ${listed(TTFT.map((name, place) => `coalesce(sum(times) filter (where ttft_place = ${place}), 0)::bigint as ${name}`))},
         ${listed(OVERHEAD.map((name, place) => `coalesce(sum(times) filter (where overhead_place = ${place}), 0)::bigint as ${name}`))}
    from planted_row group by key_n, key_id, 3, 4, 5, 6;
  create temp table planted_sum as
  select scope, ms, ${KIND}, ${summed(COLUMNS)}
    from planted_key_sum s left join planted_key k on k.key_id = s.key_id
   cross join lateral unnest(array['${EVERYTHING}'::uuid] || k.accounts || k.key_id) scope
   where scope is not null group by scope, ms, ${KIND}`;

const counts = (columns: readonly string[]): string =>
  `case when ${columns.join(" + ")} > 0 then array[${columns.join(", ")}]::int[] end`;

/** Writes what stands in `planted_sum`. Value: rows that begin before this are not kept. */
export const seriesOf = (grain: Grain): string => `
  insert into series (scope, grain, start, ${KIND}, ${listed(SUMS)}, ttft, overhead)
  select scope, ${grain}, to_timestamp(ms / 1000), ${KIND}, ${listed(SUMS)}, ${counts(TTFT)}, ${counts(OVERHEAD)}
    from planted_sum where to_timestamp(ms / 1000) >= $1::timestamptz`;

/** The same over all models and providers. */
export const totalsOf = (grain: Grain): string => `
  insert into series_total (scope, grain, start, code, ${listed(SUMS)}, ttft, overhead)
  select scope, ${grain}, to_timestamp(ms / 1000), code, ${listed(SUMS)}, ${counts(TTFT)}, ${counts(OVERHEAD)}
    from (select scope, ms, code, ${summed(COLUMNS)} from planted_sum group by scope, ms, code) s
   where to_timestamp(ms / 1000) >= $1::timestamptz`;

/** Adds `planted_sum` up to coarser steps. */
export const coarser = (grain: Grain): string => `
  create temp table planted_coarse as
  select scope, ${stepOf(grain)} as ms, ${KIND}, ${summed(COLUMNS)} from planted_sum group by scope, 2, ${KIND};
  drop table planted_sum;
  alter table planted_coarse rename to planted_sum`;
