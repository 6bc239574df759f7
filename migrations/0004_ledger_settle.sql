-- Why: the ends of a request (settle, void, sweep), its checkpoints, and the leases of processes.
-- Locks: none on tables; it creates functions.

-- One row per request. A charge draws on its hold first and then on what nobody reserved; what neither covers is the house's.
-- A hold of an earlier token period gives nothing back to the present one and takes nothing from it.
create function settle_v1(
  p_id uuid[], p_key uuid[], p_outcome text[], p_charge bigint[], p_in bigint[], p_out bigint[], p_cache_read bigint[],
  p_cache_write bigint[], p_reasoning bigint[], p_delivered boolean[], p_provider text[], p_status int[], p_first_byte_ms int[],
  p_took_ms int[], p_estimated boolean[], p_answer_status int[], p_answer_type text[], p_answer_body bytea[]
) returns table (place int, result text, charged bigint) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  v_day date;
  v_twice boolean := (select count(distinct id) from unnest(p_id) id) < cardinality(p_id);
  -- By place: what is paid; null where there is no hold to end.
  v_paid bigint[];
  v_claimed boolean;
  -- The keys with a charge beyond its hold.
  v_short uuid[];
begin
  if exists (select from unnest(p_charge) charge where (charge >= 0) is not true) then
    raise exception 'a charge cannot be negative' using errcode = 'invalid_parameter_value';
  end if;
  perform ledger_durable();
  perform from balance where key_id = any (p_key) order by key_id for no key update;
  perform from hold where id = any (p_id) order by id for update;
  v_now := ledger_now();
  v_day := (v_now at time zone 'UTC')::date;

  -- `least` passes over nulls, so where there is no hold this must not come to it.
  select array_agg(case when h.id is null then null when q.outcome in ('upstream_failed', 'voided') then 0
                        else least(q.charge, h.amount) end order by q.place),
         bool_or(h.claimed), array_agg(q.key_id) filter (where q.charge > h.amount)
    into v_paid, v_claimed, v_short
    from unnest(p_id, p_key, p_outcome, p_charge) with ordinality as q (id, key_id, outcome, charge, place)
    left join lateral (select * from hold where hold.id = q.id limit 1) h
      on h.key_id = q.key_id and (not v_twice or q.place = array_position(p_id, q.id));
  if v_short is not null then
    v_paid := settle_exact(v_short, v_paid, p_id, p_key, p_outcome, p_charge);
  end if;

  with ended as materialized (
    select q.*, h.amount, h.period_no, h.model, h.price_version, b.bucket, b.unit, h.period_no = b.period_no as live,
           q.outcome in ('completed', 'timed_out', 'upstream_failed') as counts,
           q.outcome in ('upstream_failed', 'voided') as free
      from unnest(p_id, p_key, p_outcome, p_charge, p_in, p_out, p_cache_read, p_cache_write, p_reasoning, p_provider, p_status,
                  p_first_byte_ms, p_took_ms, p_estimated, v_paid)
           with ordinality as q (id, key_id, outcome, charge, tokens_in, tokens_out, cache_read, cache_write, reasoning, provider,
                                 status, first_byte_ms, took_ms, estimated, paid, place)
      cross join lateral (select * from hold where hold.id = q.id limit 1) h
      cross join lateral (select * from balance where balance.key_id = q.key_id limit 1) b
     where q.paid is not null
  ), gone as (
    delete from hold where id = any (array(select id from ended))
  ), charges as (
    insert into charge (hold_id, bucket, key_id, granted, amount, kind, period_no, model, price_version, tokens_in, tokens_out, at)
    select id, bucket, key_id, amount, paid, outcome, period_no, model, price_version,
           case when free then 0 else tokens_in end, case when free then 0 else tokens_out end, v_now
      from ended
  ), records as (
    insert into usage_record (id, bucket, key_id, cost, outcome, model, price_version, provider, status, tokens_in, tokens_out,
                              cache_read, cache_write, reasoning, first_byte_ms, took_ms, estimated, at)
    select id, bucket, key_id, paid, outcome, model, price_version, provider, status, tokens_in, tokens_out,
           cache_read, cache_write, reasoning, first_byte_ms, took_ms, estimated, v_now
      from ended where counts and provider is not null
  ), overruns as (
    insert into house (hold_id, bucket, key_id, kind, amount, at)
    select id, bucket, key_id, 'overrun', charge - paid, v_now from ended where charge > paid and not free
  )
  update balance b
     set posted = case b.unit when 'credit' then b.posted - g.paid
                              else greatest(b.budget - b.used - g.paid_live + b.older_held - g.older, b.held - g.released) end,
         held = b.held - g.released, older_held = b.older_held - g.older, used = b.used + g.paid_live,
         today = v_day, today_spend = case when b.today = v_day then b.today_spend else 0 end + g.paid,
         last_cost = coalesce(g.last_cost, b.last_cost), requests = b.requests + g.requests,
         tokens_in = b.tokens_in + g.tokens_in, tokens_out = b.tokens_out + g.tokens_out
    from (
      select key_id, sum(paid)::bigint as paid, coalesce(sum(paid) filter (where live), 0)::bigint as paid_live,
             sum(amount)::bigint as released, coalesce(sum(amount) filter (where not live), 0)::bigint as older,
             (array_agg(paid order by place desc) filter (where counts))[1] as last_cost, count(*) filter (where counts) as requests,
             coalesce(sum(tokens_in) filter (where not free), 0)::bigint as tokens_in,
             coalesce(sum(tokens_out) filter (where not free), 0)::bigint as tokens_out
        from ended group by key_id
    ) g
   where b.key_id = g.key_id;

  if v_claimed then
    perform close_claims(v_now, v_paid, p_id, p_outcome, p_delivered, p_answer_status, p_answer_type, p_answer_body);
  end if;

  return query select q.place::int, 'settled', q.paid from unnest(v_paid) with ordinality q (paid, place) where q.paid is not null;
  if array_position(v_paid, null) is null then return; end if;
  return query
    select q.place::int,
           case when c.kind not in ('swept', 'voided')
                  and not exists (select from funding f where f.key_id = q.key_id and f.reference = '#void:' || q.id) then 'already'
                else 'fenced' end,
           c.amount
      from unnest(p_id, p_key, v_paid) with ordinality as q (id, key_id, paid, place)
      left join lateral (select * from charge where charge.hold_id = q.id limit 1) c on c.key_id = q.key_id
     where q.paid is null;
end
$$;

-- The same decision one by one, in order, for keys with a charge beyond its hold: what one gives back the next may draw on.
create function settle_exact(p_short uuid[], p_paid bigint[], p_id uuid[], p_key uuid[], p_outcome text[], p_charge bigint[])
returns bigint[] language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  r record;
  b balance;
  v_paid bigint;
begin
  for r in
    select q.key_id, q.place, q.outcome, q.charge, h.amount, h.period_no
      from unnest(p_paid, p_id, p_key, p_outcome, p_charge) with ordinality as q (paid, id, key_id, outcome, charge, place)
      cross join lateral (select * from hold where hold.id = q.id limit 1) h
     where q.paid is not null and q.key_id = any (p_short)
     order by q.key_id, q.place
  loop
    if b.key_id is distinct from r.key_id then
      select * into b from balance where key_id = r.key_id;
    end if;
    v_paid := p_paid[r.place];
    if r.period_no < b.period_no then
      b.older_held := b.older_held - r.amount;
    else
      if r.outcome not in ('upstream_failed', 'voided') then
        v_paid := least(r.charge, r.amount + b.posted - b.held);
      end if;
      b.used := b.used + v_paid;
    end if;
    b.held := b.held - r.amount;
    b.posted := case b.unit when 'credit' then b.posted - v_paid else greatest(b.budget - b.used + b.older_held, b.held) end;
    p_paid[r.place] := v_paid;
  end loop;
  return p_paid;
end
$$;

-- What becomes of the claims of requests that just ended. A claim is freed only when nothing was charged and nothing was
-- delivered: a second run after either would charge or answer twice.
create function close_claims(
  p_now timestamptz, p_paid bigint[], p_id uuid[], p_outcome text[], p_delivered boolean[], p_answer_status int[],
  p_answer_type text[], p_answer_body bytea[]
) returns void language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  delete from idempotency where hold_id = any (array(
    select q.id from unnest(p_paid, p_id, p_outcome, p_delivered, p_answer_body) as q (paid, id, outcome, delivered, body)
     where q.paid = 0 and q.body is null and q.outcome <> 'completed' and not coalesce(q.delivered, false)
  ));
  update idempotency c
     set state = case when q.body is not null then 'stored' when q.outcome = 'completed' then 'unavailable' else 'interrupted' end,
         status = case when q.body is not null then q.status end, content_type = case when q.body is not null then q.type end,
         body = q.body, expires_at = p_now + interval '24 hours'
    from unnest(p_paid, p_id, p_outcome, p_answer_status, p_answer_type, p_answer_body) as q (paid, id, outcome, status, type, body)
   where q.paid is not null and c.hold_id = q.id;
end
$$;

-- Gives back a charge of a key whose balance the caller has locked. Tokens come back only to the period they were taken from.
create function balance_refunded(p_key uuid, p_period_no bigint, p_amount bigint) returns void language sql as $$
  update balance
     set posted = case when unit = 'credit' then posted + p_amount
                       when period_no = p_period_no then greatest(budget - used + p_amount + older_held, held) else posted end,
         purchased = case unit when 'credit' then purchased + p_amount else purchased end,
         used = case when unit = 'tokens' and period_no = p_period_no then used - p_amount else used end
   where key_id = p_key
$$;

-- Undoes requests whose callers were told that they failed: an open hold is released, a charge is refunded, and an id that was
-- never seen is barred, because its admission may still be on the way.
create function void_v1(p_id uuid[], p_key uuid[]) returns table (place int, result text, refunded bigint) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  r record;
  c charge;
  u usage_record;
begin
  perform ledger_durable();
  perform from balance where key_id = any (p_key) order by key_id for no key update;
  perform from hold where id = any (p_id) order by id for update;
  v_now := ledger_now();

  for r in select q.*, b.bucket, b.period_no from unnest(p_id, p_key) with ordinality as q (id, key_id, place)
             left join balance b on b.key_id = q.key_id order by q.place
  loop
    place := r.place; result := 'voided'; refunded := 0;
    if exists (select from hold where id = r.id and key_id = r.key_id) then
      perform settle_v1(array[r.id], array[r.key_id], '{voided}', '{0}', null, null, null, null, null, null, null, null, null,
                        null, null, null, null, null);
      return next;
      continue;
    end if;
    select * into c from charge where hold_id = r.id;
    if not found then
      if r.bucket is not null then
        insert into charge (hold_id, bucket, key_id, granted, amount, kind, period_no, at)
        values (r.id, r.bucket, r.key_id, 0, 0, 'voided', r.period_no, v_now);
      end if;
    elsif c.kind = 'voided' or c.key_id <> r.key_id then
      result := 'already';
    else
      select amount into refunded from funding where key_id = r.key_id and reference = '#void:' || r.id;
      if found then
        result := 'already';
      else
        refunded := c.amount - (select coalesce(sum(amount), 0) from funding where about = r.id);
        insert into funding (key_id, reference, bucket, kind, amount, period_no, about, actor, at)
        values (r.key_id, '#void:' || r.id, c.bucket, 'refund', refunded, c.period_no, r.id, 'ledger', v_now);
        perform balance_refunded(r.key_id, c.period_no, refunded);
        update balance set requests = requests - (c.kind in ('completed', 'timed_out', 'upstream_failed'))::int,
                           tokens_in = tokens_in - c.tokens_in, tokens_out = tokens_out - c.tokens_out
         where key_id = r.key_id;
        delete from usage_record where key_id = r.key_id and id = r.id returning * into u;
        if found then
          update usage_rollup set requests = requests - 1, cost = cost - u.cost, tokens_in = tokens_in - u.tokens_in,
                                  tokens_out = tokens_out - u.tokens_out
           where key_id = u.key_id and hour = date_trunc('hour', u.at, 'UTC') and model = u.model and outcome = u.outcome;
        end if;
        delete from idempotency where hold_id = r.id;
      end if;
    end if;
    return next;
  end loop;
end
$$;

-- Books a request to the house, once per id. A key whose write-offs of the last hour exceed the cap (null: none) is suspended;
-- answers whether this call did so. The key is locked before its balance, as by everyone who changes a key: its triggers lock
-- the balance afterwards.
create function write_off_v1(p_id uuid, p_key uuid, p_amount bigint, p_cap bigint) returns boolean language plpgsql as $$
declare
  k key;
  v_now timestamptz;
begin
  if p_cap <= 0 then raise exception 'no such cap' using errcode = 'invalid_parameter_value'; end if;
  perform ledger_durable();
  perform from key where id = p_key for no key update;
  if not found then return false; end if;
  select * into k from key where id = p_key;
  v_now := ledger_now();
  insert into house (hold_id, bucket, key_id, kind, amount, at) values (p_id, k.bucket, p_key, 'write_off', p_amount, v_now)
  on conflict do nothing;
  if not found or k.status <> 'active' or p_cap is null
     or (select sum(amount) from house where kind = 'write_off' and key_id = p_key and at > v_now - interval '1 hour') <= p_cap then
    return false;
  end if;
  update key set status = 'suspended' where id = p_key;
  return true;
end
$$;

-- Answers the ids that are no longer open. It does not wait for the disk: a checkpoint lost in a crash of the server means that
-- a request which is swept afterwards pays for a little less than it delivered.
create function checkpoint_v1(p_id uuid[], p_seq int[], p_cost bigint[], p_in bigint[], p_out bigint[], p_delivered boolean[])
returns setof uuid language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform from hold where id = any (p_id) order by id for no key update;
  -- Content once delivered stays delivered, whatever the order in which checkpoints arrive.
  update hold h
     set content_delivered = h.content_delivered or q.any_delivered, checkpoint_seq = greatest(h.checkpoint_seq, q.seq),
         checkpoint_cost = case when q.seq > h.checkpoint_seq then q.cost else h.checkpoint_cost end,
         checkpoint_in = case when q.seq > h.checkpoint_seq then q.tokens_in else h.checkpoint_in end,
         checkpoint_out = case when q.seq > h.checkpoint_seq then q.tokens_out else h.checkpoint_out end
    from (
      select distinct on (id) *, bool_or(delivered) over (partition by id) as any_delivered
        from unnest(p_id, p_seq, p_cost, p_in, p_out, p_delivered)
             with ordinality as q (id, seq, cost, tokens_in, tokens_out, delivered, place)
       order by id, seq desc, place
    ) q
   where h.id = q.id;
  return query select q.id from unnest(p_id) q (id) where not exists (select from hold h where h.id = q.id);
end
$$;

create function heartbeat_v1(p_process uuid) returns timestamptz language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into process (id, renewing_since, lease_until) values (p_process, v_now, v_now + interval '15 seconds')
  on conflict (id) do update
     set renewing_since = case when process.lease_until < v_now then v_now else process.renewing_since end,
         lease_until = excluded.lease_until;
  return v_now + interval '15 seconds';
end
$$;

-- Ends, at their last checkpoint, holds whose process lost its lease or whose deadline is past. It does nothing until a full
-- lease has gone by since the server started and since the sweeper began to renew its own: in an outage nobody could renew,
-- and that is not the death of every process. It also removes claims that expired and processes long gone.
create function sweep_v1(p_sweeper uuid, p_limit int) returns table (id uuid, key_id uuid, charged bigint) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := ledger_now();
  v_id uuid[];
  v_key uuid[];
  s_id uuid[];
  s_key uuid[];
  s_cost bigint[];
  s_in bigint[];
  s_out bigint[];
  s_delivered boolean[];
begin
  if v_now < ledger_server_start() + interval '15 seconds'
     or not exists (select from process where id = p_sweeper and lease_until >= v_now and v_now >= renewing_since + interval '15 seconds') then
    return;
  end if;
  delete from process where lease_until < v_now - interval '1 day';
  delete from idempotency where ctid = any (array(select ctid from idempotency where expires_at <= v_now limit p_limit));

  select array_agg(x.id), array_agg(x.key_id) into v_id, v_key from (
    select h.id, h.key_id from hold h left join process p on p.id = h.process_id
     where p.id is null or p.lease_until < v_now or h.deadline < v_now order by h.id limit p_limit
  ) x;
  if v_id is null then return; end if;
  perform from balance where key_id = any (v_key) order by key_id for no key update;
  perform from hold where id = any (v_id) order by id for update;
  -- In the order of their ids: where charges exceed their holds, the first to come draws on what is free.
  select array_agg(h.id order by h.id), array_agg(h.key_id order by h.id), array_agg(h.checkpoint_cost order by h.id),
         array_agg(h.checkpoint_in order by h.id), array_agg(h.checkpoint_out order by h.id), array_agg(h.content_delivered order by h.id)
    into s_id, s_key, s_cost, s_in, s_out, s_delivered
    from hold h left join process p on p.id = h.process_id
   where h.id = any (v_id) and (p.id is null or p.lease_until < v_now or h.deadline < v_now);
  if s_id is null then return; end if;
  return query
    select s_id[s.place], s_key[s.place], s.charged
      from settle_v1(s_id, s_key, array_fill('swept'::text, array[cardinality(s_id)]), s_cost, s_in, s_out, null, null, null,
                     s_delivered, null, null, null, null, null, null, null, null) s
     where s.result = 'settled';
end
$$;
