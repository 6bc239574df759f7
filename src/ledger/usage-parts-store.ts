/** Which chains are meant: SQL for a table of their ids and key numbers. Values $1: the id of the key or account. */
export const CHAINS_OF = {
  all: "select id, key_id, key_no, accounts from chain where $1::uuid is null",
  key: "select id, key_id, key_no, accounts from chain where key_id = $1::uuid",
  account: "select id, key_id, key_no, accounts from chain where accounts @> array[$1::uuid]",
} as const;

const SUMS = "requests, credits, tokens, input, output";

/** Charges since an hour began. An id is as old as its request, so that ids are searched from an hour before. */
const CHARGES = {
  all: "from owed o join charge c on c.at >= o.hour and c.at < o.hour + interval '1 hour'",
  some: `from (select distinct key_no from wanted) k cross join owed o
    join charge c on c.key_no = k.key_no and c.hold_id >= uuid_floor(o.hour - interval '1 hour') and c.hold_id < uuid_floor(o.hour + interval '2 hours')
     and c.at >= o.hour and c.at + interval '0' < o.hour + interval '1 hour'`,
};

/**
 * Common table expressions that end in `part`: rows (at, chain, model, kind, requests, credits, tokens, input, output) of all that was charged
 * between the `since` and the `until` of `span`. Whole days come from the sums by the day, other hours from those by the hour; hours that are
 * owed are to be added up once more, and are read from the charges themselves (`fresh`), or as they were last added up. Adding nothing to a
 * time keeps the planner from the coarse index of times, by way of which it would read the charges of everybody.
 */
export function partsOf(scope: keyof typeof CHAINS_OF, { fresh }: { fresh: boolean }): string {
  const ours = scope === "all" ? "" : "join wanted w on w.id = r.chain";
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
    select r.day as at, r.chain, r.model, r.kind, ${SUMS} from usage_day r ${ours} where r.day in (select day from days where whole)
    union all
    select r.hour, r.chain, r.model, r.kind, ${SUMS} from hours join usage_rollup r on r.hour = hours.hour ${ours}
    union all
    select c.at, c.chain, coalesce(c.model, 0), c.kind, 1, coalesce(c.credits, 0), coalesce(c.tokens, 0), c.input, c.output
      ${CHARGES[scope === "all" ? "all" : "some"]} ${scope === "all" ? "" : "join wanted w on w.id = c.chain"}
     where c.kind <> 6 and not exists (select from refund f where f.hold_id = c.hold_id and f.kind = 'void')
  )`;
}
