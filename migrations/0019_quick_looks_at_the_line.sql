-- Why: every call that moves money looks at the line of servers, so that look must be quick: a function in SQL is planned anew at each
-- call. And a timeline has to have its mark before anything can be read through a new connection, while a server that was just promoted may have
-- no standby yet for which to wait. A mark that is lost with its server is not missed: whoever takes over begins another timeline.
-- Locks: none on tables; it replaces functions.

-- As before, with what `server_now()` says written out.
create or replace function ledger_ready(p_mark uuid default null) returns void language plpgsql as $$
declare
  l server_line;
  s_identifier bigint;
  s_timeline int;
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'the isolation level is %, and the ledger needs read committed', current_setting('transaction_isolation')
      using errcode = '55T02', hint = 'set default_transaction_isolation to ''read committed'' for the role, the database and the pooler';
  end if;
  if pg_is_in_recovery() then
    raise exception 'the database server is a standby' using errcode = 'read_only_sql_transaction';
  end if;
  if current_setting('synchronous_commit') = 'off' then perform set_config('synchronous_commit', 'on', true); end if;
  lock table server_line in row share mode;
  select * into l from server_line;
  s_identifier := (select system_identifier from pg_control_system());
  s_timeline := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int;
  if l.identifier = s_identifier and coalesce(l.superseded_by, 0) <= s_timeline
     and (l.timeline = s_timeline and (p_mark is null or p_mark = l.mark) or l.timeline < s_timeline and p_mark is null) then
    return;
  end if;
  raise exception '%', case
      when l.identifier is distinct from s_identifier then
        format('the books were last on the server with system identifier %s, and this one is %s', coalesce(l.identifier::text, 'unknown'), s_identifier)
      when greatest(l.timeline, l.superseded_by) > s_timeline then
        format('this server is on timeline %s, and the books have been on timeline %s', s_timeline, greatest(l.timeline, l.superseded_by))
      else format('this server, on timeline %s, is not the one that the gateway follows', s_timeline) end
    using errcode = '08T01',
          hint = case when l.identifier is distinct from s_identifier
                   then 'if this server is meant to have the books, run: tollgate ledger adopt'
                   else 'stop the server that no longer leads' end;
end
$$;

-- As before, and durable here is enough.
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
