-- Why: operators see the requests in flight of all processes, and cancel one.
-- The tables are unlogged: they are empty after a crash and on a promoted standby, and their rows are written anew every second while somebody
-- watches. Nothing of the ledger depends on them. No commit of theirs waits for the disk or for a standby.
-- Locks: only the tables it creates.

-- Processes publish until then. One row.
create unlogged table live_watch (
  one boolean primary key default true check (one),
  until timestamptz not null
);

-- What each process has in flight, as it said last. A process that says nothing for three seconds is not shown.
create unlogged table live_process (
  id uuid primary key,
  at timestamptz not null,
  -- The oldest first, and how many there are beside these.
  in_flight json not null,
  more int not null,
  -- What has ended in the last seconds, numbered without gaps from the start of the process.
  finished json not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 100, toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 1000);

-- A request that an operator wants ended. The process that serves it finds it here: a notification alone ends nothing, since any role can send one.
create unlogged table live_cancel (
  request uuid primary key,
  at timestamptz not null,
  state text not null check (state in ('asked', 'cancelled', 'ending'))
);

-- Asks all processes to publish. They are told when they do not publish yet.
create function live_watched_v1(p_for_ms int) returns void language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
  v_until timestamptz := v_now + make_interval(secs => p_for_ms / 1000.0);
  v_watched boolean := exists (select from live_watch where until > v_now);
begin
  insert into live_watch as w (until) values (v_until) on conflict (one) do update set until = greatest(w.until, excluded.until);
  if not v_watched then perform pg_notify('tollgate_live', 'watch'); end if;
end
$$;

-- Publishes what a process has in flight; null: it has nothing to say, and asks only. Answers for how long somebody watches, and what is to be cancelled.
create function live_published_v1(p_process uuid, p_in_flight json, p_more int, p_finished json, out watched_ms int, out cancels uuid[])
language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
begin
  watched_ms := coalesce((select greatest(0, extract(epoch from until - v_now) * 1000)::int from live_watch), 0);
  cancels := array(select request from live_cancel where state = 'asked' and at > v_now - interval '1 minute' order by at limit 1000);
  if p_in_flight is not null then
    insert into live_process (id, at, in_flight, more, finished) values (p_process, v_now, p_in_flight, p_more, p_finished)
    on conflict (id) do update set at = excluded.at, in_flight = excluded.in_flight, more = excluded.more, finished = excluded.finished;
    delete from live_process where id in (select id from live_process where at < v_now - interval '1 minute' for update skip locked);
  end if;
end
$$;

-- Asks for the end of a request that has a hold. Answers what became of an earlier wish, else `asked`; null: nothing of that name is in flight.
create function live_cancel_v1(p_request uuid) returns text language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
  v_state text;
begin
  delete from live_cancel where request in (select request from live_cancel where at < v_now - interval '10 minutes' for update skip locked);
  select state into v_state from live_cancel where request = p_request;
  if v_state is null or v_state = 'asked' then
    if not exists (select from hold where id = p_request) then return null; end if;
    insert into live_cancel as c (request, at, state) values (p_request, v_now, 'asked')
    on conflict (request) do update set at = excluded.at where c.state = 'asked';
    perform pg_notify('tollgate_live', 'cancel');
    select state into v_state from live_cancel where request = p_request;
  end if;
  return v_state;
end
$$;
