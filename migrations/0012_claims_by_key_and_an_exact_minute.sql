-- Why: an Idempotency-Key belongs to its key alone, whatever operation it is used for. And the minute of the rate is exact: a request
-- leaves it sixty seconds after it was made, so that nobody is told to wait longer.
-- Locks: `idempotency` and `balance`, exclusively. Every claim and every balance is looked at once, and no admission happens meanwhile.

-- Where one value was used on several routes, the claim in flight stays, or else the one that lives longest.
delete from idempotency c using idempotency o
 where c.key_id = o.key_id and c.key_sha256 = o.key_sha256 and (c.expires_at, c.route) < (o.expires_at, o.route);
alter table idempotency drop constraint idempotency_pkey, add primary key (key_id, key_sha256), drop column route;

-- The requests of the last minute that were accepted under a limit, oldest first, one number for each second in which there were some:
-- the microsecond of its last one times 1,024, plus how many. A second leaves the window sixty seconds after its last request, so that
-- the window never counts fewer than were made, and the newest is gone after sixty seconds at most.
alter table balance add column rate bigint[] not null default '{}';
update balance b
   set rate = array(
         select (least((b.rate_cell - k + 2) * 5000000 - 1, (extract(epoch from ledger_now()) * 1000000)::bigint) << 10) + least(b.rate_cells[k], 1023)
           from generate_series(13, 1, -1) k where b.rate_cells[k] > 0)
 where b.rate_cell > extract(epoch from ledger_now()) / 5 - 13;

drop function admit_v1(uuid, uuid[], uuid[], bigint[], int[], bigint[], bigint[], boolean[], text[], int[], int[], text[], bytea[], bytea[]);
drop function admit_exact(timestamptz, int[], uuid[], uuid, uuid[], uuid[], bigint[], int[], bigint[], bigint[], boolean[], text[], int[],
                          int[], text[], bytea[], bytea[]);
drop function rate_wait_ms(int[], bigint, int, timestamptz);
drop function rate_bound(int[]);
drop function rate_added(int[], int, int);
alter table balance drop column rate_cells, drop column rate_cell;
drop domain rate_cells;

-- How many requests the minute before this instant counts.
create function rate_count(p_rate bigint[], p_us bigint) returns bigint language plpgsql immutable as $$
declare
  v_sum bigint := 0;
  v_second bigint;
begin
  foreach v_second in array p_rate loop
    if v_second >> 10 > p_us - 60000000 then v_sum := v_sum + (v_second & 1023); end if;
  end loop;
  return v_sum;
end
$$;

-- With so many more, and without those that have left.
create function rate_added(p_rate bigint[], p_us bigint, p_count int) returns bigint[] language plpgsql immutable as $$
declare
  v_to int := cardinality(p_rate);
  v_from int := 1;
  v_now int;
  v_left int := p_count;
  v_us bigint := p_us;
begin
  while v_from <= v_to and p_rate[v_from] >> 10 <= p_us - 60000000 loop v_from := v_from + 1; end loop;
  p_rate := p_rate[v_from:v_to];
  v_to := v_to - v_from + 1;
  -- A clock that was set back adds to the newest.
  if v_to > 0 and v_left > 0 and (p_rate[v_to] >> 10) / 1000000 >= p_us / 1000000 then
    v_us := greatest(p_rate[v_to] >> 10, p_us);
    v_now := least(v_left, 1023 - (p_rate[v_to] & 1023)::int);
    p_rate[v_to] := (v_us << 10) + (p_rate[v_to] & 1023) + v_now;
    v_left := v_left - v_now;
  end if;
  while v_left > 0 loop
    v_now := least(v_left, 1023);
    p_rate := p_rate || ((v_us << 10) + v_now);
    v_left := v_left - v_now;
  end loop;
  return p_rate;
end
$$;

-- How long until fewer than `p_rpm` are counted, and none when that is 0: at most a minute, whatever the clock did.
create function rate_wait_ms(p_rate bigint[], p_rpm int, p_us bigint) returns bigint language plpgsql immutable as $$
declare
  v_count bigint := rate_count(p_rate, p_us);
  v_wait bigint := 0;
  v_second bigint;
begin
  foreach v_second in array p_rate loop
    exit when v_count < greatest(p_rpm, 1);
    continue when v_second >> 10 <= p_us - 60000000;
    v_count := v_count - (v_second & 1023);
    v_wait := (v_second >> 10) + 60000000 - p_us;
  end loop;
  -- Rounded up, for who waits so long must find it over.
  return least(60000, (v_wait + 999) / 1000);
end
$$;

-- The whole rule, request by request in their order, for the requests at the places `p_only`. The locks are held.
create function admit_exact(
  p_now timestamptz, p_only int[], p_known uuid[], p_process uuid, p_id uuid[], p_key uuid[], p_version bigint[], p_rpm int[],
  p_least bigint[], p_most bigint[], p_unlimited boolean[], p_model text[], p_price int[], p_lifetime_ms int[],
  p_sha bytea[], p_print bytea[]
) returns table (
  place int, verdict text, amount bigint, posted bigint, held bigint, retry_after_ms bigint, period_ends_at timestamptz,
  status int, content_type text, body bytea
) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_us bigint := extract(epoch from p_now) * 1000000;
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
      from unnest(p_id, p_key, p_version, p_rpm, p_least, p_most, p_unlimited, p_model, p_price, p_lifetime_ms, p_sha, p_print)
           with ordinality as q (id, key_id, version, rpm, least, most, unlimited, model, price, lifetime_ms, sha, print, place)
     where q.place = any (p_only)
    window w as (order by q.key_id, q.place)
     order by q.key_id, q.place
  loop
    if r.opens then
      perform balance_turned(r.key_id, p_now);
      select * into b from balance where key_id = r.key_id;
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
    elsif r.rpm is not null and rate_count(b.rate, v_us) >= r.rpm then
      verdict := 'rate_limited';
      retry_after_ms := rate_wait_ms(b.rate, r.rpm, v_us);
    elsif r.most = 0 then
      verdict := 'admitted';
      amount := 0;
    else
      if r.sha is not null then
        delete from idempotency where key_id = r.key_id and key_sha256 = r.sha and expires_at <= p_now;
        select * into c from idempotency where key_id = r.key_id and key_sha256 = r.sha;
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
          insert into idempotency (key_id, key_sha256, bucket, fingerprint, state, hold_id)
          values (r.key_id, r.sha, b.bucket, r.print, 'in_flight', r.id);
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
    if v_accepted and r.rpm is not null then b.rate := rate_added(b.rate, v_us, 1); end if;
    if r.closes and b.key_id is not null then
      update balance set held = balance.held + v_taken, rate = b.rate where key_id = r.key_id;
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
-- nothing else is to be said about them. Every other request has a row of its own. For each key with a limit there is one row more,
-- `rate`, at the place of its first request: how many requests the last minute counts after this batch, and how long until none.
create function admit_v2(
  p_process uuid, p_id uuid[], p_key uuid[], p_version bigint[], p_rpm int[], p_least bigint[], p_most bigint[],
  p_unlimited boolean[], p_model text[], p_price int[], p_lifetime_ms int[], p_sha bytea[], p_print bytea[]
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
  v_us bigint;
  v_served int[];
  v_refused int[];
  v_refusal text[];
  v_rest int[];
  v_limited boolean := false;
begin
  -- Asked here and not only there, because a call costs a plan.
  if current_setting('synchronous_commit') = 'off' then perform ledger_durable(); end if;
  perform from balance where key_id = any (p_key) order by key_id for no key update;
  v_now := ledger_now();
  v_us := extract(epoch from v_now) * 1000000;
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
         set held = (b.held + d.taken)::bigint,
             rate = case when d.cap is null then b.rate else rate_added(b.rate, v_us, d.counted) end
        from (
          select key_id, count(*) as requests, (count(*) filter (where refusal is null or refusal = 'insufficient'))::int as counted,
                 coalesce(sum(p_most[i]) filter (where refusal is null), 0) as taken, min(p_rpm[i]) as cap,
                 bool_and((p_version[i] = version and p_sha[i] is null and 0 <= p_least[i] and p_least[i] <= p_most[i]) is true) as plain
            from asked group by key_id
        ) d
       where b.key_id = d.key_id and d.plain and d.taken <= b.posted - b.held and v_now < b.period_ends_at
         and (d.cap is null or d.requests + rate_count(b.rate, v_us) <= d.cap)
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
  if cardinality(array_remove(p_rpm, null)) > 0 then v_limited := true; end if;
  if amount = cardinality(p_id) and not v_limited then return; end if;
  return query
    select q.i, q.refusal, null::bigint, b.posted - b.older_held, b.held - b.older_held, null::bigint,
           nullif(b.period_ends_at, 'infinity'), null::int, null::text, null::bytea
      from unnest(v_refused, v_refusal) as q (i, refusal)
      cross join lateral (select * from balance where key_id = p_key[q.i] limit 1) b;
  v_rest := array(select i from generate_series(1, cardinality(p_id)) i where i <> all (coalesce(v_served || v_refused, '{}')));
  if v_rest <> '{}' then
    return query
      select * from admit_exact(v_now, v_rest, v_known, p_process, p_id, p_key, p_version, p_rpm, p_least, p_most, p_unlimited, p_model,
                                p_price, p_lifetime_ms, p_sha, p_print);
  end if;
  if not v_limited then return; end if;
  return query
    select q.i, 'rate', rate_count(b.rate, v_us), null::bigint, null::bigint, rate_wait_ms(b.rate, 0, v_us), null::timestamptz,
           null::int, null::text, null::bytea
      from (select min(i) as i, p_key[i] as key_id from generate_series(1, cardinality(p_id)) i where p_rpm[i] is not null group by 2) q
      cross join lateral (select rate from balance where key_id = q.key_id limit 1) b;
end
$$;

-- For processes of the version before.
create function admit_v1(
  p_process uuid, p_id uuid[], p_key uuid[], p_version bigint[], p_rpm int[], p_least bigint[], p_most bigint[],
  p_unlimited boolean[], p_model text[], p_price int[], p_lifetime_ms int[], p_route text[], p_sha bytea[], p_print bytea[]
) returns table (
  place int, verdict text, amount bigint, posted bigint, held bigint, retry_after_ms bigint, period_ends_at timestamptz,
  status int, content_type text, body bytea
) language sql
as $$
  select * from admit_v2(p_process, p_id, p_key, p_version, p_rpm, p_least, p_most, p_unlimited, p_model, p_price, p_lifetime_ms, p_sha,
                         p_print) a
   where a.verdict <> 'rate'
$$;
