-- Why: admission, the one call in which key version, rate, idempotency and reservation are decided at one instant.
-- Locks: none on tables; it creates functions.
--
-- Every ledger function locks in one order: balances by key, then holds by id. It locks first and reads afterwards, in another
-- statement: a statement that waits for a lock still sees the world from before its wait. Planner settings are pinned,
-- because the tables grow from empty and plans made for empty tables are slow ones.

-- Cells moved on by `p_by` (0 to 13) and the newest increased.
create function rate_added(p_cells int[], p_by int, p_count int) returns int[] language sql immutable as $$
  select case when p_by = 0 then array_prepend(p_cells[1] + p_count, p_cells[2:13])
              else array_prepend(p_count, array_fill(0, array[p_by - 1]) || p_cells[1:13 - p_by]) end
$$;

-- All that is counted, whether or not it has left the window: never less than what was accepted in the last minute.
create function rate_bound(p_cells int[]) returns bigint language sql immutable as $$
  select p_cells[1]::bigint + p_cells[2] + p_cells[3] + p_cells[4] + p_cells[5] + p_cells[6] + p_cells[7] + p_cells[8]
         + p_cells[9] + p_cells[10] + p_cells[11] + p_cells[12] + p_cells[13]
$$;

-- How long until one more request fits, given thirteen cells of which the newest is `p_cell`. Cells leave whole, oldest first.
create function rate_wait_ms(p_cells int[], p_cell bigint, p_rpm int, p_now timestamptz) returns bigint language sql immutable as $$
  select (p_cell + min(k)) * 5000 - floor(extract(epoch from p_now) * 1000)::bigint
    from generate_series(1, 13) k
   where (select coalesce(sum(cell), 0) from unnest(p_cells[1:13 - k]) cell) < greatest(p_rpm, 1)
$$;

-- A commit that was acknowledged must survive a crash. A stricter setting than `on` is left as the operator chose it.
create function ledger_durable() returns void language plpgsql as $$
begin
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end
$$;

-- Starts the current period of a token key whose last one is over; the caller holds the lock. What older holds still hold
-- stays posted beside the new budget until they end, and never becomes part of it.
create function balance_turned(p_key uuid, p_now timestamptz) returns void language plpgsql as $$
begin
  update balance
     set posted = budget + held, older_held = held, used = 0, period_no = period_no + 1, period_ends_at = period_end(period, p_now)
   where key_id = p_key and p_now >= period_ends_at;
  if found then
    insert into funding (key_id, reference, bucket, kind, amount, period_no, actor, at)
    select key_id, '#period:' || period_no, bucket, 'period_reset', budget, period_no, 'ledger', p_now from balance where key_id = p_key;
  end if;
end
$$;

-- The whole rule, request by request in their order, for the requests at the places `p_only`. The locks are held.
create function admit_exact(
  p_now timestamptz, p_only int[], p_known uuid[], p_process uuid, p_id uuid[], p_key uuid[], p_version bigint[], p_rpm int[],
  p_least bigint[], p_most bigint[], p_unlimited boolean[], p_model text[], p_price int[], p_lifetime_ms int[],
  p_route text[], p_sha bytea[], p_print bytea[]
) returns table (
  place int, verdict text, amount bigint, posted bigint, held bigint, retry_after_ms bigint, period_ends_at timestamptz,
  status int, content_type text, body bytea
) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_cell bigint := floor(extract(epoch from p_now) / 5);
  r record;
  b balance;
  c idempotency;
  v_free bigint;
  v_taken bigint;
  v_seen uuid[] := p_known;
  v_accepted boolean;
begin
  for r in
    select q.*, lag(q.key_id) over w is distinct from q.key_id as opens, lead(q.key_id) over w is distinct from q.key_id as closes
      from unnest(p_id, p_key, p_version, p_rpm, p_least, p_most, p_unlimited, p_model, p_price, p_lifetime_ms, p_route, p_sha, p_print)
           with ordinality as q (id, key_id, version, rpm, least, most, unlimited, model, price, lifetime_ms, route, sha, print, place)
     where q.place = any (p_only)
    window w as (order by q.key_id, q.place)
     order by q.key_id, q.place
  loop
    if r.opens then
      perform balance_turned(r.key_id, p_now);
      select * into b from balance where key_id = r.key_id;
      if b.key_id is not null then
        b.rate_cells := rate_added(b.rate_cells, least(13, greatest(0, v_cell - b.rate_cell))::int, 0);
        b.rate_cell := greatest(b.rate_cell, v_cell);
      end if;
      v_taken := 0;
    end if;
    if (r.least >= 0 and r.least <= r.most) is not true then
      raise exception 'least must lie between 0 and most' using errcode = 'invalid_parameter_value';
    end if;
    place := r.place; verdict := null; amount := null; retry_after_ms := null; status := null; content_type := null; body := null;
    posted := b.posted - b.older_held;
    held := b.held - b.older_held;
    period_ends_at := nullif(b.period_ends_at, 'infinity');

    if r.id = any (v_seen) then
      select h.amount into amount from hold h where h.id = r.id and h.key_id = r.key_id;
      if amount is null then select granted into amount from charge where hold_id = r.id and key_id = r.key_id; end if;
      if amount is null then raise exception 'id % belongs to another key', r.id using errcode = 'unique_violation'; end if;
      verdict := 'already';
    elsif b.key_id is null or b.version <> r.version then
      verdict := 'stale_key';
    elsif (select sum(cell) from unnest(b.rate_cells) cell) >= r.rpm then
      verdict := 'rate_limited';
      retry_after_ms := rate_wait_ms(b.rate_cells, b.rate_cell, r.rpm, p_now);
    elsif r.most = 0 then
      verdict := 'admitted';
      amount := 0;
    else
      if r.sha is not null then
        delete from idempotency where key_id = r.key_id and route = r.route and key_sha256 = r.sha and expires_at <= p_now;
        select * into c from idempotency where key_id = r.key_id and route = r.route and key_sha256 = r.sha;
        if found then
          verdict := case when c.fingerprint <> r.print then 'key_reuse'
                          when c.state = 'in_flight' then 'in_progress'
                          when c.state = 'stored' then 'replay'
                          when c.state = 'unavailable' then 'replay_unavailable'
                          else 'stream_interrupted' end;
          if verdict = 'replay' then status := c.status; content_type := c.content_type; body := c.body; end if;
        end if;
      end if;
      v_free := b.posted - b.held;
      if verdict is not null then
        null;
      elsif r.least <= v_free then
        verdict := 'admitted';
        amount := case when r.most <= v_free then r.most when r.unlimited then greatest(r.least, v_free / 2) else v_free end;
        b.held := b.held + amount;
        v_taken := v_taken + amount;
        v_seen := v_seen || r.id;
        insert into hold (id, bucket, key_id, amount, period_no, process_id, model, price_version, claimed, admitted_at, deadline)
        values (r.id, b.bucket, r.key_id, amount, b.period_no, p_process, r.model, r.price, r.sha is not null, p_now,
                p_now + r.lifetime_ms * interval '1 millisecond');
        if r.sha is not null then
          insert into idempotency (key_id, route, key_sha256, bucket, fingerprint, state, hold_id)
          values (r.key_id, r.route, r.sha, b.bucket, r.print, 'in_flight', r.id);
        end if;
      elsif b.unit = 'tokens' and posted = 0 then
        verdict := 'limit_reached';
      elsif r.least > posted then
        verdict := 'insufficient';
      else
        verdict := 'reserved';
      end if;
    end if;

    v_accepted := verdict not in ('already', 'stale_key', 'rate_limited', 'reserved', 'limit_reached');
    if v_accepted then b.rate_cells[1] := b.rate_cells[1] + 1; end if;
    if r.closes and b.key_id is not null then
      update balance set held = balance.held + v_taken, rate_cells = b.rate_cells, rate_cell = b.rate_cell where key_id = r.key_id;
    end if;
    return next;
  end loop;
end
$$;

-- Keys whose demand fits are served by one statement; the requests of the others are decided one by one. Requests that ask for
-- more than was free before the batch are refused first and are no part of that demand, so that neither a key without money nor
-- one hopeless request pushes others off the fast path.
--
-- Those admitted with all they asked for share one row, at place 0, whose amount is their number: they are nearly all, and
-- nothing else is to be said about them. Every other request has a row of its own.
create function admit_v1(
  p_process uuid, p_id uuid[], p_key uuid[], p_version bigint[], p_rpm int[], p_least bigint[], p_most bigint[],
  p_unlimited boolean[], p_model text[], p_price int[], p_lifetime_ms int[], p_route text[], p_sha bytea[], p_print bytea[]
) returns table (
  place int, verdict text, amount bigint, posted bigint, held bigint, retry_after_ms bigint, period_ends_at timestamptz,
  status int, content_type text, body bytea
) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_ids uuid[] := array(select distinct p_id[i] from generate_series(1, cardinality(p_id)) i order by 1);
  v_known uuid[];
  v_now timestamptz;
  v_cell bigint;
  v_served int[];
  v_refused int[];
  v_refusal text[];
  v_rest int[];
begin
  -- Asked here and not only there, because a call costs a plan.
  if current_setting('synchronous_commit') = 'off' then perform ledger_durable(); end if;
  perform from balance where key_id = any (p_key) order by key_id for no key update;
  v_now := ledger_now();
  v_cell := floor(extract(epoch from v_now) / 5);
  -- The bounds let the partitions of other days be passed over, which the list alone does not.
  v_known := array(
    select id from hold where id = any (v_ids)
    union all
    select hold_id from charge where hold_id = any (v_ids) and hold_id >= v_ids[1] and hold_id <= v_ids[cardinality(v_ids)]
  );

  -- A batch that repeats an id, of its own or an earlier one, is the repetition of a call, and too rare to be fast.
  if v_known = '{}' and cardinality(v_ids) = cardinality(p_id) then
    with asked as materialized (
      select i, b.key_id, b.bucket, b.period_no, b.version,
             case when p_least[i] <= b.posted - b.held then null
                  when b.unit = 'tokens' and b.posted = b.older_held then 'limit_reached'
                  when p_least[i] > b.posted - b.older_held then 'insufficient' else 'reserved' end as refusal
        from generate_series(1, cardinality(p_id)) i
        cross join lateral (select * from balance where key_id = p_key[i] limit 1) b
    ), kept as (
      update balance b
         set held = (b.held + d.taken)::bigint, rate_cell = greatest(b.rate_cell, v_cell),
             rate_cells = rate_added(b.rate_cells, least(13, greatest(0, v_cell - b.rate_cell))::int, d.counted)
        from (
          select key_id, count(*) as requests, (count(*) filter (where refusal is null or refusal = 'insufficient'))::int as counted,
                 coalesce(sum(p_most[i]) filter (where refusal is null), 0) as taken, min(p_rpm[i]) as cap,
                 bool_and((p_version[i] = version and p_sha[i] is null and 0 <= p_least[i] and p_least[i] <= p_most[i]) is true) as plain
            from asked group by key_id
        ) d
       where b.key_id = d.key_id and d.plain and d.taken <= b.posted - b.held and v_now < b.period_ends_at
         -- Only a key near its limit is worth the exact sum.
         and (d.cap is null or d.requests + rate_bound(b.rate_cells) <= d.cap
              or d.requests + rate_bound(rate_added(b.rate_cells, least(13, greatest(0, v_cell - b.rate_cell))::int, 0)) <= d.cap)
      returning b.key_id
    ), put as (
      -- `is true`, because a bare `in` would become a join that compares every request with every key.
      insert into hold (id, bucket, key_id, amount, period_no, process_id, model, price_version, claimed, admitted_at, deadline)
      select p_id[i], bucket, key_id, p_most[i], period_no, p_process, p_model[i], p_price[i], false, v_now,
             v_now + p_lifetime_ms[i] * interval '1 millisecond'
        from asked where refusal is null and p_most[i] > 0 and (key_id in (select key_id from kept)) is true
    )
    select array_agg(i) filter (where refusal is null), array_agg(i) filter (where refusal is not null),
           array_agg(refusal) filter (where refusal is not null)
      into v_served, v_refused, v_refusal from asked where (key_id in (select key_id from kept)) is true;
  end if;

  place := 0;
  verdict := 'admitted';
  amount := coalesce(cardinality(v_served), 0);
  return next;
  if amount = cardinality(p_id) then return; end if;
  return query
    select q.i, q.refusal, null::bigint, b.posted - b.older_held, b.held - b.older_held, null::bigint,
           nullif(b.period_ends_at, 'infinity'), null::int, null::text, null::bytea
      from unnest(v_refused, v_refusal) as q (i, refusal)
      cross join lateral (select * from balance where key_id = p_key[q.i] limit 1) b;
  v_rest := array(select i from generate_series(1, cardinality(p_id)) i where i <> all (coalesce(v_served || v_refused, '{}')));
  if v_rest = '{}' then return; end if;
  return query
    select * from admit_exact(v_now, v_rest, v_known, p_process, p_id, p_key, p_version, p_rpm, p_least, p_most, p_unlimited, p_model,
                              p_price, p_lifetime_ms, p_route, p_sha, p_print);
end
$$;
