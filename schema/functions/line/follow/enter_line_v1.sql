-- The first to come after a promotion gives the timeline its mark, and everybody hears it.
create or replace function enter_line_v1() returns uuid language plpgsql as $$
declare
  s record;
begin
  perform ledger_ready();
  perform set_config('synchronous_commit', 'local', true);
  select * into s from server_now();
  update server_line set timeline = s.timeline, mark = gen_random_uuid(), superseded_by = null, since = ledger_now()
   where timeline < s.timeline;
  return (select mark from server_line);
end
$$;
