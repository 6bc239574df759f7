import { invariant } from "../../core/invariant.ts";
import type { Queryable } from "../../db/database.ts";
import type { JournalEntry, JournalPage, ReadJournal } from "./journal.ts";

/**
 * The counter that the running figure is of: a key's own, or the purse of an account. `running` is what a purse has, or what the present
 * period of a limit has used, less what was given back.
 */
const OF_KEY = `
  who as materialized (
    select key_id as id, key_no, mode_unit as unit, counter, kind, unit as counter_unit, period_no, period_from,
           case kind when 'purse' then posted when 'limit' then used - refunded end as running
      from balance where key_id = $1
  ), mine as materialized (
    select counter as id from who where counter is not null
    union all
    select id from counter where key_id = $1
  ), charges as materialized (
    select c.* from charge c
     where c.key_no = (select key_no from who) and c.hold_id < $2::uuid order by c.hold_id desc limit $3::int
  ), refunds as materialized (
    select * from refund where key_no = (select key_no from who)
  ), releases as materialized (
    select * from release where key_id = $1
  )`;

/** Of the newest charges of everybody so many are looked through first: a busy account has its page among them. */
const WALKED_ROWS = 10_000;

/**
 * Its charges are among the newest of all, or are found key by key. How many of a key's charges are of these chains the planner cannot
 * know; it must not think that they are few, or it reads all of them.
 */
const OF_ACCOUNT = `
  who as materialized (
    select a.id, null::int as key_no, coalesce(c.unit, 'credit') as unit, c.id as counter, c.kind, c.unit as counter_unit, c.period_no,
           c.period_from, c.posted as running
      from account a
      left join lateral (select * from counter where account_id = a.id and kind = 'purse' order by closed_at nulls first, id desc limit 1) c on true
     where a.id = $1
  ), mine as materialized (
    select id from counter where account_id = $1
  ), below as materialized (
    select key_no, key_id, array_agg(id) as chains from chain where accounts @> array[$1::uuid] group by key_no, key_id
  ), near as materialized (
    select c.* from (
      select * from charge
       where hold_id < $2::uuid and hold_id >= coalesce(
         (select hold_id from charge where hold_id < $2::uuid order by hold_id desc offset ${WALKED_ROWS} limit 1), '00000000-0000-0000-0000-000000000000')
      offset 0
    ) c join (select unnest(chains) as id from below) w on w.id = c.chain order by c.hold_id desc limit $3::int
  ), charges as materialized (
    table near
    union all
    (select c.* from (select from near having count(*) < $3::int) few cross join below b cross join lateral (
      select * from charge where key_no = b.key_no and hold_id < coalesce((select min(hold_id::text)::uuid from near), $2::uuid)
         and array_position(b.chains, chain) is not null order by hold_id desc limit $3::int
    ) c order by c.hold_id desc limit $3::int)
  ), refunds as materialized (
    select f.* from below b join refund f on f.key_no = b.key_no and f.chain = any (b.chains)
  ), releases as materialized (
    select r.* from below b join release r on r.key_id = b.key_id
  )`;

/** What an amount does to the running figure; null: it is of a period that is over, and so is all that is older. */
const EFFECT = (sign: "" | "-", amounts: string): string => `
  case when who.counter is null then null
       when coalesce(h.own, 0) <> who.counter and not coalesce(who.counter = any (h.counters), false) then 0
       when who.kind = 'limit' and c.admitted_at < who.period_from then null
       else ${sign}coalesce(case who.counter_unit when 'credit' then ${amounts}.credits else ${amounts}.tokens end, 0)
            * case who.kind when 'purse' then -1 else 1 end end`;

/**
 * Values: key or account, id to stay below, limit. What is no charge gets an id made of its time and reference, so that all of the journal
 * sorts as one. A period is written down when its first request comes, and stands at the beginning of that day, before the request: periods
 * begin at midnight.
 */
const PAGE = (of: string): string => `
  with ${of}, marked as (
    select f.*, (left(replace(uuid_floor(f.sorted)::text, '-', ''), 12) || left(md5(f.name), 20))::uuid as sort
      from (
        select 'funding' as source, kind, counter::text || reference as name, reference, amount, counter, period_no, null::uuid as hold_id,
               null::bigint as credits, null::bigint as tokens, actor, at,
               case kind when 'turn' then date_trunc('day', at, 'UTC') else at end as sorted
          from funding where counter in (select id from mine)
        union all
        select 'refund', kind, hold_id::text || reference, reference, null, null, null, hold_id, credits, tokens, actor, at, at from refunds
        union all
        select 'release', 'release', hold_id::text, null, null, null, null, hold_id, null, null, actor, at, at from releases
      ) f
  ), entry as (
    select c.hold_id as sort, 'charge' as source, k.name as kind, c.credits, c.tokens, null::bigint as amount, null::text as unit,
           ${EFFECT("", "c")} as effect, c.hold_id as request_id, h.key_id, m.word as model, c.price_version, null as reference, null as actor,
           c.input, c.output, c.at
      from charges c cross join who join charge_kind k on k.no = c.kind left join chain h on h.id = c.chain left join word m on m.no = c.model
    union all
    select f.sort, f.source, f.kind, f.credits, f.tokens, f.amount, u.unit::text,
           case when f.source = 'release' then case when who.counter is not null then 0 end
                when f.source = 'refund' then ${EFFECT("-", "f")}
                when f.counter is distinct from who.counter then 0
                when who.kind = 'purse' then f.amount
                when f.period_no = who.period_no then 0 end,
           f.hold_id, h.key_id, null, null, f.reference, f.actor, null, null, f.at
      from marked f cross join who left join charge c on c.hold_id = f.hold_id left join chain h on h.id = c.chain
      left join counter_anywhere u on u.id = f.counter
     where f.sort < $2::uuid
  )
  select who.unit, who.running, who.kind as "counterKind", e.sort, e.source, e.kind, e.credits, e.tokens, e.amount, e.unit as "amountUnit", e.effect,
         e.request_id as "requestId", coalesce(e.key_id, case when who.key_no is not null then who.id end) as "keyId", e.model,
         e.price_version as "priceVersion", e.reference, e.actor, e.input as "inputTokens", e.output as "outputTokens", e.at
    from who left join (select * from entry order by sort desc limit $3::int) e on true order by e.sort desc`;

const SQL = { key: PAGE(OF_KEY), account: PAGE(OF_ACCOUNT) };

type Row = Omit<JournalPage, "entries"> &
  (JournalEntry | (Record<Exclude<keyof JournalEntry, "sort">, null> & { sort: null }));

/** Page and balance come from one statement, so they are of one instant. */
export const createReadJournal =
  (queryable: Queryable): ReadJournal =>
  async (of, { before, limit }) => {
    const rows = await queryable.query<Row>(SQL[of.kind], [of.id, before, limit]);
    const [first] = rows;
    invariant(first, "every key has a balance, and every account its row");
    const { unit, running, counterKind } = first;
    return { unit, running, counterKind, entries: rows.flatMap((row) => (row.sort === null ? [] : [row])) };
  };
