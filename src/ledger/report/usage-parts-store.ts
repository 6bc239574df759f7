/** Which chains are meant: SQL for a table of their ids and key numbers. Values $1: the id of the key or account. */
export const CHAINS_OF = {
  all: "select id, key_id, key_no, accounts from chain where $1::uuid is null",
  key: "select id, key_id, key_no, accounts from chain where key_id = $1::uuid",
  account: "select id, key_id, key_no, accounts from chain where accounts @> array[$1::uuid]",
} as const;

const SUMS = "r.requests, r.credits, r.tokens, r.input, r.output";

/**
 * Each level is read for the chains or the hours that are meant, one after the other: a plan for all of them at once would read the tables
 * whole. An id is as old as its request, so that the charges of a key are searched from an hour before.
 */
const LEVELS = {
  all: {
    days: "from (select day from days where whole) d join usage_day r on r.day = d.day",
    hours: "from hours cross join lateral (select * from usage_rollup where hour = hours.hour offset 0) r",
    charges: `from owed o cross join lateral (select * from charge where at >= o.hour and at < o.hour + interval '1 hour' offset 0) c`,
  },
  some: {
    days: `from wanted w cross join lateral (
        select * from usage_day where chain = w.id and day >= (select min(day) from days) and day <= (select max(day) from days) offset 0
      ) r join days d on d.day = r.day and d.whole`,
    hours: `from wanted w cross join lateral (
        select * from usage_rollup where chain = w.id and hour >= (select min(hour) from hours) and hour <= (select max(hour) from hours) offset 0
      ) r join hours on hours.hour = r.hour`,
    charges: `from (select distinct key_no from wanted) k cross join owed o cross join lateral (
        select * from charge where key_no = k.key_no and hold_id >= uuid_floor(o.hour - interval '1 hour')
           and hold_id < uuid_floor(o.hour + interval '2 hours') and at >= o.hour and at + interval '0' < o.hour + interval '1 hour' offset 0
      ) c join wanted w on w.id = c.chain`,
  },
};

/**
 * Common table expressions that end in `part`: rows (day, chain, model, kind, requests, credits, tokens, input, output) of all that was charged
 * between the `since` and the `until` of `span`. Whole days come from the sums by the day, other hours from those by the hour; hours that are
 * owed are to be added up once more, and are read from the charges themselves (`fresh`), or as they were last added up. Adding nothing to a
 * time keeps the planner from the coarse index of times, by way of which it would read the charges of everybody.
 */
export function partsOf(scope: keyof typeof CHAINS_OF, { fresh }: { fresh: boolean }): string {
  const level = LEVELS[scope === "all" ? "all" : "some"];
  const owed = fresh
    ? `select h as hour from span, generate_series(greatest(date_trunc('hour', since, 'UTC'), known), until, interval '1 hour') h
        where h < until
       union
       select o.hour from span join rollup_owed o on o.hour >= since and o.hour < least(known, until)`
    : "select null::timestamptz as hour where false";
  return `
  known as materialized (
    select coalesce((select max(hour) from rollup_owed where why = 'hour'), '-infinity') as known
  ), span as materialized (
    select case when s.since > '-infinity' then s.since else f.first end as since, s.until, k.known ${fresh ? "" : "+ interval '100 years'"} as known
      from asked s, known k, (
        select date_trunc('day', coalesce(least((select min(day) from usage_day), (select min(hour) from usage_rollup),
                                                (select admitted_at from charge order by hold_id limit 1)), ledger_now()), 'UTC') as first
      ) f
  ), wanted as materialized (${CHAINS_OF[scope]}), owed as materialized (${owed}), days as materialized (
    select d as day, d >= since and d + interval '1 day' <= until and d + interval '1 day' <= (select known from known)
           and not exists (select from rollup_owed o where o.hour >= d and o.hour < d + interval '1 day') as whole
      from span, generate_series(date_trunc('day', since, 'UTC'), until, interval '1 day') d
  ), hours as materialized (
    select h as hour from span, days d, generate_series(d.day, d.day + interval '23 hours', interval '1 hour') h
     where not d.whole and h >= since and h < least(until, known) and h not in (select hour from owed)
  ), part as (
    select r.day, r.chain, r.model, r.kind, ${SUMS} ${level.days}
    union all
    select date_trunc('day', r.hour, 'UTC'), r.chain, r.model, r.kind, ${SUMS} ${level.hours}
    union all
    select date_trunc('day', o.hour, 'UTC'), c.chain, coalesce(c.model, 0), c.kind, 1, coalesce(c.credits, 0), coalesce(c.tokens, 0), c.input,
           c.output ${level.charges}
     where c.kind <> 6 and not exists (select from refund f where f.hold_id = c.hold_id and f.kind = 'void')
  )`;
}
