-- The counters of open holds and of charges, and where something given back to a closed purse goes. Read before they are locked: a chain never
-- changes. The journal is asked only for what is not open, since that locks the partitions of all days.
create or replace function counters_of(p_id uuid[]) returns int[] language plpgsql stable as $$
begin
  if not exists (select from unnest(p_id) u (id) where not exists (select from hold where hold.id = u.id)) then
    return array(select distinct u.id from hold cross join unnest(hold.counters) u (id) where hold.id = any (p_id));
  end if;
  return (
    with charged as materialized (
      select b.key_id, h.counters || h.own as counters
        from charge c join chain h on h.id = c.chain join balance b on b.key_no = c.key_no where c.hold_id = any (p_id)
    )
    select coalesce(array_agg(distinct u.id), '{}') from (
      select counters from hold where id = any (p_id)
      union all
      select counters from charged
      union all
      select array[paying_purse(g.key_id, null, p.unit)]
        from charged g join counter p on p.id = any (g.counters) where p.kind = 'purse' and p.closed_at is not null
    ) q cross join unnest(q.counters) u (id) where u.id is not null
  );
end
$$;
