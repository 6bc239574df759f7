import { invariant } from "../core/invariant.ts";
import type { Queryable } from "../db/database.ts";
import type { JournalEntry, JournalPage, ReadJournal } from "./journal.ts";

/**
 * Values: key, id to stay below, limit. A charge has no index by key: it is found by its usage record, by the index of those that
 * never have one, or by the refund that undid it and its record. Fundings get an id made of their time and reference, so that
 * both halves of the journal sort as one. A period is written down when its first request comes, and stands at the beginning of
 * that day, before the request: periods begin at midnight.
 */
const PAGE = `
  with found as (
    (select hold_id as id from charge where key_id = $1 and kind in ('client_gone', 'swept', 'voided') and hold_id < $2::uuid
      order by hold_id desc limit $3::int)
    union
    (select id from usage_record where key_id = $1 and id < $2::uuid order by id desc limit $3::int)
    union
    (select about from funding where key_id = $1 and kind = 'refund' and about < $2::uuid order by about desc limit $3::int)
  ), charges as (
    select c.* from found join charge c on c.hold_id = found.id and c.key_id = $1
  ), fundings as (
    select (left(replace(uuid_floor(f.at)::text, '-', ''), 12) || left(md5(reference), 20))::uuid as sort, f.*
      from (
        select reference, kind, amount, period_no, about, actor,
               case kind when 'period_reset' then date_trunc('day', at, 'UTC') else at end as at
          from funding where key_id = $1
      ) f
  ), entry as (
    select hold_id as sort, 'charge' as source, kind, amount, period_no, hold_id as request_id, model, null as reference,
           null as actor, tokens_in, tokens_out, at
      from charges
    union all
    select sort, 'funding', kind, amount, period_no, about, null, reference, actor, null, null, at from fundings
     where sort < $2::uuid
  )
  select b.unit, b.posted, b.used, b.period_no as "balancePeriodNo", e.sort, e.source, e.kind, e.amount, e.period_no as "periodNo",
         e.request_id as "requestId", e.model, e.reference, e.actor, e.tokens_in as "inputTokens", e.tokens_out as "outputTokens",
         e.at
    from balance b left join (select * from entry order by sort desc limit $3::int) e on true
   where b.key_id = $1 order by e.sort desc`;

type Row = Omit<JournalPage, "entries" | "periodNo"> & { balancePeriodNo: bigint } & (
    | JournalEntry
    | (Record<Exclude<keyof JournalEntry, "sort">, null> & { sort: null })
  );

/** Page and balance come from one statement, so they are of one instant. */
export const createReadJournal =
  (queryable: Queryable): ReadJournal =>
  async (keyId, { before, limit }) => {
    const rows = await queryable.query<Row>(PAGE, [keyId, before, limit]);
    const [first] = rows;
    invariant(first, "every key has a balance");
    const { unit, posted, used, balancePeriodNo: periodNo } = first;
    const entries = rows.flatMap((row) => (row.sort === null ? [] : [row]));
    return { unit, posted, used, periodNo, entries };
  };
