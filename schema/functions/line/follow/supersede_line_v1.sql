-- Told to a server by a gateway that sees a higher timeline elsewhere, before it turns there: nothing that moves money
-- happens here afterwards. It waits for the calls under way. Those that only wait for a standby any more are ended: they are written
-- here, their callers have not been told so, and must not be told so later. Durable here is enough, since it is about this server alone.
create or replace function supersede_line_v1(p_identifier bigint, p_timeline int) returns boolean language plpgsql as $$
declare
  s record;
begin
  perform set_config('synchronous_commit', 'local', true);
  select * into s from server_now();
  if s.identifier <> p_identifier or s.timeline >= p_timeline then return false; end if;
  perform pg_terminate_backend(a.pid)
     from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.relation = 'server_line'::regclass and a.datname = current_database() and a.wait_event = 'SyncRep'
      and pg_has_role(a.usesysid, 'member');
  lock table server_line in exclusive mode;
  update server_line set superseded_by = greatest(superseded_by, p_timeline) where identifier = p_identifier;
  return found;
end
$$;
