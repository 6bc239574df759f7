-- Why a request that needs `p_least_*` cannot start, and all that its caller is told: true at this instant. The counter that is named is the
-- one that renews last among those that lack it; a purse comes last of all. No row: nothing refuses it. Of a limit that was lowered below what
-- is held, that is posted; what it counts as here is what its amount leaves, which is all there can be when nothing is charged for the holds.
create or replace function refusal_of(p_key uuid, p_counters int[], p_least_credits bigint, p_least_tokens bigint) returns table (
  verdict text, posted_credits bigint, posted_tokens bigint, free_credits bigint, free_tokens bigint, counter int, posted bigint, free bigint,
  amount bigint, unit text, kind text, period text, renews_at timestamptz, holder text
) language sql stable as $$
  with need as materialized (
    select b.counter as id, b.unit, b.kind, b.amount, b.period, b.period_ends_at,
           posted_of(b.kind, b.amount, b.refunded, b.used, b.posted - b.older_held) as posted, b.posted - b.held as free, null::text as holder
      from balance b where b.key_id = p_key and b.counter is not null
    union all
    select c.id, c.unit, c.kind, c.amount, c.period, c.period_ends_at,
           posted_of(c.kind, c.amount, c.refunded, c.used, c.posted - c.older_held), c.posted - c.held, a.name
      from counter c left join account a on a.id = c.account_id where c.id = any (p_counters)
  ), lacking as (
    select n.*, n.least > n.posted as empty
      from (select need.*, case unit when 'credit' then p_least_credits else p_least_tokens end as least from need) n
     where n.least > n.free
  ), named as (
    select * from lacking order by empty desc, kind = 'purse' desc, period_ends_at desc, id desc limit 1
  )
  select case when not named.empty then 'reserved'
              when named.unit = 'tokens' and named.kind = 'limit' and named.posted = 0 then 'limit_reached' else 'insufficient' end,
         min(need.posted) filter (where need.unit = 'credit'), min(need.posted) filter (where need.unit = 'tokens'),
         min(need.free) filter (where need.unit = 'credit'), min(need.free) filter (where need.unit = 'tokens'),
         named.id, named.posted, named.free, named.amount::bigint, named.unit::text, named.kind::text, named.period::text,
         nullif(named.period_ends_at, 'infinity'), named.holder
    from named cross join need
   group by named.empty, named.id, named.posted, named.free, named.amount, named.unit, named.kind, named.period, named.period_ends_at, named.holder
$$;
