import type { Queryable } from "../../../src/db/database.ts";

/**
 * Every counter against the rows it is the sum of: open holds, and the charges, refunds and fundings of its period. One statement, so
 * that all of it is of one instant; written apart from everything that moves or verifies money.
 */
const WRONG = `
  with link as materialized (
    select h.id as chain, u.counter from chain h cross join lateral unnest(h.counters || case when h.own > 0 then array[h.own] end) u (counter)
  ), held as (
    select l.counter, c.unit, sum(case c.unit when 'credit' then o.credits else o.tokens end) as amount,
           sum(case c.unit when 'credit' then o.credits else o.tokens end) filter (where o.admitted_at < c.period_from) as older
      from hold o join link l on l.chain = o.chain join counter_anywhere c on c.id = l.counter group by 1, 2
  ), gone as (
    select hold_id, sum(credits) filter (where kind = 'refund') as credits, sum(tokens) filter (where kind = 'refund') as tokens,
           bool_or(kind = 'void') as undone
      from refund group by hold_id
  ), spent as (
    select l.counter, sum(case c.unit when 'credit' then o.credits else o.tokens end) as used,
           sum(case c.unit when 'credit' then g.credits else g.tokens end) as refunded
      from charge o join link l on l.chain = o.chain join counter_anywhere c on c.id = l.counter left join gone g on g.hold_id = o.hold_id
     where g.undone is not true and (c.kind = 'purse' or o.admitted_at >= c.period_from)
     group by 1
  ), paid as (
    select counter, sum(amount) as funded from funding where kind in ('purchase', 'grant', 'adjust') group by 1
  )
  select c.id, c.kind, c.unit, c.posted, c.held, c.older_held as "olderHeld", c.used, c.refunded,
         coalesce(h.amount, 0)::text as "heldDue", coalesce(h.older, 0)::text as "olderDue", coalesce(s.used, 0)::text as "usedDue",
         coalesce(s.refunded, 0)::text as "refundedDue", coalesce(p.funded, 0)::text as "fundedDue"
    from counter_anywhere c
    left join held h on h.counter = c.id
    left join spent s on s.counter = c.id
    left join paid p on p.counter = c.id
   where c.held <> coalesce(h.amount, 0) or c.older_held <> coalesce(h.older, 0) or c.used <> coalesce(s.used, 0)
      or c.refunded <> coalesce(s.refunded, 0) or c.funded <> coalesce(p.funded, 0) or c.held > c.posted or c.held < 0
      or c.posted <> case c.kind when 'purse' then c.funded + c.refunded - c.used
                                 else greatest(c.amount + c.refunded - c.used + c.older_held, c.held) end
   limit 20`;

/** The same, of the chains: who pays twice, and amounts where no counter is. */
const MISPLACED = `
  select 'two payers' as what, h.id::text as id
    from chain h
   where (select count(*) from counter_anywhere c where (c.id = any (h.counters) or c.id = h.own) and c.kind = 'purse') > 1
  union all
  select 'amount without a counter', c.hold_id::text
    from charge c join chain h on h.id = c.chain
   where (c.credits is not null) <> (h.units & 1 > 0) or (c.tokens is not null) <> (h.units & 2 > 0)
   limit 20`;

/** What does not add up; empty when all does. */
export const findWrong = async (queryable: Queryable): Promise<unknown[]> => [
  ...(await queryable.query(WRONG)),
  ...(await queryable.query(MISPLACED)),
];
