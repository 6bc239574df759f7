-- What the smallest counter of each unit has beside the holds, for a request admitted at that instant; null where there is none of that unit.
-- A counter whose period has turned since has nothing for it.
create or replace function free_of(p_key uuid, p_counters int[], p_admitted timestamptz) returns table (credits bigint, tokens bigint)
language sql stable as $$
  select min(q.free) filter (where q.unit = 'credit'), min(q.free) filter (where q.unit = 'tokens')
    from (
      select unit, case when period_from > p_admitted then 0 else posted - held end as free
        from balance where key_id = p_key and counter is not null
      union all
      select unit, case when period_from > p_admitted then 0 else posted - held end from counter where id = any (p_counters)
    ) q
$$;
