-- Watches a counter for these; null: for what is usual. What a limit has passed already fires at once.
create or replace function thresholds_v1(p_counter int, p_marks bigint[]) returns text language plpgsql as $$
declare
  c record;
  v_now timestamptz;
begin
  perform ledger_ready();
  v_now := counter_locked(p_counter);
  select * into c from counter_anywhere where id = p_counter and closed_at is null;
  if not found then return 'unknown_counter'; end if;
  if c.kind = 'limit' and exists (select from unnest(p_marks) m where m not between 1 and 100) then
    raise exception 'a limit is watched at 1 to 100 percent' using errcode = 'invalid_parameter_value';
  end if;
  if p_marks is null then
    delete from threshold where counter = p_counter;
  else
    insert into threshold (counter, marks) values (p_counter, array(select distinct m from unnest(p_marks) m order by m))
    on conflict (counter) do update set marks = excluded.marks;
  end if;
  perform thresholds_set(array[p_counter]);
  perform thresholds_passed(array[p_counter], v_now);
  return 'set';
end
$$;
