-- Why: the ends of a request (settle, void, sweep), its checkpoints, and the leases of processes.
-- Locks: none on tables; it creates functions.

-- A charge draws on its hold first and then on what nobody reserved; what neither covers is the house's. A hold of an earlier
-- token period gives nothing back to the present one and takes nothing from it.
--
-- Those settled at the charge they came with share one row, at place 0, whose `charged` is their number; every other request
-- has a row of its own.
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
  -- The places of requests that end here, and by their order: their holds, and what is paid.
  v_place int[];
  v_bucket smallint[];
  v_amount bigint[];
  v_period bigint[];
  v_model text[];
  v_price int[];
  v_free boolean[];
  v_paid bigint[];
  v_claimed boolean;
  v_sane boolean;
  v_as_asked bigint;
  -- The keys with a charge beyond its hold.
  v_short uuid[];
begin
  if current_setting('synchronous_commit') = 'off' then perform ledger_durable(); end if;
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
         array_agg(free), array_agg(case when free then 0 else least(charge, amount) end), bool_or(claimed),
         bool_and(charge >= 0 is true), array_agg(key_id) filter (where charge > amount),
         count(*) filter (where charge = 0 or charge <= amount and not free)
    into v_place, v_bucket, v_amount, v_period, v_model, v_price, v_free, v_paid, v_claimed, v_sane, v_short, v_as_asked
    from (select * from ended order by i) e;
  if not v_sane then
    raise exception 'a charge cannot be negative' using errcode = 'invalid_parameter_value';
  end if;
  if v_short is not null then
    v_paid := settle_exact(v_short, v_place, v_amount, v_period, v_free, v_paid, p_key, p_charge);
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
  if v_short is not null then
    insert into house (hold_id, bucket, key_id, kind, amount, at)
    select p_id[i], v_bucket[e], p_key[i], 'overrun', p_charge[i] - v_paid[e], v_now
      from unnest(v_place) with ordinality as q (i, e) where p_charge[i] > v_paid[e] and not v_free[e];
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

-- What is paid, decided one by one and in order, for keys with a charge beyond its hold: what one gives back the next may draw on.
create function settle_exact(
  p_short uuid[], p_place int[], p_amount bigint[], p_period bigint[], p_free boolean[], p_paid bigint[], p_key uuid[], p_charge bigint[]
) returns bigint[] language plpgsql as $$
#variable_conflict use_column
declare
  r record;
  b balance;
begin
  for r in
    select p_key[i] as key_id, e, p_charge[i] as charge, p_amount[e] as amount, p_period[e] as period_no, p_free[e] as free
      from unnest(p_place) with ordinality as q (i, e) where p_key[i] = any (p_short)
     order by p_key[i], i
  loop
    if b.key_id is distinct from r.key_id then
      select * into b from balance where key_id = r.key_id;
    end if;
    if r.period_no < b.period_no then
      b.older_held := b.older_held - r.amount;
    else
      if not r.free then
        p_paid[r.e] := least(r.charge, r.amount + b.posted - b.held);
      end if;
      b.used := b.used + p_paid[r.e];
    end if;
    b.held := b.held - r.amount;
    b.posted := case b.unit when 'credit' then b.posted - p_paid[r.e] else greatest(b.budget - b.used + b.older_held, b.held) end;
  end loop;
  return p_paid;
end
$$;

-- What becomes of the claims of requests that just ended. A claim is freed only when nothing was charged and nothing was
-- delivered: a second run after either would charge or answer twice.
create function close_claims(
  p_now timestamptz, p_place int[], p_paid bigint[], p_id uuid[], p_outcome text[], p_delivered boolean[], p_answer_status int[],
  p_answer_type text[], p_answer_body bytea[]
) returns void language plpgsql as $$
begin
  delete from idempotency where hold_id = any (array(
    select p_id[i] from unnest(p_place, p_paid) as q (i, paid)
     where q.paid = 0 and p_answer_body[i] is null and p_outcome[i] <> 'completed' and not coalesce(p_delivered[i], false)
  ));
  update idempotency c
     set state = case when q.body is not null then 'stored' when q.outcome = 'completed' then 'unavailable' else 'interrupted' end,
         status = case when q.body is not null then q.status end, content_type = case when q.body is not null then q.type end,
         body = q.body, expires_at = p_now + interval '24 hours'
    from (
      select p_id[i] as id, p_outcome[i] as outcome, p_answer_status[i] as status, p_answer_type[i] as type, p_answer_body[i] as body
        from unnest(p_place) i
    ) q
   where c.hold_id = q.id;
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
  perform settle_v1(s_id, s_key, array_fill('swept'::text, array[cardinality(s_id)]), s_cost, s_in, s_out, null, null, null,
                    s_delivered, null, null, null, null, null, null, null, null);
  return query select c.hold_id, c.key_id, c.amount::bigint from charge c where c.hold_id = any (s_id);
end
$$;
