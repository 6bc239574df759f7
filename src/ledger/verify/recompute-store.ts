import type { Queryable } from "../../db/database.ts";
import { createRanges } from "./charge-range-store.ts";
import { chunkOf, type WrongRow } from "./verify-checks-store.ts";
import type { VerifyStore } from "./verify.ts";

const MOST_WRONG = 1_000;

/**
 * Values: those of the range, the number of the key. Every amount once more, from its price and its counts alone. None of this is the code that
 * charges requests, so that a mistake in one of them is found by the other.
 *
 * A price may have lines for larger inputs: a charge is at those that begin at its input or below, the last of them that names a part has its
 * price, and their factors multiply. Beyond what is sold, the largest size that is sold counts.
 *
 * Of all input, what was read from a cache and written to one is priced apart; shares that come to more than the whole leave nothing of it. Of all output,
 * what is reasoning.
 * Half a nano-credit is rounded up, once. What was charged is that, less what stands with the operator's losses as an overrun; requests that
 * failed at their provider and those that were undone before they were charged are free. Counts of ours that were cut to fit a grant are
 * charged the whole grant, which can be more than they come to, but by less than one token of each kind.
 */
const TARIFFS = `
  priced as materialized (
    select w.no as model, p.* from price p join word w on w.word = p.model_id
  ), line as materialized (
    select p.model, p.version, l.n, l.words, coalesce((l.words ->> 'input_above')::bigint + 1, (l.words ->> 'input_from')::bigint, 0) as begins
      from priced p cross join lateral jsonb_array_elements(p.when_lines) with ordinality l (words, n)
     where not l.words ?| array['tier', 'region']
  ), size as (
    select s.model, s.version, s.begins
      from (select model, version, 0 as begins from priced union select model, version, begins from line) s
     where not exists (select from line l where l.model = s.model and l.version = s.version and l.begins <= s.begins and l.words ->> 'sold' = 'false')
  ), tariff as materialized (
    select t.*, greatest(t.input, t.output, t.cache_read, t.cache_write, t.cache_write_1h, t.reasoning) as dearest
      from (
        select p.model, p.version, case when row_number() over sizes > 1 then s.begins else 0 end as begins,
               lead(s.begins) over sizes as ends, f.times * o.input as input, f.times * o.output as output,
               f.times * coalesce(o.cache_read, o.input) as cache_read, f.times * coalesce(o.cache_write_5m, o.input) as cache_write,
               f.times * coalesce(o.cache_write_1h, o.cache_write_5m, o.input) as cache_write_1h,
               f.times * coalesce(o.reasoning, o.output) as reasoning, p.tool_call_nano || coalesce(h.tools, '{}') as tools
          from size s join priced p on p.model = s.model and p.version = s.version
          cross join lateral (
            -- The last line that names a part has its price.
            select jsonb_object_agg(w.key, w.value order by l.n) as words
              from line l cross join lateral jsonb_each(l.words) w
             where l.model = s.model and l.version = s.version and l.begins <= s.begins
          ) held
          cross join lateral (select jsonb_object_agg(c.key, c.value order by l.n) as tools
                                from line l cross join lateral jsonb_each_text(l.words -> 'tools') c
                               where l.model = s.model and l.version = s.version and l.begins <= s.begins) h
          cross join lateral (select product_of(array(
            select (l.words ->> 'times')::numeric / 1000000000 from line l
             where l.model = s.model and l.version = s.version and l.begins <= s.begins and l.words ? 'times')) as times) f
          cross join lateral (
            select coalesce((held.words ->> 'input')::numeric, p.input_nano) as input, coalesce((held.words ->> 'output')::numeric, p.output_nano) as output,
                   coalesce((held.words ->> 'cache_read')::numeric, p.cache_read_nano) as cache_read,
                   coalesce((held.words ->> 'cache_write_5m')::numeric, p.cache_write_5m_nano) as cache_write_5m,
                   coalesce((held.words ->> 'cache_write_1h')::numeric, p.cache_write_1h_nano) as cache_write_1h,
                   coalesce((held.words ->> 'output_reasoning')::numeric, p.output_reasoning_nano) as reasoning
          ) o
        window sizes as (partition by p.model, p.version order by s.begins)
      ) t
  )`;

/** What each charge of a range comes to. */
const costsOf = (range: string): string => `
  costs as materialized (
    select c.hold_id, c.key_no, c.kind, c.credits, c.tokens, c.granted_credits, c.granted_tokens, c.estimated, t.model is null as unpriced,
           c.input::bigint + c.output as count, n.*,
           case when c.credits is not null then
             case when t.dearest < 100000000000 and greatest(c.input, c.output) < 20000000 and c.tools is null
                    and coalesce(c.cache_read, 0) + coalesce(c.cache_write, 0) <= c.input
                  then (n.fresh * t.input::bigint + n.cached * t.cache_read::bigint + n.written * t.cache_write::bigint
                        + n.kept * t.cache_write_1h::bigint + n.said * t.output::bigint + n.thought * t.reasoning::bigint + 500000) / 1000000
                  else div(n.fresh * t.input + n.cached * t.cache_read + n.written * t.cache_write + n.kept * t.cache_write_1h
                           + n.said * t.output + n.thought * t.reasoning + n.tools * 1000000 + 500000, 1000000)::bigint end
           end as price,
           ((t.input + t.output + t.cache_read + t.cache_write + t.cache_write_1h + t.reasoning) / 1000000)::bigint + 2 + n.tools::bigint as slack
      from charge c left join tariff t on t.model = c.model and t.version = c.price_version
                                      and c.input >= t.begins and c.input < coalesce(t.ends, 9223372036854775807)
      cross join lateral (
        select greatest(c.input - coalesce(c.cache_read, 0) - greatest(coalesce(c.cache_write, 0) - coalesce(c.cache_write_1h, 0), 0)
                        - coalesce(c.cache_write_1h, 0), 0)::bigint as fresh,
               coalesce(c.cache_read, 0)::bigint as cached,
               greatest(coalesce(c.cache_write, 0) - coalesce(c.cache_write_1h, 0), 0)::bigint as written,
               coalesce(c.cache_write_1h, 0)::bigint as kept,
               least(coalesce(c.reasoning, 0), c.output)::bigint as thought,
               (c.output - least(coalesce(c.reasoning, 0), c.output))::bigint as said,
               case when c.tools is null then 0 else (
                 select coalesce(sum(calls.value::numeric * coalesce((t.tools ->> w.word)::numeric, 0)), 0)
                   from jsonb_each_text(c.tools) calls left join word w on w.no = calls.key::int
               ) end as tools
      ) n
     where ${range}
  )`;

const WRONG = `
  judged as (
    select c.hold_id, c.key_no, u.*
      from costs c cross join lateral (values
        ('credit', c.credits, c.granted_credits, case when c.unpriced then null else c.price end, c.slack),
        ('tokens', c.tokens, c.granted_tokens, c.count, 1)
      ) u (unit, charged, granted, price, slack)
     where u.charged is not null
       and case when c.kind = 6 or c.kind = 3 and coalesce(c.credits, 0) + coalesce(c.tokens, 0) = 0 then u.charged <> 0
                else u.charged is distinct from u.price end
       and not (c.estimated and u.charged = u.granted and u.price <= u.charged and u.charged - u.price <= u.slack)
  ), wrong as (
    select j.key_no, j.hold_id, 'charge.' || case j.unit when 'credit' then 'credits' else 'tokens' end as what, j.unit,
           case when j.price is null and j.charged = 0 then 0 else j.price - coalesce(h.amount, 0) end as expected, j.charged as found
      from judged j left join house h on h.hold_id = j.hold_id and h.kind = 'overrun' and h.unit = j.unit
     where j.price - coalesce(h.amount, 0) is distinct from j.charged
    union all
    select c.key_no, c.hold_id, 'house.amount (overrun)', h.unit::text, p.price - p.charged, h.amount
      from costs c join house h on h.hold_id = c.hold_id and h.kind = 'overrun'
      cross join lateral (select case h.unit when 'credit' then c.price else c.count end as price,
                                 case h.unit when 'credit' then c.credits else c.tokens end as charged) p
     where p.price - p.charged is distinct from h.amount
  )`;

const PIECE = (range: string): string => `
  with ${TARIFFS}, ${costsOf(range)}, ${WRONG}
  select (select count(*)::int from costs) as seen, null as last, null as "lastToo", b.key_id as "keyId", w.hold_id as "requestId", w.what, w.unit, w.expected, w.found
    from (select 1) one left join lateral (select * from wrong limit ${MOST_WRONG}) w on true left join balance b on b.key_no = w.key_no`;

export function createRecompute(queryable: Queryable): VerifyStore["recompute"] {
  const ranges = createRanges(queryable);
  return async (after, key) => {
    const sql = PIECE(`c.hold_id > $1::uuid and c.hold_id <= $2::uuid ${key === null ? "" : "and c.key_no = $3::int"}`);
    const { rows, next } = await ranges(after, key, (range) =>
      queryable.query<WrongRow>(sql, [range.after, range.until, ...(key === null ? [] : [key.keyNo])]),
    );
    return { ...chunkOf(rows, Infinity), next };
  };
}

/** The same of the charges from one id to another. */
export const recomputeRange = (
  queryable: Queryable,
  { from, last }: { from: string; last: string },
): Promise<WrongRow[]> =>
  queryable.query<WrongRow>(PIECE("c.hold_id >= $1::uuid and c.hold_id <= $2::uuid"), [from, last]);
