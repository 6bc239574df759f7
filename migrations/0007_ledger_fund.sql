-- Why: money in, the amounts of limits, refunds, and the summary that a caller reads.
-- Locks: none on tables; it creates functions.

-- Whether a reference is new (null), repeats what it did before, or is used for something else: a payment, for another counter.
create function funding_met(p_counter int, p_reference text, p_kind text, p_amount bigint, p_period text) returns text language sql stable as $$
  select coalesce(
    (select case when kind = p_kind and amount = p_amount and period is not distinct from p_period then 'already' else 'reference_reuse' end
       from funding where counter = p_counter and reference = p_reference),
    (select 'reference_reuse' where p_kind = 'purchase' and exists (select from funding where reference = p_reference and kind = 'purchase'))
  )
$$;

-- Locks a counter wherever it is kept, with the balance of its key where it has one, begins its period if that is due, and answers the instant.
create function counter_locked(p_counter int) returns timestamptz language plpgsql as $$
declare
  v_key uuid := (select key_id from balance where counter = p_counter);
begin
  if v_key is not null then return locked(array[v_key], '{}'); end if;
  return locked('{}', array[p_counter]);
end
$$;

-- Purchases, grants and adjustments of a purse, once per reference. Of two calls that book one payment to two purses at once the second waits
-- for the first.
create function fund_v1(p_counter int, p_reference text, p_kind text, p_amount bigint, p_actor text) returns text language plpgsql as $$
declare
  c record;
  v_met text;
  v_now timestamptz;
begin
  if p_reference like '#%' or p_kind not in ('purchase', 'grant', 'adjust') or p_amount = 0 or (p_amount < 0 and p_kind <> 'adjust') then
    raise exception 'no such funding' using errcode = 'invalid_parameter_value';
  end if;
  perform ledger_ready();
  v_now := counter_locked(p_counter);
  select * into c from counter_anywhere where id = p_counter and closed_at is null;
  if not found then return 'unknown_counter'; end if;
  v_met := funding_met(p_counter, p_reference, p_kind, p_amount, null);
  if v_met is not null then return v_met; end if;
  if c.kind <> 'purse' then return 'not_a_purse'; end if;
  if c.posted + p_amount < c.held then return 'reserved'; end if;
  begin
    insert into funding (counter, reference, seq, kind, amount, period_no, actor, at)
    values (p_counter, p_reference, c.fundings + 1, p_kind, p_amount, c.period_no, p_actor, v_now);
  exception when unique_violation then
    get stacked diagnostics v_met = constraint_name;
    if v_met <> 'funding_payment' then raise; end if;
    return 'reference_reuse';
  end;
  if c.own then
    update balance set posted = posted + p_amount, funded = funded + p_amount, fundings = fundings + 1,
           revision = revision + (p_amount > 0)::int
     where counter = p_counter;
  else
    update counter set posted = posted + p_amount, funded = funded + p_amount, fundings = fundings + 1,
           revision = revision + (p_amount > 0)::int
     where id = p_counter;
  end if;
  -- What was paid in arms the thresholds of the purse anew; what is taken out may pass one.
  if p_amount > 0 then perform thresholds_set(array[p_counter]); else perform thresholds_passed(array[p_counter], v_now); end if;
  return 'funded';
end
$$;

-- Sets the amount of a limit, from now on and in this period. A cut below what is used or held leaves what is held. Another kind of period
-- begins when the present one ends, and the present one ends with the new kind.
create function limit_v1(p_counter int, p_reference text, p_amount bigint, p_period text, p_actor text) returns text language plpgsql as $$
declare
  c record;
  v_met text;
  v_now timestamptz;
begin
  if p_reference like '#%' then raise exception 'no such funding' using errcode = 'invalid_parameter_value'; end if;
  perform ledger_ready();
  v_now := counter_locked(p_counter);
  select * into c from counter_anywhere where id = p_counter and closed_at is null;
  if not found then return 'unknown_counter'; end if;
  v_met := funding_met(p_counter, p_reference, 'limit', p_amount, p_period);
  if v_met is not null then return v_met; end if;
  if c.kind <> 'limit' then return 'not_a_limit'; end if;
  insert into funding (counter, reference, seq, kind, amount, period_no, period, actor, at)
  values (p_counter, p_reference, c.fundings + 1, 'limit', p_amount, c.period_no, p_period, p_actor, v_now);
  if c.own then
    update balance
       set amount = p_amount, period = p_period, period_ends_at = period_end(p_period, v_now), fundings = fundings + 1,
           revision = revision + (amount <> p_amount)::int,
           posted = greatest(p_amount + refunded - used + older_held, held)
     where counter = p_counter;
  else
    update counter
       set amount = p_amount, period = p_period, period_ends_at = period_end(p_period, v_now), fundings = fundings + 1,
           revision = revision + (amount <> p_amount)::int,
           posted = greatest(p_amount + refunded - used + older_held, held)
     where id = p_counter;
  end if;
  perform thresholds_set(array[p_counter]);
  perform thresholds_passed(array[p_counter], v_now);
  return 'funded';
end
$$;

-- Gives back what was charged, in part or whole, once per reference.
create function refund_v1(p_key uuid, p_reference text, p_id uuid, p_credits bigint, p_tokens bigint, p_actor text) returns text
language plpgsql as $$
declare
  b balance;
  c charge;
  f refund;
  v_now timestamptz;
  v_left record;
begin
  if p_reference like '#%' or coalesce(p_credits, 0) < 0 or coalesce(p_tokens, 0) < 0 or coalesce(p_credits, 0) + coalesce(p_tokens, 0) = 0 then
    raise exception 'no such refund' using errcode = 'invalid_parameter_value';
  end if;
  perform ledger_ready();
  v_now := locked(array[p_key], counters_of(array[p_id]));
  select * into b from balance where key_id = p_key;
  if not found then return 'unknown_key'; end if;
  select * into f from refund where key_no = b.key_no and reference = p_reference;
  if found then
    return case when f.hold_id = p_id and coalesce(f.credits, 0) = coalesce(p_credits, 0) and coalesce(f.tokens, 0) = coalesce(p_tokens, 0)
                then 'already' else 'reference_reuse' end;
  end if;
  select * into c from charge where hold_id = p_id and key_no = b.key_no;
  if not found then return 'refused'; end if;
  select * into v_left from left_of(c);
  if coalesce(p_credits, 0) > coalesce(v_left.credits, 0) or coalesce(p_tokens, 0) > coalesce(v_left.tokens, 0) then return 'refused'; end if;
  insert into refund (hold_id, reference, kind, key_no, chain, credits, tokens, actor, at)
  values (p_id, p_reference, 'refund', b.key_no, c.chain, p_credits, p_tokens, p_actor, v_now);
  perform given_back(c, 'refund', p_credits, p_tokens);
  return 'funded';
end
$$;

-- Writes nothing: a period or a day that has ended is shown as ended. `counters` are those of the key's chain, its own first and then from the
-- account next to it up to the root; amounts in them are text, which no double rounds.
create function usage_v1(p_key uuid) returns table (
  mode_unit text, spent bigint, today_spend bigint, last_cost bigint, requests bigint, tokens_in bigint, tokens_out bigint, counters jsonb
) language sql volatile as $$
  select b.mode_unit, b.spent, case when b.today = (t.now at time zone 'UTC')::date then b.today_spend else 0 end, b.last_cost, b.requests,
         b.tokens_in, b.tokens_out,
         (select coalesce(jsonb_agg(jsonb_build_object(
                   'id', c.id, 'own', c.own, 'account', a.id, 'holder', a.name, 'kind', c.kind, 'unit', c.unit, 'models', c.models,
                   'amount', c.amount::text, 'period', c.period,
                   'posted', (case when c.turned then c.amount else c.posted - c.older_held end)::text,
                   'held', (case when c.turned then 0 else c.held - c.older_held end)::text,
                   'used', (case when c.turned then 0 else c.used end)::text, 'funded', c.funded::text,
                   'refunded', (case when c.turned then 0 else c.refunded end)::text,
                   'renewsAt', nullif(case when c.turned then period_end(c.period, t.now) else c.period_ends_at end, 'infinity')
                 ) order by not c.own, c.key_id is null, cardinality(a.path) desc, c.id), '[]')
            from (select k.*, t.now >= k.period_ends_at as turned from counter_anywhere k
                   where k.id = b.counter or k.id = any (b.counters)) c
            left join account a on a.id = c.account_id)
    from balance b cross join lateral (select ledger_now() as now offset 0) t
   where b.key_id = p_key
$$;

-- The numbers of words, made for those that are new.
create function words_v1(p_words text[]) returns table (word text, no int) language plpgsql as $$
begin
  insert into word (word) select distinct w from unnest(p_words) w where not exists (select from word o where o.word = w) order by 1
  on conflict do nothing;
  return query select o.word, o.no from word o where o.word = any (p_words);
end
$$;

-- The chain of requests that only some counters see, because the models of the others do not match. Null: the key is of another version now.
create function chain_v1(p_key uuid, p_version bigint, p_counters int[]) returns int language plpgsql as $$
declare
  b balance;
begin
  select * into b from balance where key_id = p_key for share;
  if not found or b.version <> p_version then return null; end if;
  if not p_counters <@ coalesce(b.counters, '{}') then raise exception 'no such counter' using errcode = 'invalid_parameter_value'; end if;
  return chain_of(p_key, b.key_no, (select accounts from chain where id = b.chain), coalesce(b.counter, 0),
                  array(select distinct c from unnest(p_counters) c order by c));
end
$$;
