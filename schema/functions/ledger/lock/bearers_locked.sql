-- Takes the sums of this minute for those for whom something is borne of these keys, in the order in which they are booked: keys of one payer
-- end in several calls at once, and each must see what the others waived.
create or replace function bearers_locked(p_now timestamptz, p_key uuid[]) returns void language sql as $$
  insert into borne as m (whose, account, unit, minute, caused, failed)
  select w.whose, w.account, w.unit, date_trunc('minute', p_now, 'UTC'), 0, 0
    from (select distinct unnest(p_key) as id) k cross join lateral bearers_of(k.id) w
   group by w.whose, w.account, w.unit order by w.whose, w.account, w.unit
  on conflict (whose, account, unit, minute) do update set caused = m.caused
$$;
