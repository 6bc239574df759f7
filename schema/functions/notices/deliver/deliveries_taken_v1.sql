-- Takes up what is due to be sent: at most `p_each` under way for each endpoint, whichever process sends them. A notice waits for earlier ones
-- of its counter, until these have failed four times. An attempt that says nothing for `p_lease_ms` is taken for lost, and made again.
create or replace function deliveries_taken_v1(p_endpoints text[], p_each int, p_lease_ms int) returns table (
  id uuid, endpoint text, attempt int, tried_ms bigint
) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := ledger_now();
begin
  -- Nothing is written while nothing is to do.
  if not exists (select from delivery d where d.state = 'waiting' and d.next_at <= v_now)
     and not exists (select from unnest(p_endpoints) e where not exists (select from endpoint o where o.name = e and o.seen_at > v_now - interval '1 hour'))
     and not exists (select from endpoint where seen_at < v_now - interval '1 day') then
    return;
  end if;
  -- One process at a time: two would each count what the other has not taken yet.
  perform from duty where name = 'notices' for update skip locked;
  if not found then return; end if;
  insert into endpoint (name, seen_at) select e, v_now from unnest(p_endpoints) e
  on conflict (name) do update set seen_at = excluded.seen_at where endpoint.seen_at < excluded.seen_at - interval '1 hour';
  -- An endpoint that no process has had in its settings for a day.
  delete from delivery d using endpoint e where e.seen_at < v_now - interval '1 day' and d.endpoint = e.name and d.state <> 'delivered';
  delete from endpoint where seen_at < v_now - interval '1 day';
  return query
    with due as materialized (
      select d.notice, d.endpoint
        from unnest(p_endpoints) e (name)
        cross join lateral (
          select w.notice, w.endpoint from delivery w
           where w.endpoint = e.name and w.state = 'waiting' and w.next_at <= v_now
             and not exists (select from delivery o
                              where o.endpoint = w.endpoint and o.counter = w.counter and o.no < w.no and o.state = 'waiting' and o.attempts < 4)
           order by w.next_at, w.no
           limit greatest(0, p_each - (select count(*) from delivery s
                                        where s.endpoint = e.name and s.state = 'waiting' and s.sending and s.next_at > v_now))
        ) d
    )
    update delivery d
       set attempts = d.attempts + 1, first_at = coalesce(d.first_at, v_now), last_at = v_now, sending = true,
           next_at = v_now + p_lease_ms * interval '1 millisecond'
      from due where d.notice = due.notice and d.endpoint = due.endpoint
    returning d.notice, d.endpoint, d.attempts, (extract(epoch from v_now - d.first_at) * 1000)::bigint;
end
$$;
