-- Why: what the operator bears is in the unit of its key, credits or tokens, and the two must not be added up. And a charge that is
-- given back because its caller was told of a failure is borne by the operator: its provider is paid all the same.
-- A database clock that is set back over midnight must not forget what the new day has spent.
-- Locks: `house`, exclusively, while every row of it gets its unit; `funding`, against new rows, while the voids in it are booked.

alter table house
  add column unit unit,
  drop constraint house_kind_check,
  add constraint house_kind_check check (kind in ('overrun', 'write_off', 'failed', 'voided')) not valid;
update house h set unit = b.unit from balance b where b.key_id = h.key_id;

create function house_has_unit() returns trigger language plpgsql as $$
begin
  new.unit := (select unit from balance where key_id = new.key_id);
  return new;
end
$$;
create trigger house_has_unit before insert on house for each row execute function house_has_unit();

-- It is our fault, so it is neither held against the key nor part of what its caps count.
create function house_bears_void() returns trigger language plpgsql as $$
begin
  insert into house (hold_id, bucket, key_id, kind, amount, at) values (new.about, new.bucket, new.key_id, 'voided', new.amount, new.at);
  return null;
end
$$;
create trigger house_bears_void after insert on funding for each row
  when (new.kind = 'refund' and new.reference = '#void:' || new.about and new.amount > 0) execute function house_bears_void();

-- Those from before.
insert into house (hold_id, bucket, key_id, kind, amount, at)
select about, bucket, key_id, 'voided', amount, at from funding
 where kind = 'refund' and reference = '#void:' || about and amount > 0;

-- As before, but when the clock is set back over midnight the day that has begun stays the one that `today_spend` is of: what is
-- charged then is of the day before, as its charge says. A day that is not to begin within an hour is no day, and is not kept.
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
  v_soon date;
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
  v_soon := ((v_now + interval '1 hour') at time zone 'UTC')::date;

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
         today = case when b.today between v_day + 1 and v_soon then b.today else v_day end,
         today_spend = case when b.today between v_day + 1 and v_soon then b.today_spend
                            when b.today = v_day then b.today_spend + g.paid else g.paid end,
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
