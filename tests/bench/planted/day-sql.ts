import { OVERHEAD_BOUNDS_MS, TTFT_BOUNDS_MS } from "../../../src/core/request/series.ts";
import { SLOTS } from "./structure.ts";

/** A number from 0 to 1 that depends on the request and on nothing else: whoever plants again plants the same. */
const chance = (seed: number): string => `((hashint8extended(n, ${seed}) & 1048575) / 1048576::float8)`;

/** The place of a time in a histogram; both in microseconds. */
const placeIn = (value: string, boundsMs: readonly number[]): string =>
  `width_bucket(${value} - 1, array[${boundsMs.map((bound) => bound * 1_000).join(", ")}]::int[])`;

/**
 * The requests of one day, computed. Values: the beginning of the day in milliseconds, how much of it there is, its first request, how many
 * it has, all charges and all records. Nights are quieter than days. What is charged is so by its number, so that there are exactly so many.
 */
export const DRAW = `
  insert into planted_row
  with drawn as (
    select n, $1::bigint + floor($2::bigint * (u + 0.6 * sin(2 * pi() * u) / (2 * pi())))::bigint as ms,
           (n + 1) * $5::bigint / $6::bigint > n * $5::bigint / $6::bigint as charged, ${chance(1)} as r1, ${chance(2)} as r2,
           ${chance(3)} as r3, ${chance(4)} as r4, ${chance(5)} as r5, ${chance(6)} as r6,
           (hashint8extended(n, 7) & 1048575)::int % ${SLOTS} as slot
      from (select n, (n - $3::bigint + 0.5::float8) / $4::bigint as u from generate_series($3::bigint, $3::bigint + $4::bigint - 1) n) q
  ), sorted as (
    select d.*, k.n as key_n, k.key_id, k.key_no, k.chain, k.accounts,
           case when charged then 'charged' when r1 < 0.75 then 'free' when r1 < 0.95 then 'refused' else 'counted' end as kind
      from drawn d join planted_slot s using (slot) join planted_key k on k.n = s.n
  ), told as (
    select s.*, kind = 'refused' and r3 < 0.1 as nobody, kind in ('charged', 'free') as asked,
           case kind when 'charged' then (key_n + floor(r4 * r4 * 5)::int) % 9 when 'free' then 9 + floor(r4 * 3)::int
                     when 'counted' then key_n % 9 else case when r4 < 0.5 then key_n % 9 end end as model_n,
           case when kind = 'counted' then 'ok'
                when kind <> 'refused' then case when r2 < 0.96 then 'ok' when r2 < 0.98 then 'client_gone' else 'upstream_error' end
                when r3 < 0.1 then 'invalid_credentials' when r2 < 0.6 then 'rate_limit_exceeded' when r2 < 0.75 then 'insufficient_credit'
                when r2 < 0.9 then 'invalid_request' when r2 < 0.9999 then 'model_not_found' else 'internal_error' end as code
      from sorted s
  ), timed as (
    select t.*, m.id as model, m.word, case when asked then case when r3 < 0.03 then m.second else m.provider end end as provider,
           asked and r5 < 0.7 as streamed, code = 'upstream_error' as failed,
           case when asked and code <> 'upstream_error' then 200 + floor(r6 * r6 * 6000)::int else 0 end as input,
           case when asked and code <> 'upstream_error' then 20 + floor(r5 * r5 * 900)::int else 0 end as output,
           (400 + r4 * 900)::int as checked_us, (1500 + r6 * r6 * 9000)::int as dispatched_us
      from told t left join planted_model m on m.n = t.model_n
  ), priced as (
    select t.*, case when r3 < 0.3 then input / 2 else 0 end as cached,
           case when asked and not failed then dispatched_us + 60000 + (power(r1, 4) * 9000000)::int end as first_us
      from timed t
  )
  select (lpad(to_hex(ms), 12, '0') || '7' || substr(h.hex, 1, 3) || 'a' || substr(h.hex, 4, 15))::uuid, ms, key_n, kind, code,
         case when nobody then null else key_id end, case when nobody then '{}' else accounts end, key_no, chain, model, word, provider, input,
         cached, output, asked, streamed, failed, r2, r3,
         case when code = 'rate_limit_exceeded' and r4 < 0.05 then 8 else 1 end, checked_us, dispatched_us, first_us, e.last_us,
         c.closed_us, e.provider_us,
         case when kind = 'charged' then case when failed then 0
           else ((input - cached) * p.input_nano + cached * p.cache_read_nano + output * p.output_nano + 500000) / 1000000 end end,
         case when asked then ${placeIn("c.closed_us - e.provider_us", OVERHEAD_BOUNDS_MS)} end,
         case when streamed then ${placeIn("first_us", TTFT_BOUNDS_MS)} end,
         case when streamed and code = 'ok' then round((e.last_us - first_us) / 1000.0)::bigint end
    from priced q left join price p on p.model_id = q.model
    cross join lateral (select md5(n::text) as hex) h
    cross join lateral (select case when streamed then first_us + output * 9000 else first_us + 400 end as last_us,
                               case when asked then case when failed then 40000 else first_us - dispatched_us end else 0 end as provider_us) e
    cross join lateral (select case when not asked then checked_us + 300 when failed then dispatched_us + e.provider_us + 900
                                    else e.last_us + 2500 end as closed_us) c`;

export const ROWS = `
  create temp table if not exists planted_row (
    id uuid, ms bigint, key_n int, kind text, code text, key_id uuid, accounts uuid[], key_no int, chain int, model text, word int, provider text,
    input int, cached int, output int, asked boolean, streamed boolean, failed boolean, r2 float8, r3 float8, times int, checked_us int,
    dispatched_us int, first_us int, last_us int, closed_us int, provider_us int, credits bigint, overhead_place int, ttft_place int,
    spoken_ms bigint);
  truncate planted_row`;

const REFUSED = "not asked and code <> 'ok'";
const FIRST_FAILED = `jsonb_build_object('provider', provider, 'routeId', '00000000-0000-0000-0000-000000000000', 'beganUs', dispatched_us,
  'endedUs', dispatched_us + 20000, 'status', 503, 'failure', 'status')`;

/** Into a table of the day that is not a partition yet, so that its indexes are built once and not row by row. */
export const requestsInto = (table: string): string => `
  insert into ${table} (id, times, key_id, accounts, route, format, model_asked, model, provider, status, code, outcome, streamed,
    authenticated_us, read_us, checked_us, admitted_us, dispatched_us, first_byte_us, last_byte_us, settled_us, closed_us, provider_us, attempts,
    input, cached, output, held_credits, credits, price_version, refusal, client, agent, bytes_out)
  select id, times, key_id, accounts, case when kind = 'counted' then 'count_tokens' when key_n % 3 = 0 then 'messages' else 'chat_completions' end,
         case when key_n % 3 = 0 then 'messages' else 'chat' end, case when code = 'model_not_found' then 'no-such-model' end, model, provider,
         case code when 'ok' then 200 when 'client_gone' then 200 when 'upstream_error' then 502 when 'invalid_credentials' then 401
                   when 'rate_limit_exceeded' then 429 when 'insufficient_credit' then 402 when 'invalid_request' then 400
                   when 'model_not_found' then 404 else 500 end,
         code, case when asked then case code when 'ok' then 'completed' when 'client_gone' then code else 'upstream_failed' end end, streamed,
         120, 250, checked_us, case when asked then dispatched_us - 300 end, case when asked then dispatched_us end, first_us, last_us,
         case when asked then closed_us - 300 end, closed_us, provider_us,
         case when failed then jsonb_build_array(${FIRST_FAILED})
              when asked and r3 < 0.03 then jsonb_build_array(${FIRST_FAILED}, ${FIRST_FAILED} || '{"status": 200, "failure": null}') end,
         input, cached, output, credits * 3 / 2 + 1000, credits, case when asked then 1 end,
         case when ${REFUSED} then 'Planted: this request was refused with ' || code || '. Try again later.' end,
         case key_n % 4 when 0 then 'claude-cli/2.1.0 (external, cli)' when 1 then 'codex_cli_rs/0.50.0' when 2 then 'OpenAI/Python 2.6.1'
                        else 'curl/8.14.1' end,
         case key_n % 4 when 0 then 'Claude Code' when 1 then 'Codex' when 2 then 'OpenAI SDK (Python)' else 'curl' end, output * 6
    from planted_row order by id`;

export const CHARGES = `
  insert into charge (hold_id, admitted_at, at, granted_credits, credits, key_no, chain, model, price_version, input, cache_read, output, took_ms,
                      first_byte_ms, provider, status, kind, reported)
  select r.id, to_timestamp(ms / 1000.0) + (dispatched_us - 300) * interval '1 microsecond',
         to_timestamp(ms / 1000.0) + (closed_us - 300) * interval '1 microsecond', credits * 3 / 2 + 1000, credits, key_no, chain, r.word, 1, input,
         nullif(cached, 0), output, closed_us / 1000, first_us / 1000, w.no, case when failed then 502 else 200 end,
         case code when 'ok' then 1 when 'client_gone' then 2 else 3 end, code <> 'client_gone'
    from planted_row r join word w on w.word = r.provider where kind = 'charged' order by r.id`;
