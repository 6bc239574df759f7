-- Asks all processes to publish. They are told when they do not publish yet.
create or replace function live_watched_v1(p_for_ms int) returns void language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
  v_until timestamptz := v_now + make_interval(secs => p_for_ms / 1000.0);
  v_watched boolean := exists (select from live_watch where until > v_now);
begin
  insert into live_watch as w (until) values (v_until) on conflict (one) do update set until = greatest(w.until, excluded.until);
  if not v_watched then perform pg_notify('tollgate_live', 'watch'); end if;
end
$$;
