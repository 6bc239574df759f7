-- What every call that moves money begins with. `p_mark` is the line that the calling process follows; null for processes of the version
-- before and for calls by hand, which only a server that has lost the books refuses. The refusal is of the class of broken
-- connections, because the remedy is the same: find the right server. The lock is held until the transaction ends, and who takes
-- the books away from this server waits for it; who only reads, as a backup does, is waited for by nobody.
create or replace function ledger_ready(p_mark uuid default null) returns void language plpgsql as $$
declare
  l_identifier bigint;
  l_timeline int;
  l_mark uuid;
  l_superseded_by int;
  s_identifier bigint;
  s_timeline int;
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') or pg_is_in_recovery()
     or current_setting('synchronous_commit') = 'off' then
    if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
      raise exception 'the isolation level is %, and the ledger needs read committed', current_setting('transaction_isolation')
        using errcode = '55T02', hint = 'set default_transaction_isolation to ''read committed'' for the role, the database and the pooler';
    end if;
    if pg_is_in_recovery() then
      raise exception 'the database server is a standby' using errcode = 'read_only_sql_transaction';
    end if;
    perform set_config('synchronous_commit', 'on', true);
  end if;
  lock table server_line in row share mode;
  select identifier, timeline, mark, superseded_by, nullif(current_setting('tollgate.system_identifier', true), '')::bigint,
         ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int
    into l_identifier, l_timeline, l_mark, l_superseded_by, s_identifier, s_timeline from server_line;
  -- It is the same for as long as the server runs, and reading it opens a file: each connection remembers it.
  if s_identifier is null then
    s_identifier := (select system_identifier from pg_control_system());
    perform set_config('tollgate.system_identifier', s_identifier::text, false);
  end if;
  if l_identifier = s_identifier and coalesce(l_superseded_by, 0) <= s_timeline
     and (l_timeline = s_timeline and (p_mark is null or p_mark = l_mark) or l_timeline < s_timeline and p_mark is null) then
    return;
  end if;
  raise exception '%', case
      when l_identifier is distinct from s_identifier then
        format('the books were last on the server with system identifier %s, and this one is %s', coalesce(l_identifier::text, 'unknown'), s_identifier)
      when greatest(l_timeline, l_superseded_by) > s_timeline then
        format('this server is on timeline %s, and the books have been on timeline %s', s_timeline, greatest(l_timeline, l_superseded_by))
      else format('this server, on timeline %s, is not the one that the gateway follows', s_timeline) end
    using errcode = '08T01',
          hint = case when l_identifier is distinct from s_identifier
                   then 'if this server is meant to have the books, run: tollgate ledger adopt'
                   else 'stop the server that no longer leads' end;
end
$$;
