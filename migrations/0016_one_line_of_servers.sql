-- Why: of two servers that take writes one must be left alone, or a balance is spent on both. The database remembers which
-- server the books are on, by its system identifier and its timeline, and every call that moves money says which one it means. Such calls
-- also refuse an isolation level under which a wait for a lock would be followed by a look at the world from before it. And a request
-- whose id was made by a clock far off is not admitted: its rows would lie in the partition of another day.
-- Locks: none on tables; it makes a table and functions.

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
  s record;
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
  select * into s from server_now();
  if l.identifier = s.identifier and coalesce(l.superseded_by, 0) <= s.timeline
     and (l.timeline = s.timeline and (p_mark is null or p_mark = l.mark) or l.timeline < s.timeline and p_mark is null) then
    return;
  end if;
  raise exception '%', case
      when l.identifier is distinct from s.identifier then
        format('the books were last on the server with system identifier %s, and this one is %s', coalesce(l.identifier::text, 'unknown'), s.identifier)
      when greatest(l.timeline, l.superseded_by) > s.timeline then
        format('this server is on timeline %s, and the books have been on timeline %s', s.timeline, greatest(l.timeline, l.superseded_by))
      else format('this server, on timeline %s, is not the one that the gateway follows', s.timeline) end
    using errcode = '08T01',
          hint = case when l.identifier is distinct from s.identifier
                   then 'if this server is meant to have the books, run: tollgate ledger adopt'
                   else 'stop the server that no longer leads' end;
end
$$;

-- Passed on as it came, once the line is the right one: `admit_v2(on_line_v1(mark, process), …)` asks in the very statement that moves
-- money, wherever a pooler may have sent it.
create function on_line_v1(p_mark uuid, p_value anyelement) returns anyelement language plpgsql as $$
begin
  perform ledger_ready(p_mark);
  return p_value;
end
$$;

-- Where calls only asked to be durable they now ask for all of it.
create or replace function ledger_durable() returns void language plpgsql as $$
begin
  perform ledger_ready();
end
$$;

-- The first to come after a promotion gives the timeline its mark, and everybody hears it.
create function enter_line_v1() returns uuid language plpgsql as $$
declare
  s record;
begin
  perform ledger_ready();
  select * into s from server_now();
  update server_line set timeline = s.timeline, mark = gen_random_uuid(), superseded_by = null, since = ledger_now()
   where timeline < s.timeline;
  return (select mark from server_line);
end
$$;

-- Told to a server by a gateway that sees a higher timeline elsewhere, before it turns there: nothing that moves money
-- happens here afterwards. It waits for the calls under way. Durable here is enough, since it is about this server alone; its standbys may be gone.
create function supersede_line_v1(p_identifier bigint, p_timeline int) returns boolean language plpgsql as $$
declare
  s record;
begin
  perform set_config('synchronous_commit', 'local', true);
  lock table server_line in exclusive mode;
  select * into s from server_now();
  update server_line set superseded_by = greatest(superseded_by, p_timeline)
   where identifier = p_identifier and s.identifier = p_identifier and s.timeline < p_timeline;
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
begin
  if (p_first < uuid_floor(p_now - interval '1 hour') or p_last > uuid_floor(p_now + interval '1 hour')) is not true then return; end if;
  raise exception 'request ids were made between % and %, and the database has %', uuid_time(p_first), uuid_time(p_last), p_now
    using errcode = '22T03', hint = 'set the clock of the gateway''s machine: it must be within an hour of the database''s';
end
$$;

create function uuid_time(p_id uuid) returns timestamptz language sql immutable as $$
  select to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
$$;

-- As before, on the line.
create or replace function admit_v2(
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
  perform ledger_ready();
  perform from balance where key_id = any (p_key) order by key_id for no key update;
  v_now := ledger_now();
  perform require_recent(v_ids[1], v_ids[cardinality(v_ids)], v_now);
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

-- As before, on the line.
create or replace function settle_v2(
  p_id uuid[], p_key uuid[], p_outcome text[], p_charge bigint[], p_in bigint[], p_out bigint[], p_cache_read bigint[],
  p_cache_write bigint[], p_reasoning bigint[], p_delivered boolean[], p_provider text[], p_status int[], p_first_byte_ms int[],
  p_took_ms int[], p_estimated boolean[], p_answer_status int[], p_answer_type text[], p_answer_body bytea[], p_absorbed bigint[],
  p_waived bigint[], p_cap bigint[]
) returns table (place int, result text, charged bigint) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_day date;
  -- The places of requests that end here, and by their order: their holds, what they cost and what is paid.
  v_place int[];
  v_bucket smallint[];
  v_amount bigint[];
  v_period bigint[];
  v_model text[];
  v_price int[];
  v_free boolean[];
  v_charge bigint[];
  v_paid bigint[];
  v_claimed boolean;
  v_sane boolean;
  v_as_asked bigint;
  -- Whether something is absorbed or waived.
  v_borne boolean;
  -- The keys with a charge beyond its hold.
  v_short uuid[];
  v_at int;
begin
  perform ledger_ready();
  perform from balance where key_id = any (p_key) order by key_id for no key update;
  v_now := ledger_now();
  v_day := (v_now at time zone 'UTC')::date;

  -- The hold is the right to charge: whoever deletes it writes the charge. In the order of ids, as checkpoints lock them; of
  -- two ends of one id in a batch the first is taken.
  with ended as (
    delete from hold h
     using (select p_id[i] as id, p_key[i] as key_id, i from generate_series(1, cardinality(p_id)) i order by 1, 3) q
     where h.id = q.id and h.key_id = q.key_id
    returning q.i, h.key_id, h.bucket, h.amount, h.period_no, h.model, h.price_version, h.claimed,
              p_outcome[q.i] in ('upstream_failed', 'voided') as free, p_charge[q.i] as charge
  )
  select array_agg(i), array_agg(bucket), array_agg(amount), array_agg(period_no), array_agg(model), array_agg(price_version),
         array_agg(free), array_agg(charge), array_agg(case when free then 0 else least(charge, amount) end), bool_or(claimed),
         bool_and((charge >= 0) is true and coalesce(p_absorbed[i], 0) >= 0 and coalesce(p_waived[i], 0) >= 0 and coalesce(p_cap[i], 1) > 0),
         array_agg(key_id) filter (where charge > amount), count(*) filter (where charge = 0 or charge <= amount and not free),
         bool_or(p_absorbed[i] > 0 or p_waived[i] > 0)
    into v_place, v_bucket, v_amount, v_period, v_model, v_price, v_free, v_charge, v_paid, v_claimed, v_sane, v_short, v_as_asked,
         v_borne
    from (select * from ended order by i) e;
  if not v_sane then
    raise exception 'neither a charge nor what the house bears can be negative, and a cap is above 0'
      using errcode = 'invalid_parameter_value';
  end if;
  if v_borne then
    p_waived := array(select case when p_outcome[i] = 'upstream_failed' then p_waived[i] end from generate_series(1, cardinality(p_id)) i);
    foreach v_at in array waivers_spent(v_now, v_place, p_key, p_absorbed, p_waived, p_cap) loop
      v_free[v_at] := false;
      v_charge[v_at] := p_waived[v_place[v_at]];
      v_paid[v_at] := least(v_charge[v_at], v_amount[v_at]);
      v_as_asked := -1;
      if v_charge[v_at] > v_amount[v_at] then v_short := v_short || p_key[v_place[v_at]]; end if;
    end loop;
  end if;
  if v_short is not null then
    v_paid := settle_exact(v_short, v_place, v_amount, v_period, v_free, v_paid, p_key, v_charge);
  end if;

  insert into charge (hold_id, bucket, key_id, granted, amount, kind, period_no, model, price_version, tokens_in, tokens_out, at)
  select p_id[i], v_bucket[e], p_key[i], v_amount[e], v_paid[e], p_outcome[i], v_period[e], v_model[e], v_price[e],
         case when v_free[e] then 0 else p_in[i] end, case when v_free[e] then 0 else p_out[i] end, v_now
    from unnest(v_place) with ordinality as q (i, e);
  insert into usage_record (id, bucket, key_id, cost, outcome, model, price_version, provider, status, tokens_in, tokens_out,
                            cache_read, cache_write, reasoning, first_byte_ms, took_ms, estimated, at)
  select p_id[i], v_bucket[e], p_key[i], v_paid[e], p_outcome[i], v_model[e], v_price[e], p_provider[i], p_status[i], p_in[i],
         p_out[i], p_cache_read[i], p_cache_write[i], p_reasoning[i], p_first_byte_ms[i], p_took_ms[i], p_estimated[i], v_now
    from unnest(v_place) with ordinality as q (i, e)
   where p_outcome[i] in ('completed', 'timed_out', 'upstream_failed') and p_provider[i] is not null;
  if v_short is not null or v_borne then
    return query
      select h.over, 'over_cap', null::bigint from (
        select array_agg(i) as place, array_agg(p_id[i]) as id, array_agg(p_key[i]) as key_id, array_agg(v_bucket[e]) as bucket,
               array_agg(b.kind) as kind, array_agg(b.amount) as amount, array_agg(p_cap[i]) as cap
          from unnest(v_place) with ordinality as q (i, e)
          cross join lateral (values
            ('overrun', case when v_free[e] then 0 else v_charge[e] - v_paid[e] end),
            ('write_off', p_absorbed[i]),
            ('failed', case when v_free[e] then p_waived[i] end)
          ) as b (kind, amount)
         where b.amount > 0
      ) t cross join lateral house_booked(v_now, t.place, t.id, t.key_id, t.bucket, t.kind, t.amount, t.cap) as h (over)
       where t.place is not null;
  end if;
  update balance b
     set posted = case b.unit when 'credit' then b.posted - g.paid
                              else greatest(b.budget - b.used - g.paid_live + b.older_held - g.older, b.held - g.released) end,
         held = b.held - g.released, older_held = b.older_held - g.older, used = b.used + g.paid_live,
         today = v_day, today_spend = case when b.today = v_day then b.today_spend else 0 end + g.paid,
         last_cost = coalesce(v_paid[g.last], b.last_cost), requests = b.requests + g.requests,
         tokens_in = b.tokens_in + g.tokens_in, tokens_out = b.tokens_out + g.tokens_out
    from (
      select p_key[i] as key_id, sum(v_paid[e])::bigint as paid, sum(v_amount[e])::bigint as released,
             coalesce(sum(v_paid[e]) filter (where v_period[e] = o.period_no), 0)::bigint as paid_live,
             coalesce(sum(v_amount[e]) filter (where v_period[e] <> o.period_no), 0)::bigint as older,
             max(e) filter (where p_outcome[i] in ('completed', 'timed_out', 'upstream_failed')) as last,
             count(*) filter (where p_outcome[i] in ('completed', 'timed_out', 'upstream_failed')) as requests,
             coalesce(sum(p_in[i]) filter (where not v_free[e]), 0)::bigint as tokens_in,
             coalesce(sum(p_out[i]) filter (where not v_free[e]), 0)::bigint as tokens_out
        from unnest(v_place) with ordinality as q (i, e)
        cross join lateral (select period_no from balance where key_id = p_key[i] limit 1) o
       group by p_key[i]
    ) g
   where b.key_id = g.key_id;

  if v_claimed then
    perform close_claims(v_now, v_place, v_paid, p_id, p_outcome, p_delivered, p_answer_status, p_answer_type, p_answer_body);
  end if;

  if v_as_asked = cardinality(p_id) then
    place := 0; result := 'settled'; charged := v_as_asked;
    return next;
    return;
  end if;
  return query
    select 0, 'settled', count(*) from unnest(v_place, v_paid) as q (i, paid) where paid = p_charge[i]
    union all
    select i, 'settled', paid from unnest(v_place, v_paid) as q (i, paid) where paid <> p_charge[i];
  if cardinality(v_place) = cardinality(p_id) then return; end if;
  return query
    select i,
           case when c.kind not in ('swept', 'voided')
                  and not exists (select from funding f where f.key_id = p_key[i] and f.reference = '#void:' || p_id[i]) then 'already'
                else 'fenced' end,
           c.amount::bigint
      from generate_series(1, cardinality(p_id)) i
      left join lateral (select * from charge where charge.hold_id = p_id[i] limit 1) c on c.key_id = p_key[i]
     where i <> all (coalesce(v_place, '{}'));
end
$$;
