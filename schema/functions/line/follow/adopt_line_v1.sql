-- An operator says that the books are here from now on, whatever was remembered. Processes that follow another line go on refusing this one
-- until they are started again.
create or replace function adopt_line_v1() returns uuid language plpgsql as $$
declare
  v_mark uuid := gen_random_uuid();
begin
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  lock table server_line in exclusive mode;
  insert into server_line as l (identifier, timeline, mark, since)
  select s.identifier, s.timeline, v_mark, ledger_now() from server_now() s
  on conflict (one) do update
     set identifier = excluded.identifier, timeline = excluded.timeline, mark = v_mark, superseded_by = null, since = excluded.since;
  return v_mark;
end
$$;
