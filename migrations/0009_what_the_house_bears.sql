-- Why: what the operator bears for a key is booked where a request ends, in the batch that ends it, and never by a transaction of
-- its own: a thousand callers who leave at once must not keep others waiting. And what a provider's failure after content waives
-- has a bound per key and hour, past which it is charged.
-- Locks: `charge` and `house`, exclusively, for the moment in which their rules change; no row is looked at, since the new rules
-- allow more than the old ones did.

alter table charge
  drop constraint failure_is_free,
  add constraint void_is_free check (kind <> 'voided' or amount = 0) not valid;
alter table house
  drop constraint house_kind_check,
  add constraint house_kind_check check (kind in ('overrun', 'write_off', 'failed')) not valid;
drop index house_write_off;

-- What stands in `house` of a key, by the minute and for little more than an hour, so that the sum of an hour is one of sixty-one
-- rows however often a caller leaves. `caused` are overruns and write-offs, which a caller can bring about; `failed` is not held
-- against its key.
create table borne (
  key_id uuid not null,
  minute timestamptz not null,
  bucket bucket not null,
  caused amount not null,
  failed amount not null,
  primary key (key_id, minute)
) with (fillfactor = 50);

-- Books to the house, once per id and kind; the caller holds the lock of the balances. Answers, of the keys that caused some of
-- it, those that have caused more than their cap (null: none) within an hour and are active: by the first place among these.
create function house_booked(
  p_now timestamptz, p_place int[], p_id uuid[], p_key uuid[], p_bucket smallint[], p_kind text[], p_amount bigint[], p_cap bigint[]
) returns setof int language plpgsql as $$
declare
  v_minute timestamptz := date_trunc('minute', p_now, 'UTC');
begin
  insert into house (hold_id, bucket, key_id, kind, amount, at)
  select q.id, q.bucket, q.key_id, q.kind, q.amount, p_now
    from unnest(p_id, p_key, p_bucket, p_kind, p_amount) as q (id, key_id, bucket, kind, amount);
  delete from borne where key_id = any (p_key) and minute <= v_minute - interval '61 minutes';
  insert into borne as m (key_id, minute, bucket, caused, failed)
  select q.key_id, v_minute, q.bucket, coalesce(sum(q.amount) filter (where q.kind <> 'failed'), 0),
         coalesce(sum(q.amount) filter (where q.kind = 'failed'), 0)
    from unnest(p_key, p_bucket, p_kind, p_amount) as q (key_id, bucket, kind, amount)
   group by q.key_id, q.bucket order by q.key_id
  on conflict (key_id, minute) do update set caused = m.caused + excluded.caused, failed = m.failed + excluded.failed;
  return query
    select q.place from (
      select key_id, min(u.place) as place, min(u.cap) as cap from unnest(p_place, p_key, p_kind, p_cap) as u (place, key_id, kind, cap)
       where u.kind <> 'failed' group by key_id
    ) q
     where (select sum(m.caused) from borne m where m.key_id = q.key_id) > q.cap
       and exists (select from key k where k.id = q.key_id and k.status = 'active');
end
$$;

-- Which requests pay for what their provider's failure would waive, because their key has been given its cap for this hour: by
-- their order in `p_place`. In the order of the batch; what this batch absorbs before a request counts, too.
create function waivers_spent(
  p_now timestamptz, p_place int[], p_key uuid[], p_absorbed bigint[], p_waived bigint[], p_cap bigint[]
) returns int[] language plpgsql as $$
declare
  r record;
  v_key uuid;
  v_borne numeric;
  v_spent int[] := '{}';
begin
  for r in
    select p_key[i] as key_id, e, coalesce(p_absorbed[i], 0) as absorbed, coalesce(p_waived[i], 0) as waived, p_cap[i] as cap
      from unnest(p_place) with ordinality as q (i, e) where p_absorbed[i] > 0 or p_waived[i] > 0
     order by p_key[i], i
  loop
    if v_key is distinct from r.key_id then
      v_key := r.key_id;
      select coalesce(sum(m.caused + m.failed), 0) into v_borne from borne m
       where m.key_id = r.key_id and m.minute > date_trunc('minute', p_now, 'UTC') - interval '61 minutes';
    end if;
    if r.waived > 0 and v_borne + r.waived > r.cap then
      v_spent := v_spent || r.e::int;
    else
      v_borne := v_borne + r.waived;
    end if;
    v_borne := v_borne + r.absorbed;
  end loop;
  return v_spent;
end
$$;

-- A charge draws on its hold first and then on what nobody reserved; what neither covers is the house's. A hold of an earlier
-- token period gives nothing back to the present one and takes nothing from it. `absorbed` is the house's, too. `waived`, of a
-- request whose provider failed after content, is the house's while what the house bears of the key in an hour stays within the
-- cap, and is charged beyond it.
--
-- Those settled at the charge they came with share one row, at place 0, whose `charged` is their number; every other request
-- has a row of its own. A row `over_cap` is one more, at the place of a request whose key is to be suspended: not here, since a
-- key is locked before its balance.
create function settle_v2(
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

-- As before, with the charges in the order of `p_place`: one of them may be what a provider's failure would have waived.
create or replace function settle_exact(
  p_short uuid[], p_place int[], p_amount bigint[], p_period bigint[], p_free boolean[], p_paid bigint[], p_key uuid[], p_charge bigint[]
) returns bigint[] language plpgsql as $$
#variable_conflict use_column
declare
  r record;
  b balance;
begin
  for r in
    select p_key[i] as key_id, e, p_charge[e] as charge, p_amount[e] as amount, p_period[e] as period_no, p_free[e] as free
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

-- Suspends those of the keys that are active and answers which. A key is locked before its balance, as by everyone who changes a
-- key: its triggers lock the balance afterwards.
create function suspend_v1(p_key uuid[]) returns setof uuid language plpgsql as $$
begin
  perform ledger_durable();
  perform from key where id = any (p_key) order by id for no key update;
  return query update key set status = 'suspended' where id = any (p_key) and status = 'active' returning id;
end
$$;

-- Processes of the version before, voids and sweeps absorb and waive nothing.
create or replace function settle_v1(
  p_id uuid[], p_key uuid[], p_outcome text[], p_charge bigint[], p_in bigint[], p_out bigint[], p_cache_read bigint[],
  p_cache_write bigint[], p_reasoning bigint[], p_delivered boolean[], p_provider text[], p_status int[], p_first_byte_ms int[],
  p_took_ms int[], p_estimated boolean[], p_answer_status int[], p_answer_type text[], p_answer_body bytea[]
) returns table (place int, result text, charged bigint) language sql
as $$
  select * from settle_v2(p_id, p_key, p_outcome, p_charge, p_in, p_out, p_cache_read, p_cache_write, p_reasoning, p_delivered,
                          p_provider, p_status, p_first_byte_ms, p_took_ms, p_estimated, p_answer_status, p_answer_type, p_answer_body,
                          null, null, null)
$$;

-- For processes of the version before, which book by themselves what a caller left behind.
create or replace function write_off_v1(p_id uuid, p_key uuid, p_amount bigint, p_cap bigint) returns boolean language plpgsql as $$
declare
  k key;
begin
  if p_cap <= 0 then raise exception 'no such cap' using errcode = 'invalid_parameter_value'; end if;
  perform ledger_durable();
  perform from key where id = p_key for no key update;
  if not found then return false; end if;
  select * into k from key where id = p_key;
  perform from balance where key_id = p_key for no key update;
  if exists (select from house where hold_id = p_id and kind = 'write_off')
     or not exists (select from house_booked(ledger_now(), '{1}', array[p_id], array[p_key], array[k.bucket]::smallint[], '{write_off}',
                                              array[p_amount], array[p_cap])) then
    return false;
  end if;
  return exists (select from suspend_v1(array[p_key]));
end
$$;
