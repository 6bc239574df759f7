-- Books to the house, once per id, kind and unit; the caller holds the lock of the balances. Answers, of the keys that caused some of it in
-- the unit of their mode and have a cap, the first place each.
create or replace function house_booked(
  p_now timestamptz, p_place int[], p_id uuid[], p_key uuid[], p_kind text[], p_unit text[], p_amount bigint[], p_cap bigint[]
) returns setof int language plpgsql as $$
declare
  v_minute timestamptz := date_trunc('minute', p_now, 'UTC');
begin
  insert into house (hold_id, kind, unit, key_id, amount, at)
  select q.id, q.kind, q.unit, q.key_id, q.amount, p_now
    from unnest(p_id, p_kind, p_unit, p_key, p_amount) as q (id, kind, unit, key_id, amount);
  -- Keys of one payer end in several calls at once, so that rows are written in one order, and what another call removes is left to it.
  insert into borne as m (whose, account, unit, minute, caused, failed)
  select w.whose, w.account, w.unit, v_minute, sum(q.caused), sum(q.failed)
    from (
      select u.key_id, u.unit, coalesce(sum(u.amount) filter (where u.kind <> 'failed'), 0) as caused,
             coalesce(sum(u.amount) filter (where u.kind = 'failed'), 0) as failed
        from unnest(p_key, p_kind, p_unit, p_amount) as u (key_id, kind, unit, amount) group by u.key_id, u.unit
    ) q cross join lateral bearers_of(q.key_id) w
   where w.unit = q.unit
   group by w.whose, w.account, w.unit order by w.whose, w.account, w.unit
  on conflict (whose, account, unit, minute) do update set caused = m.caused + excluded.caused, failed = m.failed + excluded.failed;
  delete from borne m using (
    select whose, account, unit, minute from borne
     where whose in (select w.whose from (select distinct unnest(p_key) as id) k cross join lateral bearers_of(k.id) w) and minute <= v_minute - interval '61 minutes'
       for update skip locked
  ) old where (m.whose, m.account, m.unit, m.minute) = (old.whose, old.account, old.unit, old.minute);
  return query
    select min(u.place) from unnest(p_place, p_key, p_kind, p_unit, p_cap) as u (place, key_id, kind, unit, cap)
      join balance b on b.key_id = u.key_id and b.mode_unit = u.unit
     where u.kind <> 'failed' and u.cap is not null group by u.key_id;
end
$$;
