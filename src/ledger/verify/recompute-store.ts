import type { Queryable } from "../../db/database.ts";
import { createRanges } from "./charge-range-store.ts";
import { chunkOf, type WrongRow } from "./verify-checks-store.ts";
import type { VerifyStore } from "./verify.ts";

const MOST_WRONG = 1_000;

/** Whether a line of a price holds for a size of its input, in a tier and a region, in the hours of the price or outside them. */
const HOLDS = `l.model = s.model and l.version = s.version and l.begins <= s.begins
  and coalesce(l.tier, s.tier) = s.tier and coalesce(l.region, s.region) = s.region and (l.hours is null or s.peak)`;

/**
 * Values: those of the range, the number of the key. Every amount once more, from its price and its counts alone. None of this is the code that
 * charges requests, so that a mistake in one of them is found by the other.
 *
 * A price may have lines for larger inputs, tiers, regions and hours: a charge is at those that begin at its input or below, name no other tier
 * or region than it was served in, and no hours but such as its request began in, which its id says; the last of them that names a part has its price, and their factors multiply. Beyond what is sold, the
 * largest size that is sold counts.
 *
 * Of all input, what was read from a cache and written to one is priced apart, and so are audio, pictures and film; shares that come to more than
 * the whole leave nothing of it. Of all output, what is reasoning, audio or pictures.
 * Half a nano-credit is rounded up, once. What was charged is that, less what stands with the operator's losses as an overrun; requests that
 * failed at their provider and those that were undone before they were charged are free. Counts of ours that were cut to fit a grant are
 * charged the whole grant, which can be more than they come to, but by less than one token of each kind.
 */
const TARIFFS = `
  priced as materialized (
    select w.no as model, p.* from price p join word w on w.word = p.model_id
  ), line as materialized (
    select p.model, p.version, l.n, l.words, coalesce((l.words ->> 'input_above')::bigint + 1, (l.words ->> 'input_from')::bigint, 0) as begins,
           l.words ->> 'tier' as tier, l.words ->> 'region' as region, l.words ->> 'hours' as hours
      from priced p cross join lateral jsonb_array_elements(p.when_lines) with ordinality l (words, n)
  ), place as (
    select t.model, t.version, t.tier, r.region, k.peak, k.hours
      from (select model, version, 'default' as tier from priced union select model, version, tier from line where tier is not null) t
      join (select model, version, 'any' as region from priced union select model, version, region from line where region is not null) r
        on r.model = t.model and r.version = t.version
      join (select model, version, false as peak, (select max(l.hours) from line l where l.model = p.model and l.version = p.version) as hours
              from priced p
             union all select model, version, true, max(hours) from line where hours is not null group by model, version) k
        on k.model = t.model and k.version = t.version
  ), size as (
    select s.*
      from (select *, 0 as begins from place union select p.*, l.begins from place p join line l on l.model = p.model and l.version = p.version) s
     where not exists (select from line l where ${HOLDS} and l.words ->> 'sold' = 'false')
  ), tariff as materialized (
    select t.*, greatest(t.input, t.output, t.cache_read, t.cache_write, t.cache_write_1h, t.reasoning) as dearest
      from (
        select p.model, p.version, s.tier, s.region, s.peak, s.hours, case when row_number() over sizes > 1 then s.begins else 0 end as begins,
               lead(s.begins) over sizes as ends, f.times * o.input as input, f.times * o.output as output,
               f.times * coalesce(o.cache_read, o.input) as cache_read, f.times * coalesce(o.cache_write_5m, o.input) as cache_write,
               f.times * coalesce(o.cache_write_1h, o.cache_write_5m, o.input) as cache_write_1h,
               f.times * coalesce(o.reasoning, o.output) as reasoning, f.times * coalesce(o.input_audio, o.input) as input_audio,
               f.times * coalesce(o.input_image, o.input) as input_image, f.times * coalesce(o.input_video, o.input) as input_video,
               f.times * coalesce(o.cache_read_audio, o.cache_read, o.input) as cache_read_audio,
               f.times * coalesce(o.output_audio, o.output) as output_audio, f.times * coalesce(o.output_image, o.output) as output_image,
               p.tool_call_nano || coalesce(h.tools, '{}') as tools
          from size s join priced p on p.model = s.model and p.version = s.version
          cross join lateral (
            -- The last line that names a part has its price.
            select jsonb_object_agg(w.key, w.value order by l.n) as words
              from line l cross join lateral jsonb_each(l.words) w
             where ${HOLDS}
          ) held
          cross join lateral (select jsonb_object_agg(c.key, c.value order by l.n) as tools
                                from line l cross join lateral jsonb_each_text(l.words -> 'tools') c
                               where ${HOLDS}) h
          cross join lateral (select product_of(array(
            select (l.words ->> 'times')::numeric / 1000000000 from line l
             where ${HOLDS} and l.words ? 'times')) as times) f
          cross join lateral (
            select coalesce((held.words ->> 'input')::numeric, p.input_nano) as input, coalesce((held.words ->> 'output')::numeric, p.output_nano) as output,
                   coalesce((held.words ->> 'cache_read')::numeric, p.cache_read_nano) as cache_read,
                   coalesce((held.words ->> 'cache_write_5m')::numeric, p.cache_write_5m_nano) as cache_write_5m,
                   coalesce((held.words ->> 'cache_write_1h')::numeric, p.cache_write_1h_nano) as cache_write_1h,
                   coalesce((held.words ->> 'output_reasoning')::numeric, p.output_reasoning_nano) as reasoning,
                   coalesce((held.words ->> 'input_audio')::numeric, p.input_audio_nano) as input_audio,
                   coalesce((held.words ->> 'input_image')::numeric, p.input_image_nano) as input_image,
                   coalesce((held.words ->> 'input_video')::numeric, p.input_video_nano) as input_video,
                   coalesce((held.words ->> 'cache_read_audio')::numeric, p.cache_read_audio_nano) as cache_read_audio,
                   coalesce((held.words ->> 'output_audio')::numeric, p.output_audio_nano) as output_audio,
                   coalesce((held.words ->> 'output_image')::numeric, p.output_image_nano) as output_image
          ) o
        window sizes as (partition by p.model, p.version, s.tier, s.region, s.peak order by s.begins)
      ) t
  )`;

/** What each charge of a range comes to. */
const costsOf = (range: string): string => `
  costs as materialized (
    select c.hold_id, c.key_no, c.kind, c.credits, c.tokens, c.granted_credits, c.granted_tokens, c.estimated, t.model is null as unpriced,
           c.input::bigint + c.output as count, n.*,
           case when c.credits is not null then
             case when t.dearest < 100000000000 and greatest(c.input, c.output) < 20000000 and c.tools is null and c.more is null
                    and coalesce(c.cache_read, 0) + coalesce(c.cache_write, 0) <= c.input
                  then (n.fresh * t.input::bigint + n.cached * t.cache_read::bigint + n.written * t.cache_write::bigint
                        + n.kept * t.cache_write_1h::bigint + n.said * t.output::bigint + n.thought * t.reasoning::bigint + 500000) / 1000000
                  else div(n.fresh * t.input + n.cached * t.cache_read + n.written * t.cache_write + n.kept * t.cache_write_1h
                           + n.said * t.output + n.thought * t.reasoning + n.heard * t.input_audio + n.seen * t.input_image
                           + n.watched * t.input_video + n.heard_before * t.cache_read_audio + n.spoken * t.output_audio
                           + n.drawn * t.output_image + n.tools * 1000000 + 500000, 1000000)::bigint end
           end as price,
           ((t.input + t.output + t.cache_read + t.cache_write + t.cache_write_1h + t.reasoning + t.input_audio
             + t.input_image + t.input_video + t.cache_read_audio + t.output_audio + t.output_image) / 1000000)::bigint + 2 + n.tools::bigint as slack
      from charge c left join served v on v.no = c.served
      left join tariff t on t.model = c.model and t.version = c.price_version and t.tier = coalesce(v.tier, 'default')
                        and t.region = coalesce(v.region, 'any') and t.peak = (t.hours is not null and in_hours(t.hours, uuid_time(c.hold_id)))
                                      and c.input >= t.begins and c.input < coalesce(t.ends, 9223372036854775807)
      cross join lateral (
        select greatest(c.input - coalesce(c.cache_read, 0) - greatest(coalesce(c.cache_write, 0) - coalesce(c.cache_write_1h, 0), 0)
                        - coalesce(c.cache_write_1h, 0) - m.heard - m.seen - m.watched, 0)::bigint as fresh,
               greatest(coalesce(c.cache_read, 0) - m.heard_before, 0)::bigint as cached, m.*,
               greatest(coalesce(c.cache_write, 0) - coalesce(c.cache_write_1h, 0), 0)::bigint as written,
               coalesce(c.cache_write_1h, 0)::bigint as kept,
               least(coalesce(c.reasoning, 0), c.output)::bigint as thought,
               greatest(c.output - least(coalesce(c.reasoning, 0), c.output) - m.spoken - m.drawn, 0)::bigint as said,
               case when c.tools is null then 0 else (
                 select coalesce(sum(calls.value::numeric * coalesce((t.tools ->> w.word)::numeric, 0)), 0)
                   from jsonb_each_text(c.tools) calls left join word w on w.no = calls.key::int
               ) end as tools
          from (
            select coalesce((p.words ->> 'input_audio')::bigint, 0) as heard, coalesce((p.words ->> 'input_image')::bigint, 0) as seen,
                   coalesce((p.words ->> 'input_video')::bigint, 0) as watched, coalesce((p.words ->> 'cache_read_audio')::bigint, 0) as heard_before,
                   coalesce((p.words ->> 'output_audio')::bigint, 0) as spoken, coalesce((p.words ->> 'output_image')::bigint, 0) as drawn
              from (select c.more -> 'parts' as words) p
          ) m
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
