import type { Queryable } from "../../db/database.ts";
import { chunkOf, type WrongRow } from "./verify-checks-store.ts";
import type { VerifyStore } from "./verify.ts";

const MOST_WRONG = 1_000;
/** What is read at a time, by the sums: of charges, and of the sums themselves. */
const MOST_CHARGES = 100_000;
const MOST_SUMS = 20_000;

/** What is added up, and what it is counted in. */
const UNITS = {
  requests: null,
  credits: "credit",
  tokens: "tokens",
  input: "tokens",
  cache_read: "tokens",
  cache_write: "tokens",
  output: "tokens",
  reasoning: "tokens",
} as const;
const SUMS = Object.keys(UNITS) as (keyof typeof UNITS)[];

/** Where two tables of sums differ, from both sides: a row that one of them lacks counts as nothing there. */
const compared = (right: string, kept: string, at: "hour" | "day"): string => `
  select coalesce(e.${at}, f.${at}) as at, coalesce(e.chain, f.chain) as chain, n.*
    from ${right} e full join ${kept} f on f.${at} = e.${at} and f.chain = e.chain and f.model = e.model and f.kind = e.kind
    cross join lateral (values ${Object.entries(UNITS)
      .map(
        ([sum, unit]) =>
          `('${sum}', ${unit === null ? "null" : `'${unit}'`}, coalesce(e.${sum}, 0), coalesce(f.${sum}, 0))`,
      )
      .join(", ")}) n (name, unit, expected, found)
   where (${SUMS.map((sum) => `e.${sum}`).join(", ")}) is distinct from (${SUMS.map((sum) => `f.${sum}`).join(", ")})
     and n.expected <> n.found`;

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
    -- A day is looked at with its first hour, and the one that these books begin in with their own.
    select day from span, generate_series(
      date_trunc('day', case when $1 is null then first else first + interval '1 day' - interval '1 microsecond' end, 'UTC'),
      past - interval '1 microsecond', interval '1 day'
    ) day where not exists (select from rollup_owed o where o.hour >= day and o.hour < day + interval '1 day')
  ), hourly as materialized (
    select days.day, r.chain, r.model, r.kind, ${SUMS.map((sum) => `sum(r.${sum})::bigint as ${sum}`).join(", ")}
      from days join usage_rollup r on r.hour >= days.day and r.hour < days.day + interval '1 day' group by 1, 2, 3, 4
  ), daily as materialized (
    select d.* from days join usage_day d on d.day = days.day
  ), wrong as (
    select chain, 'usage_rollup.' || name || ' of ' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00"Z"') as what, unit, expected, found
      from (${compared("charged", "summed", "hour")}) hours, span
     where at >= span.since and at < span.until and not exists (select from rollup_owed o where o.hour = at)
    union all
    -- A day is added up once it is over.
    select chain, 'usage_day.' || name || ' of ' || to_char(at at time zone 'UTC', 'YYYY-MM-DD'), unit, expected, found
      from (${compared("hourly", "daily", "day")}) whole_days, span
     where found <> 0 or at + interval '1 day' <= span.until
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
