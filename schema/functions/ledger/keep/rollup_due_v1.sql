-- Writes down the hours that have begun and those that have ended since the last call, and answers hours, without the present one,
-- that are owed. After more than a week without a keeper only the last week is written down.
create or replace function rollup_due_v1(p_limit int) returns setof timestamptz language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
  v_hour timestamptz := date_trunc('hour', v_now, 'UTC');
begin
  insert into rollup_owed (hour, why)
  select h, 'hour'
    from generate_series(
      greatest(coalesce((select max(hour) from rollup_owed where why = 'hour' and hour <= v_hour), v_hour - interval '1 hour'),
               v_hour - interval '7 days'),
      v_hour, interval '1 hour'
    ) h
  on conflict do nothing;
  -- A minute, so that a clock set back a little finds its hour still open.
  update rollup_owed set ended = pg_current_xact_id()
   where why = 'hour' and ended is null and hour + interval '61 minutes' <= v_now;
  return query
    select o.hour from rollup_owed o
     where o.hour < v_hour and (o.why = 'void' or o.ended is not null) group by o.hour order by o.hour limit p_limit;
end
$$;
