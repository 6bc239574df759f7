import type { Queryable } from "../db/database.ts";
import { chunkOf, type WrongRow } from "./verify-checks-store.ts";
import type { VerifyStore } from "./verify.ts";

const MOST_WRONG = 1_000;
/** What is read at a time, by the sums: of charges, and of the sums themselves. */
const MOST_CHARGES = 100_000;
const MOST_SUMS = 20_000;

/**
 * Values: the hour to go on from, or null for the first. It goes as far as the sums promise little to read: a busy hour is read alone, a
 * quiet week at once. Hours that are owed are to be added up once more, and those that the keeper of the sums has not
 * seen yet are not added up at all; neither is looked at, nor is what is older than these books. Charges are found by their coarse index of
 * times, as when they were added up.
 */
const SPAN = `
  with known as materialized (
    select (select max(hour) from rollup_owed where why = 'hour') as until,
           (select date_trunc('hour', min(applied_at), 'UTC') + interval '1 hour' from migration) as since
  ), start as materialized (
    select coalesce($1::timestamptz, since) as first, since, until from known
  ), span as materialized (
    select first, since, until, coalesce((
      select greatest(min(r.hour) filter (where r.charges > ${MOST_CHARGES} or r.place = ${MOST_SUMS}), first + interval '1 hour')
        from (
          select hour, sum(requests) over (order by hour) as charges, row_number() over (order by hour) as place from (
            select hour, requests from usage_rollup where hour >= first and hour < first + interval '7 days' order by hour limit ${MOST_SUMS}
          ) next
        ) r having bool_or(r.charges > ${MOST_CHARGES} or r.place = ${MOST_SUMS})
    ), first + interval '7 days') as past from start
  ), charged as materialized (
    select date_trunc('hour', c.at, 'UTC') as hour, c.chain, coalesce(c.model, 0) as model, c.kind, count(*) as requests,
           coalesce(sum(c.credits), 0)::bigint as credits, coalesce(sum(c.tokens), 0)::bigint as tokens, sum(c.input)::bigint as input,
           coalesce(sum(c.cache_read), 0)::bigint as cache_read, coalesce(sum(c.cache_write), 0)::bigint as cache_write,
           sum(c.output)::bigint as output, coalesce(sum(c.reasoning), 0)::bigint as reasoning
      from charge c
     where c.at >= (select first from span) and c.at < (select past from span) and c.kind <> 6
       and not exists (select from refund f where f.hold_id = c.hold_id and f.kind = 'void')
     group by 1, 2, 3, 4
  ), summed as materialized (
    select * from usage_rollup where hour >= (select first from span) and hour < (select past from span)
  ), days as materialized (
    -- A day is looked at with its first hour.
    select day from span, generate_series(date_trunc('day', first + interval '1 day' - interval '1 microsecond', 'UTC'), past - interval '1 microsecond', interval '1 day') day
  ), daily as materialized (
    select days.day, r.chain, r.model, r.kind, sum(r.requests)::bigint as requests, sum(r.credits)::bigint as credits, sum(r.tokens)::bigint as tokens
      from days join usage_rollup r on r.hour >= days.day and r.hour < days.day + interval '1 day' group by 1, 2, 3, 4
  ), compared as (
    select coalesce(c.hour, s.hour) as hour, coalesce(c.chain, s.chain) as chain, n.*
      from charged c full join summed s on s.hour = c.hour and s.chain = c.chain and s.model = c.model and s.kind = c.kind
      cross join lateral (values
        ('requests', null, coalesce(c.requests, 0), coalesce(s.requests, 0)), ('credits', 'credit', coalesce(c.credits, 0), coalesce(s.credits, 0)),
        ('tokens', 'tokens', coalesce(c.tokens, 0), coalesce(s.tokens, 0)), ('input', 'tokens', coalesce(c.input, 0), coalesce(s.input, 0)),
        ('cache_read', 'tokens', coalesce(c.cache_read, 0), coalesce(s.cache_read, 0)),
        ('cache_write', 'tokens', coalesce(c.cache_write, 0), coalesce(s.cache_write, 0)),
        ('output', 'tokens', coalesce(c.output, 0), coalesce(s.output, 0)),
        ('reasoning', 'tokens', coalesce(c.reasoning, 0), coalesce(s.reasoning, 0))
      ) n (name, unit, expected, found)
     where (c.requests, c.credits, c.tokens, c.input, c.cache_read, c.cache_write, c.output, c.reasoning)
           is distinct from (s.requests, s.credits, s.tokens, s.input, s.cache_read, s.cache_write, s.output, s.reasoning)
       and n.expected <> n.found
  ), wrong as (
    select chain, 'usage_rollup.' || name || ' of ' || to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"') as what, unit, expected, found
      from compared, span
     where hour >= span.since and hour < span.until and not exists (select from rollup_owed o where o.hour = compared.hour)
    union all
    select d.chain, 'usage_day.' || n.name || ' of ' || to_char(d.day at time zone 'UTC', 'YYYY-MM-DD'), n.unit, n.expected, n.found
      from days join usage_day d on d.day = days.day left join daily s on s.day = d.day and s.chain = d.chain and s.model = d.model and s.kind = d.kind
      cross join lateral (values
        ('requests', null, coalesce(s.requests, 0), d.requests), ('credits', 'credit', coalesce(s.credits, 0), d.credits),
        ('tokens', 'tokens', coalesce(s.tokens, 0), d.tokens)
      ) n (name, unit, expected, found)
     where n.expected <> n.found and not exists (
       select from rollup_owed o where o.hour >= days.day and o.hour < days.day + interval '1 day'
     )
  )
  select case when span.past < span.until then 1 else 0 end as seen,
         to_char(span.past at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00"Z"') as last, null as "lastToo",
         h.key_id as "keyId", null::uuid as "requestId", w.what, w.unit, w.expected, w.found
    from span left join lateral (select * from wrong limit ${MOST_WRONG}) w on true left join chain h on h.id = w.chain`;

/** Holds the sums by the hour and by the day against the charges, some hours at a time. */
export const createRollupCheck =
  (queryable: Queryable): VerifyStore["rollups"] =>
  async (after) =>
    chunkOf(await queryable.query<WrongRow>(SPAN, [after?.[0] ?? null]), 1);
