-- Why: the clock of the ledger, the line of servers that has the books, and the leases of the processes that use them.
-- Of two servers that take writes one must be left alone, or a balance is spent on both. The database remembers which server the books are
-- on, by its system identifier and its timeline, and every call that moves money says which one it means.
-- Locks: only the tables it creates.

-- One clock for the whole ledger, and the moment since which the server has been able to answer. Tests replace both.
create function ledger_now() returns timestamptz language sql volatile as 'select clock_timestamp()';
create function ledger_server_start() returns timestamptz language sql stable as 'select pg_postmaster_start_time()';

-- The smallest UUID v7 of an instant.
create function uuid_floor(p_at timestamptz) returns uuid language sql immutable as $$
  select rpad(lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- One row. `mark` is new with every timeline, so that two servers promoted to the same timeline are told apart.
-- `superseded_by` is a higher timeline that a gateway has seen elsewhere: this server has lost the books.
create table server_line (
  one boolean primary key default true check (one),
  identifier bigint not null,
  timeline int not null,
  mark uuid not null,
  superseded_by int,
  since timestamptz not null
);

-- Which server this is. The timeline in the name of the current WAL file is right at once after a promotion. Tests replace this.
create function server_now(out identifier bigint, out timeline int) language sql volatile as $$
  select system_identifier, ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int from pg_control_system()
$$;

insert into server_line (identifier, timeline, mark, since)
select s.identifier, s.timeline, gen_random_uuid(), ledger_now() from server_now() s;

-- What every call that moves money begins with. `p_mark` is the line that the calling process follows; null for processes of the version
-- before and for calls by hand, which only a server that has lost the books refuses. The refusal is of the class of broken
-- connections, because the remedy is the same: find the right server. The lock is held until the transaction ends, and who takes
-- the books away from this server waits for it; who only reads, as a backup does, is waited for by nobody.
create function ledger_ready(p_mark uuid default null) returns void language plpgsql as $$
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
  -- It is the same for as long as the server runs, and reading it opens a file: each connection remembers it.
  s_identifier := nullif(current_setting('tollgate.system_identifier', true), '')::bigint;
  if s_identifier is null then
    s_identifier := (select system_identifier from pg_control_system());
    perform set_config('tollgate.system_identifier', s_identifier::text, false);
  end if;
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

-- Passed on as it came, once the line is the right one: `void_v1(on_line_v1(mark, ids), …)` asks in the very statement that moves
-- money, wherever a pooler may have sent it.
create function on_line_v1(p_mark uuid, p_value anyelement) returns anyelement language plpgsql as $$
begin
  perform ledger_ready(p_mark);
  return p_value;
end
$$;

-- The first to come after a promotion gives the timeline its mark, and everybody hears it.
create function enter_line_v1() returns uuid language plpgsql as $$
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

-- Told to a server by a gateway that sees a higher timeline elsewhere, before it turns there: nothing that moves money
-- happens here afterwards. It waits for the calls under way. Those that only wait for a standby any more are ended: they are written
-- here, their callers have not been told so, and must not be told so later. Durable here is enough, since it is about this server alone.
create function supersede_line_v1(p_identifier bigint, p_timeline int) returns boolean language plpgsql as $$
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

-- An operator says that the books are here from now on, whatever was remembered. Processes that follow another line go on refusing this one
-- until they are started again.
create function adopt_line_v1() returns uuid language plpgsql as $$
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

-- Ids tell the time at which they were made, and the partition of their day. Tests with a clock of their own replace this.
create function require_recent(p_first uuid, p_last uuid, p_now timestamptz) returns void language plpgsql as $$
declare
  v_ms bigint := extract(epoch from p_now) * 1000;
begin
  if ('x' || left(replace(p_first::text, '-', ''), 12))::bit(48)::bigint >= v_ms - 3600000
     and ('x' || left(replace(p_last::text, '-', ''), 12))::bit(48)::bigint <= v_ms + 3600000 then
    return;
  end if;
  raise exception 'request ids were made between % and %, and the database has %', uuid_time(p_first), uuid_time(p_last), p_now
    using errcode = '22T03', hint = 'set the clock of the gateway''s machine: it must be within an hour of the database''s';
end
$$;

create function uuid_time(p_id uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- The timeline this server writes. A standby that is promoted begins another one, however long it has been up. Tests replace it.
create function server_timeline() returns bigint language sql volatile
as $$ select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint $$;

create table process (
  id uuid primary key,
  -- Begins anew when a lease had run out, since nobody else may have been able to renew either.
  renewing_since timestamptz not null,
  lease_until timestamptz not null,
  -- That of the server at the last renewal.
  timeline bigint
);

-- A lease that ran out begins anew, and so does one that was renewed late or on another timeline: its process missed a renewal, and
-- others may have missed more of them.
create function heartbeat_v1(p_process uuid) returns timestamptz language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into process (id, renewing_since, lease_until, timeline) values (p_process, v_now, v_now + interval '15 seconds', server_timeline())
  on conflict (id) do update
     set renewing_since = case when process.lease_until >= v_now + interval '7.5 seconds' and process.timeline = excluded.timeline
                               then process.renewing_since else v_now end,
         lease_until = excluded.lease_until, timeline = excluded.timeline;
  return v_now + interval '15 seconds';
end
$$;

-- Whether a process may sweep. Not until a full lease has gone by since the server started, and since the process began to renew
-- its own on this timeline: in an outage nobody could renew, and that is not the death of every process.
create function may_sweep(p_sweeper uuid, p_now timestamptz) returns boolean language sql volatile as $$
  select p_now >= ledger_server_start() + interval '15 seconds'
     and exists (select from process
                  where id = p_sweeper and lease_until >= p_now and timeline = server_timeline()
                    and p_now >= renewing_since + interval '15 seconds')
$$;

