-- The whole rule, request by request in their order, for the requests at the places `p_only`. The locks are held. Where a counter's period has
-- begun by a clock that was ahead, the request counts from that beginning, for at most an hour and while no other of its counters has its end
-- before; else it is told `stale_key` with the counter that is furthest ahead and its beginning. A gateway of an earlier version reads the key again
-- then, a few times, and answers with 503.
create or replace function admit_exact(
  p_now timestamptz, p_only int[], p_known uuid[], p_process uuid, p_id uuid[], p_key uuid[], p_version bigint[], p_rpm int[], p_chain int[],
  p_least_credits bigint[], p_most_credits bigint[], p_least_tokens bigint[], p_most_tokens bigint[], p_unlimited boolean[], p_model int[],
  p_price int[], p_lifetime_ms int[], p_sha bytea[], p_print bytea[]
) returns setof answer language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_us bigint := extract(epoch from p_now) * 1000000;
  r record;
  b balance;
  c idempotency;
  a answer;
  f record;
  v_counters int[];
  v_free_credits bigint;
  v_free_tokens bigint;
  v_begun timestamptz;
  v_ends timestamptz;
  v_seen uuid[] := p_known;
begin
  for r in
    select q.*
      from unnest(p_id, p_key, p_version, p_rpm, p_chain, p_least_credits, p_most_credits, p_least_tokens, p_most_tokens, p_unlimited, p_model,
                  p_price, p_lifetime_ms, p_sha, p_print)
           with ordinality as q (id, key_id, version, rpm, chain, least_credits, most_credits, least_tokens, most_tokens, unlimited, model,
                                 price, lifetime_ms, sha, print, place)
     where q.place = any (p_only) order by q.place
  loop
    a := null;
    a.part := 'a';
    a.place := r.place;
    b := null;
    select * into b from balance where key_id = r.key_id;
    if (coalesce(r.least_credits, 0) between 0 and coalesce(r.most_credits, 0)
        and coalesce(r.least_tokens, 0) between 0 and coalesce(r.most_tokens, 0)) is not true then
      raise exception 'least must lie between 0 and most' using errcode = 'invalid_parameter_value';
    end if;

    if r.id = any (v_seen) then
      select h.credits, h.tokens into a.credits, a.tokens from hold h where h.id = r.id and h.key_id = r.key_id;
      if not found then
        select h.granted_credits, h.granted_tokens into a.credits, a.tokens from charge h where h.hold_id = r.id and h.key_no = b.key_no;
        if not found then raise exception 'id % belongs to another key', r.id using errcode = 'unique_violation'; end if;
      end if;
      a.verdict := 'already';
    elsif b.key_id is null or b.version <> r.version then
      a.verdict := 'stale_key';
    elsif r.rpm is not null and rate_count(b.rate, v_us) >= r.rpm then
      a.verdict := 'rate_limited';
      a.retry_after_ms := rate_wait_ms(b.rate, r.rpm, v_us);
    elsif coalesce(r.most_credits, 0) = 0 and coalesce(r.most_tokens, 0) = 0 then
      a.verdict := 'admitted';
      a.credits := r.most_credits;
      a.tokens := r.most_tokens;
    else
      if r.sha is not null then
        delete from idempotency where key_id = r.key_id and key_sha256 = r.sha and expires_at <= p_now;
        select * into c from idempotency where key_id = r.key_id and key_sha256 = r.sha;
        if found then
          a.verdict := case when c.fingerprint <> r.print then 'key_reuse'
                            when c.state = 'in_flight' then 'in_progress'
                            when c.state = 'stored' then 'replay'
                            when c.state = 'unavailable' then 'replay_unavailable'
                            else 'stream_interrupted' end;
          if a.verdict = 'in_progress' then
            select greatest(0, extract(epoch from p_now - h.admitted_at) * 1000) into a.retry_after_ms from hold h where h.id = c.hold_id;
          end if;
        end if;
      end if;
      if a.verdict is null then
        v_counters := case when r.chain = b.chain then b.counters else (select nullif(h.counters, '{}') from chain h where h.id = r.chain) end;
        select min(q.free) filter (where q.unit = 'credit'), min(q.free) filter (where q.unit = 'tokens'), max(q.begun), min(q.ends)
          into v_free_credits, v_free_tokens, v_begun, v_ends
          from (select b.unit::text as unit, b.posted - b.held as free, b.period_from as begun, b.period_ends_at as ends where b.counter is not null
                union all
                select k.unit, k.posted - k.held, k.period_from, k.period_ends_at from counter k where k.id = any (v_counters)) q;
        if v_free_credits is null and v_free_tokens is null then
          raise exception 'key % has nothing that it could be charged to', r.key_id using errcode = 'data_exception';
        end if;
        if (v_free_credits is null) <> (r.most_credits is null) or (v_free_tokens is null) <> (r.most_tokens is null) then
          raise exception 'a request names the amounts of its chain''s units and no others' using errcode = 'invalid_parameter_value';
        end if;
        if v_begun > p_now and (v_begun > p_now + interval '1 hour' or v_ends <= v_begun) then
          a.verdict := 'stale_key';
          a.renews_at := v_begun;
          select q.id into a.counter
            from (select b.counter as id, b.period_from as begun where b.counter is not null
                  union all
                  select k.id, k.period_from from counter k where k.id = any (v_counters)) q
           order by q.begun desc, q.id limit 1;
        elsif coalesce(r.least_credits <= v_free_credits, true) and coalesce(r.least_tokens <= v_free_tokens, true) then
          a.verdict := 'admitted';
          a.credits := granted(r.least_credits, r.most_credits, v_free_credits, r.unlimited);
          a.tokens := granted(r.least_tokens, r.most_tokens, v_free_tokens, r.unlimited);
          update balance set held = held + case unit when 'credit' then a.credits else a.tokens end where key_id = r.key_id and counter is not null;
          update counter set held = held + case unit when 'credit' then a.credits else a.tokens end where id = any (v_counters);
          v_seen := v_seen || r.id;
          insert into hold (id, key_id, process_id, admitted_at, deadline, credits, tokens, key_no, chain, counters, model, price_version, claimed)
          values (r.id, r.key_id, p_process, greatest(p_now, v_begun), p_now + r.lifetime_ms * interval '1 millisecond', a.credits, a.tokens, b.key_no,
                  r.chain, v_counters, r.model, r.price, r.sha is not null);
          if r.sha is not null then
            insert into idempotency (key_id, key_sha256, fingerprint, state, hold_id) values (r.key_id, r.sha, r.print, 'in_flight', r.id);
          end if;
        else
          select * into f from refusal_of(r.key_id, v_counters, r.least_credits, r.least_tokens);
          a.verdict := f.verdict;
          a.posted_credits := f.posted_credits; a.posted_tokens := f.posted_tokens;
          a.free_credits := f.free_credits; a.free_tokens := f.free_tokens;
          a.counter := f.counter; a.posted := f.posted; a.free := f.free; a.amount := f.amount; a.unit := f.unit; a.kind := f.kind;
          a.period := f.period; a.renews_at := f.renews_at; a.holder := f.holder;
        end if;
      end if;
    end if;

    if r.rpm is not null and b.key_id is not null
       and a.verdict not in ('already', 'stale_key', 'rate_limited', 'reserved', 'limit_reached') then
      update balance set rate = rate_added(rate, v_us, 1) where key_id = r.key_id;
    end if;
    return next a;
  end loop;
end
$$;
