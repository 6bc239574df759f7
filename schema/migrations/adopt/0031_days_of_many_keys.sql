-- Days of the last week with statistics of few keys are analyzed. For older ones, run `analyze charge` at a quiet time.
do $$
declare
  v_wait text := current_setting('lock_timeout');
  v_day record;
begin
  -- Long enough for the server to take the lock from a vacuum of its own.
  perform set_config('lock_timeout', '30s', true);
  for v_day in
    select i.inhrelid::regclass as name,
           coalesce(s.n_distinct between 0 and 10 and c.relname > to_char(ledger_now() - interval '7 days', '"charge_"YYYYMMDD'), false) as is_new
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      left join pg_stats s on s.schemaname = current_schema() and s.tablename = c.relname and s.attname = 'key_no'
     where i.inhparent = 'charge'::regclass and pg_has_role(c.relowner, 'usage') order by 1
  loop
    perform day_has_many_keys(v_day.name);
    if v_day.is_new then execute format('analyze %s (key_no, chain)', v_day.name); end if;
  end loop;
  perform set_config('lock_timeout', v_wait, true);
end
$$;
