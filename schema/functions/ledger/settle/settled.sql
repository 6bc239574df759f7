-- A charge draws on its hold first and then on what nobody reserved, equally in every counter of its unit; what these do not cover is the
-- house's. A hold of an earlier period gives nothing back to the present one and takes nothing from it. `absorbed` is the house's, too.
-- `waived`, of a request whose provider failed after content or whose client left before the provider responded, is the house's while what the
-- house bears of the payer in an hour stays within the cap, and is charged beyond it. Charges beyond their holds come after the others of the
-- batch, one by one.
--
-- Those settled at the price they came with share one row, at place 0, whose `credits` is their number; every other request has a row of its
-- own. A row `over_cap` is one more, at the place of a request whose key is to be suspended: not here, since a key is locked before its
-- balance.
create or replace function settled(
  p_now timestamptz, p_id uuid[], p_key uuid[], p_kind smallint[], p_credits bigint[], p_tokens bigint[], p_input int[], p_cache_read int[],
  p_cache_write int[], p_cache_write_1h int[], p_output int[], p_reasoning int[], p_tools jsonb[], p_delivered boolean[], p_provider int[],
  p_status int[], p_first_byte_ms int[], p_took_ms int[], p_estimated boolean[], p_digest bytea[], p_answer_status int[], p_answer_type text[],
  p_answer_body bytea[], p_absorbed_credits bigint[], p_absorbed_tokens bigint[], p_waived_credits bigint[], p_waived_tokens bigint[],
  p_cap bigint[], p_served int[], p_more jsonb[]
) returns setof answer language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_day date := (p_now at time zone 'UTC')::date;
  v_soon date := ((p_now + interval '1 hour') at time zone 'UTC')::date;
  -- The places of requests that end here, and by their order: their holds, what they cost and what is paid.
  v_place int[];
  v_admitted timestamptz[];
  v_key_no int[];
  v_chain int[];
  -- Each counter of each of them: the order times 2^32, plus the counter.
  v_links bigint[];
  v_granted_credits bigint[];
  v_granted_tokens bigint[];
  v_model int[];
  v_price int[];
  v_free boolean[];
  v_cost_credits bigint[];
  v_cost_tokens bigint[];
  v_paid_credits bigint[];
  v_paid_tokens bigint[];
  v_claimed boolean;
  v_sane boolean;
  v_as_asked bigint;
  -- Whether something is absorbed or waived.
  v_borne boolean;
  -- Those with a charge beyond its hold, and those that a round ends.
  v_short int[];
  v_round int[];
  v_at int;
  v_rest record;
  v_fired int[];
  v_fired_too int[];
  a answer;
begin
  -- The hold is the right to charge: whoever deletes it writes the charge. In the order of ids, as checkpoints lock them; of
  -- two ends of one id in a batch the first is taken.
  with ended as (
    delete from hold h
     using (select p_id[i] as id, p_key[i] as key_id, i from generate_series(1, cardinality(p_id)) i order by 1, 3) q
     where h.id = q.id and h.key_id = q.key_id
    returning q.i, h.admitted_at, h.key_no, h.chain, h.counters, h.credits, h.tokens, h.model, h.price_version, h.claimed,
              p_kind[q.i] in (3, 6) or p_kind[q.i] = 2 and coalesce(p_waived_credits[q.i], 0) + coalesce(p_waived_tokens[q.i], 0) > 0 as free,
              case when h.credits is not null then p_credits[q.i] end as cost_credits,
              case when h.tokens is not null then p_tokens[q.i] end as cost_tokens
  )
  select array_agg(i), array_agg(admitted_at), array_agg(key_no), array_agg(chain), array_agg(credits),
         array_agg(tokens), array_agg(model), array_agg(price_version), array_agg(free), array_agg(cost_credits), array_agg(cost_tokens),
         array_agg(case when free and credits is not null then 0 else least(cost_credits, credits) end),
         array_agg(case when free and tokens is not null then 0 else least(cost_tokens, tokens) end),
         bool_or(claimed),
         array(select (l.e << 32) + u.id from (select counters, row_number() over (order by i) as e from ended) l cross join unnest(l.counters) u (id)),
         bool_and((coalesce(cost_credits, -(credits is not null)::int) >= 0 and coalesce(cost_tokens, -(tokens is not null)::int) >= 0
                   and coalesce(p_absorbed_credits[i], 0) >= 0 and coalesce(p_absorbed_tokens[i], 0) >= 0
                   and coalesce(p_waived_credits[i], 0) >= 0 and coalesce(p_waived_tokens[i], 0) >= 0 and coalesce(p_cap[i], 1) > 0) is true),
         count(*) filter (where (cost_credits > credits or cost_tokens > tokens) is not true
                            and (not free or coalesce(cost_credits, 0) + coalesce(cost_tokens, 0) = 0)),
         bool_or((p_absorbed_credits[i] > 0 or p_absorbed_tokens[i] > 0 or p_waived_credits[i] > 0 or p_waived_tokens[i] > 0) is true)
    into v_place, v_admitted, v_key_no, v_chain, v_granted_credits, v_granted_tokens, v_model, v_price, v_free, v_cost_credits,
         v_cost_tokens, v_paid_credits, v_paid_tokens, v_claimed, v_links, v_sane, v_as_asked, v_borne
    from (select * from ended order by i) e;
  if not v_sane then
    raise exception 'neither a price nor what the house bears can be negative or missing, and a cap is above 0'
      using errcode = 'invalid_parameter_value';
  end if;
  if v_borne then
    if exists (select from unnest(v_place) i where p_waived_credits[i] > 0 or p_waived_tokens[i] > 0) then
      -- All that may be booked below: who takes some of them first and others later may wait for one that does the same.
      perform bearers_locked(p_now, array(
        select p_key[i] from unnest(v_place) with ordinality as q (i, e)
         where p_absorbed_credits[i] > 0 or p_absorbed_tokens[i] > 0 or p_waived_credits[i] > 0 or p_waived_tokens[i] > 0
            or v_cost_credits[e] > v_granted_credits[e] or v_cost_tokens[e] > v_granted_tokens[e]
      ));
    end if;
    foreach v_at in array waivers_spent(
      p_now, v_place, p_key,
      array(select case mode_unit when 'credit' then p_absorbed_credits[i] else p_absorbed_tokens[i] end
              from generate_series(1, cardinality(p_id)) i left join balance on key_id = p_key[i] order by i),
      array(select case when p_kind[i] in (2, 3) then case mode_unit when 'credit' then p_waived_credits[i] else p_waived_tokens[i] end end
              from generate_series(1, cardinality(p_id)) i left join balance on key_id = p_key[i] order by i),
      p_cap
    ) loop
      v_free[v_at] := false;
      if v_granted_credits[v_at] is not null then v_cost_credits[v_at] := coalesce(p_waived_credits[v_place[v_at]], 0); end if;
      if v_granted_tokens[v_at] is not null then v_cost_tokens[v_at] := coalesce(p_waived_tokens[v_place[v_at]], 0); end if;
      v_paid_credits[v_at] := least(v_cost_credits[v_at], v_granted_credits[v_at]);
      v_paid_tokens[v_at] := least(v_cost_tokens[v_at], v_granted_tokens[v_at]);
      v_as_asked := -1;
    end loop;
  end if;
  v_short := array(
    select e::int from unnest(v_cost_credits, v_granted_credits, v_cost_tokens, v_granted_tokens, v_free)
                  with ordinality as q (cost_credits, credits, cost_tokens, tokens, free, e)
     where not free and (cost_credits > credits or cost_tokens > tokens) order by e
  );
  v_round := case when v_short = '{}' then array(select generate_series(1, cardinality(v_place)))
                  else array(select e from generate_series(1, cardinality(v_place)) e where e <> all (v_short)) end;

  for v_at in 0 .. cardinality(v_short) loop
    if v_at > 0 then
      v_round := array[v_short[v_at]];
      select * into v_rest
        from free_of(p_key[v_place[v_short[v_at]]], array(select (l & 4294967295)::int from unnest(v_links) l where l >> 32 = v_short[v_at]),
                     v_admitted[v_short[v_at]]);
      v_paid_credits[v_short[v_at]] := least(v_cost_credits[v_short[v_at]], v_granted_credits[v_short[v_at]] + v_rest.credits);
      v_paid_tokens[v_short[v_at]] := least(v_cost_tokens[v_short[v_at]], v_granted_tokens[v_short[v_at]] + v_rest.tokens);
    end if;
    continue when v_round = '{}';

    insert into charge (hold_id, admitted_at, at, granted_credits, granted_tokens, credits, tokens, key_no, chain, model, price_version, input,
                        cache_read, cache_write, cache_write_1h, output, reasoning, took_ms, first_byte_ms, provider, status, kind, estimated,
                        reported, tools, digest, served, more)
    select p_id[i], v_admitted[e], p_now, v_granted_credits[e], v_granted_tokens[e], v_paid_credits[e], v_paid_tokens[e], v_key_no[e],
           v_chain[e], v_model[e], v_price[e], coalesce(p_input[u], 0), nullif(p_cache_read[u], 0), nullif(p_cache_write[u], 0),
           nullif(p_cache_write_1h[u], 0), coalesce(p_output[u], 0), nullif(p_reasoning[u], 0), p_took_ms[i], p_first_byte_ms[i],
           p_provider[i], p_status[i], p_kind[i], coalesce(p_estimated[i], p_kind[i] = 5), p_kind[i] in (1, 3, 4) and p_provider[i] is not null,
           p_tools[u], p_digest[i], p_served[i], p_more[u]
      from (select e, v_place[e] as i, case when not v_free[e] or p_kind[v_place[e]] <> 2 then v_place[e] end as u from unnest(v_round) e) q;

    with moved as (
      update balance b
         set posted = case b.kind when 'purse' then b.posted - o.paid
                                  when 'limit' then greatest(b.amount + b.refunded - b.used - o.paid + o.paid_older + b.older_held - o.older, b.held - o.released)
                                  else 0 end,
             held = b.held - o.released, older_held = b.older_held - o.older, used = b.used + o.paid - o.paid_older,
             spent = b.spent + g.credits,
             today = case when b.today between v_day + 1 and v_soon then b.today else v_day end,
             today_spend = case when b.today between v_day + 1 and v_soon then b.today_spend
                                when b.today = v_day then b.today_spend + o.spend else o.spend end,
             last_cost = case when g.last is null then b.last_cost
                              else coalesce(case b.mode_unit when 'credit' then v_paid_credits[g.last] else v_paid_tokens[g.last] end, 0) end,
             requests = b.requests + g.requests, tokens_in = b.tokens_in + g.tokens_in, tokens_out = b.tokens_out + g.tokens_out
        from (
          select p_key[q.i] as key_id, min(v_admitted[q.e]) as first, coalesce(sum(v_paid_credits[q.e]), 0)::bigint as credits,
                 coalesce(sum(v_paid_tokens[q.e]), 0)::bigint as tokens, coalesce(sum(v_granted_credits[q.e]), 0)::bigint as granted_credits,
                 coalesce(sum(v_granted_tokens[q.e]), 0)::bigint as granted_tokens, max(q.e) filter (where p_kind[q.i] in (1, 3, 4)) as last,
                 count(*) filter (where p_kind[q.i] in (1, 3, 4)) as requests,
                 coalesce(sum(p_input[q.u]) filter (where p_kind[q.i] not in (3, 6) or v_paid_credits[q.e] > 0 or v_paid_tokens[q.e] > 0), 0)::bigint as tokens_in,
                 coalesce(sum(p_output[q.u]) filter (where p_kind[q.i] not in (3, 6) or v_paid_credits[q.e] > 0 or v_paid_tokens[q.e] > 0), 0)::bigint as tokens_out
            from (select e, v_place[e] as i, case when not v_free[e] or p_kind[v_place[e]] <> 2 then v_place[e] end as u from unnest(v_round) e) q
           group by 1
        ) g
        cross join lateral (select * from balance where key_id = g.key_id limit 1) k
        cross join lateral (
          select case k.unit when 'credit' then g.credits when 'tokens' then g.tokens else 0 end as paid,
                 case k.unit when 'credit' then g.granted_credits when 'tokens' then g.granted_tokens else 0 end as released,
                 case k.mode_unit when 'credit' then g.credits else g.tokens end as spend, coalesce(x.paid, 0) as paid_older,
                 coalesce(x.released, 0) as older
            from (select) one
            left join lateral (
              -- Of those that were admitted before the present period.
              select sum(case k.unit when 'credit' then v_paid_credits[e] else v_paid_tokens[e] end)::bigint as paid,
                     sum(case k.unit when 'credit' then v_granted_credits[e] else v_granted_tokens[e] end)::bigint as released
                from unnest(v_round) e where p_key[v_place[e]] = g.key_id and v_admitted[e] < k.period_from
            ) x on g.first < k.period_from and k.counter is not null
        ) o
       where b.key_id = g.key_id
      returning b.counter, case b.kind when 'limit' then b.used - b.refunded >= b.due else b.posted <= b.due end as fires
    )
    select array_agg(counter) filter (where fires) into v_fired from moved;

    if v_links <> '{}' then
      with moved as (
        update counter c
           set posted = case c.kind when 'purse' then c.posted - o.paid
                                    else greatest(c.amount + c.refunded - c.used - o.paid + o.paid_older + c.older_held - o.older, c.held - o.released) end,
               held = c.held - o.released, older_held = c.older_held - o.older, used = c.used + o.paid - o.paid_older
          from (
            select l.id, min(v_admitted[l.e]) as first, sum(v_paid_credits[l.e])::bigint as credits, sum(v_paid_tokens[l.e])::bigint as tokens,
                   sum(v_granted_credits[l.e])::bigint as granted_credits, sum(v_granted_tokens[l.e])::bigint as granted_tokens
              from (select (l >> 32)::int as e, (l & 4294967295)::int as id from unnest(v_links) l) l
             where v_short = '{}' or l.e = any (v_round) group by l.id
          ) g
          cross join lateral (select * from counter where id = g.id limit 1) k
          cross join lateral (
            select case k.unit when 'credit' then g.credits else g.tokens end as paid,
                   case k.unit when 'credit' then g.granted_credits else g.granted_tokens end as released,
                   coalesce(x.paid, 0) as paid_older, coalesce(x.released, 0) as older
              from (select) one
              left join lateral (
                select sum(case k.unit when 'credit' then v_paid_credits[l >> 32] else v_paid_tokens[l >> 32] end)::bigint as paid,
                       sum(case k.unit when 'credit' then v_granted_credits[l >> 32] else v_granted_tokens[l >> 32] end)::bigint as released
                  from unnest(v_links) l
                 where l & 4294967295 = g.id and (v_short = '{}' or (l >> 32)::int = any (v_round)) and v_admitted[l >> 32] < k.period_from
              ) x on g.first < k.period_from
          ) o
         where c.id = g.id
        returning c.id, case c.kind when 'limit' then c.used - c.refunded >= c.due else c.posted <= c.due end as fires
      )
      select array_agg(id) filter (where fires) into v_fired_too from moved;
    end if;
    if v_fired is not null or v_fired_too is not null then
      perform thresholds_passed(coalesce(v_fired, '{}') || coalesce(v_fired_too, '{}'), p_now);
    end if;
  end loop;

  if v_short <> '{}' or v_borne then
    return query
      select 's', h.over, 'over_cap', null::bigint, null::bigint, null::bigint, null::bigint, null::bigint, null::bigint, null::bigint, null::int,
             null::bigint, null::bigint, null::bigint, null::text, null::text, null::text, null::timestamptz, null::text
        from (
        select array_agg(i) as place, array_agg(p_id[i]) as id, array_agg(p_key[i]) as key_id, array_agg(b.kind) as kind,
               array_agg(b.unit) as unit, array_agg(b.amount) as amount, array_agg(p_cap[i]) as cap
          from unnest(v_place) with ordinality as q (i, e)
          cross join lateral (values
            ('overrun', 'credit', case when not v_free[e] then v_cost_credits[e] - v_paid_credits[e] end),
            ('overrun', 'tokens', case when not v_free[e] then v_cost_tokens[e] - v_paid_tokens[e] end),
            ('write_off', 'credit', case when v_granted_credits[e] is not null then p_absorbed_credits[i] end),
            ('write_off', 'tokens', case when v_granted_tokens[e] is not null then p_absorbed_tokens[i] end),
            ('failed', 'credit', case when v_free[e] and p_kind[i] in (2, 3) and v_granted_credits[e] is not null then p_waived_credits[i] end),
            ('failed', 'tokens', case when v_free[e] and p_kind[i] in (2, 3) and v_granted_tokens[e] is not null then p_waived_tokens[i] end)
          ) as b (kind, unit, amount)
         where b.amount > 0
      ) t cross join lateral house_booked(p_now, t.place, t.id, t.key_id, t.kind, t.unit, t.amount, t.cap) as h (over)
       where t.place is not null;
  end if;

  if v_claimed then
    perform close_claims(p_now, v_place, array(select coalesce(c, 0) + coalesce(t, 0) > 0 from unnest(v_paid_credits, v_paid_tokens) as q (c, t)),
                         p_id, p_kind, p_delivered, p_answer_status, p_answer_type, p_answer_body);
  end if;

  a.part := 's';
  a.place := 0;
  a.verdict := 'settled';
  if v_as_asked = cardinality(p_id) then
    a.credits := v_as_asked;
    return next a;
    return;
  end if;
  for a.place, a.credits, a.tokens in
    select case when (credits is not distinct from cost_credits and tokens is not distinct from cost_tokens) then 0 else i end, credits, tokens
      from unnest(v_place, v_paid_credits, v_paid_tokens) with ordinality as q (i, credits, tokens, e)
      cross join lateral (select case when v_granted_credits[e] is not null then p_credits[i] end as cost_credits,
                                 case when v_granted_tokens[e] is not null then p_tokens[i] end as cost_tokens) c
  loop
    if a.place = 0 then a.credits := 1; a.tokens := null; end if;
    return next a;
  end loop;
  if cardinality(v_place) = cardinality(p_id) then return; end if;
  for a.place, a.verdict, a.credits, a.tokens in
    select i, case when c.kind not in (5, 6) and not exists (select from refund f where f.hold_id = p_id[i] and f.kind = 'void') then 'already'
                   else 'fenced' end, c.credits, c.tokens
      from generate_series(1, cardinality(p_id)) i
      left join lateral (select ch.* from charge ch join balance b on b.key_no = ch.key_no and b.key_id = p_key[i]
                          where ch.hold_id = p_id[i] limit 1) c on true
     where i <> all (coalesce(v_place, '{}'))
  loop
    return next a;
  end loop;
end
$$;
