-- What the house has borne within an hour for one of them. `p_failed`: what providers failed at, too.
create or replace function borne_within_hour(p_now timestamptz, p_whose uuid, p_account boolean, p_unit text, p_failed boolean) returns numeric
language sql stable as $$
  select coalesce(sum(m.caused + case when p_failed then m.failed else 0 end), 0) from borne m
   where m.whose = p_whose and m.account = p_account and m.unit = p_unit
     and m.minute > date_trunc('minute', p_now, 'UTC') - interval '61 minutes'
$$;
