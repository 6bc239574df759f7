-- Publishes what a process has in flight; null: it has nothing to say, and asks only. Answers for how long somebody watches, and what is to be cancelled.
create or replace function live_published_v1(p_process uuid, p_in_flight json, p_more int, p_finished json, out watched_ms int, out cancels uuid[])
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
