import { invariant } from "../core/invariant.ts";
import type { Queryable } from "../db/database.ts";
import type { ReadUsage, UsageSlice, UsageSlices } from "./usage-report.ts";

/**
 * Values: key, days. The newest hour that was added up for this key and the one before it may not have been added up in full: the
 * one is still running, and the other is closed some minutes after its end. So these are read from the records themselves, and only
 * earlier hours as they were added up, without those that are owed: they are to be added up once more. Requests cut off have a charge and no record; those undone since have cost nothing. An id is
 * as old as its request, so ids are searched from an hour before the first moment that counts. Adding nothing to a time keeps the
 * planner from the coarse index of times, by way of which it would read the records of everybody.
 */
const SLICES = `
  with span as materialized (
    select date_trunc('day', n.now, 'UTC') - ($2::int - 1) * interval '1 day' as since, (n.now at time zone 'UTC')::date as today,
           coalesce((select hour - interval '1 hour' from usage_rollup where key_id = $1 order by hour desc limit 1), '-infinity') as added
      from (select ledger_now() as now) n
  ), owed as materialized (
    select distinct o.hour from span join rollup_owed o on o.hour >= span.since and o.hour < span.added
  ), part as (
    select r.hour as at, r.model, r.cost, r.requests, 0::bigint as cut_off, r.tokens_in, r.tokens_out
      from span join usage_rollup r on r.key_id = $1 and r.hour >= span.since and r.hour < span.added
     where r.hour not in (select hour from owed)
    union all
    select u.at, u.model, u.cost, 1, 0, u.tokens_in, u.tokens_out
      from owed o join usage_record u on u.key_id = $1 and u.at + interval '0' >= o.hour and u.at < o.hour + interval '1 hour'
       and u.id >= uuid_floor(o.hour - interval '1 hour') and u.id < uuid_floor(o.hour + interval '2 hours')
    union all
    select u.at, u.model, u.cost, 1, 0, u.tokens_in, u.tokens_out
      from span join usage_record u on u.key_id = $1 and u.at + interval '0' >= greatest(span.since, span.added)
       and u.id >= uuid_floor(greatest(span.since, span.added) - interval '1 hour')
    union all
    select c.at, coalesce(c.model, ''), c.amount, 1, 1, c.tokens_in, c.tokens_out
      from span join charge c on c.key_id = $1 and c.kind in ('client_gone', 'swept') and c.at >= span.since
       and c.hold_id >= uuid_floor(span.since - interval '1 hour')
     where not exists (select from funding f where f.key_id = $1 and f.reference = '#void:' || c.hold_id)
  )
  select b.unit, span.today::text as today, s.*
    from span cross join balance b
    left join (
      select (at at time zone 'UTC')::date::text as day, model, sum(cost)::bigint as cost, sum(requests)::bigint as requests,
             sum(cut_off)::bigint as "cutOff", sum(tokens_in)::bigint as "inputTokens", sum(tokens_out)::bigint as "outputTokens"
        from part group by 1, 2
    ) s on true
   where b.key_id = $1`;

type Row = Omit<UsageSlices, "slices"> &
  (UsageSlice | (Record<Exclude<keyof UsageSlice, "day">, null> & { day: null }));

export const createReadUsage =
  (queryable: Queryable): ReadUsage =>
  async (keyId, days) => {
    const rows = await queryable.query<Row>(SLICES, [keyId, days]);
    const [first] = rows;
    invariant(first, "every key has a balance");
    return { unit: first.unit, today: first.today, slices: rows.flatMap((row) => (row.day === null ? [] : [row])) };
  };
