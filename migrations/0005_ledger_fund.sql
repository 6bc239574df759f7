-- Why: money in, token budgets, the summary that a caller reads, and the duties that keep the tables small.
-- Locks: none on tables; it creates functions.

-- Whether a reference is new (null), repeats what it did before, or is used for something else.
create function funding_met(p_key uuid, p_reference text, p_kind text, p_amount bigint, p_about uuid) returns text language sql stable as $$
  select case when kind = p_kind and amount = p_amount and about is not distinct from p_about then 'already' else 'reference_reuse' end
    from funding where key_id = p_key and reference = p_reference
$$;

-- Purchases, grants, refunds of charges and adjustments, once per reference.
create function fund_v1(p_key uuid, p_reference text, p_kind text, p_amount bigint, p_about uuid, p_actor text) returns text
language plpgsql as $$
declare
  b balance;
  c charge;
  v_met text;
begin
  if p_reference like '#%' or p_kind not in ('purchase', 'grant', 'refund', 'adjust') or p_amount = 0
     or (p_amount < 0 and p_kind <> 'adjust') or (p_kind = 'refund') <> (p_about is not null) then
    raise exception 'no such funding' using errcode = 'invalid_parameter_value';
  end if;
  perform ledger_durable();
  perform from balance where key_id = p_key for no key update;
  if not found then return 'unknown_key'; end if;
  select * into b from balance where key_id = p_key;
  v_met := funding_met(p_key, p_reference, p_kind, p_amount, p_about);
  if v_met is not null then return v_met; end if;
  if p_kind = 'refund' then
    select * into c from charge where hold_id = p_about and key_id = p_key;
    if not found or p_amount > c.amount - (select coalesce(sum(amount), 0) from funding where about = p_about) then return 'refused'; end if;
    perform balance_refunded(p_key, c.period_no, p_amount);
  elsif b.unit <> 'credit' then
    return 'wrong_unit';
  elsif b.posted + p_amount < b.held then
    return 'reserved';
  else
    update balance set posted = posted + p_amount, purchased = purchased + p_amount where key_id = p_key;
  end if;
  insert into funding (key_id, reference, bucket, kind, amount, period_no, about, actor, at)
  values (p_key, p_reference, b.bucket, p_kind, p_amount, coalesce(c.period_no, b.period_no), p_about, p_actor, ledger_now());
  return 'funded';
end
$$;

-- Sets the budget of a token key, from now on and in this period. A cut below what is used or held leaves what is held.
create function budget_v1(p_key uuid, p_reference text, p_budget bigint, p_period text, p_actor text) returns text
language plpgsql as $$
declare
  b balance;
  v_met text;
  v_now timestamptz;
begin
  if p_reference like '#%' then raise exception 'no such funding' using errcode = 'invalid_parameter_value'; end if;
  perform ledger_durable();
  perform from balance where key_id = p_key for no key update;
  if not found then return 'unknown_key'; end if;
  v_now := ledger_now();
  v_met := funding_met(p_key, p_reference, 'budget', p_budget, null);
  if v_met is not null then return v_met; end if;
  select * into b from balance where key_id = p_key;
  if b.unit <> 'tokens' then return 'wrong_unit'; end if;
  perform balance_turned(p_key, v_now);
  update balance
     set budget = p_budget, period = p_period, period_ends_at = period_end(p_period, v_now),
         posted = greatest(p_budget - used + older_held, held)
   where key_id = p_key returning * into b;
  insert into funding (key_id, reference, bucket, kind, amount, period_no, actor, at)
  values (p_key, p_reference, b.bucket, 'budget', p_budget, b.period_no, p_actor, v_now);
  return 'funded';
end
$$;

-- Writes nothing: a period or a day that has ended is shown as ended.
create function usage_v1(p_key uuid) returns table (
  unit text, posted bigint, held bigint, purchased bigint, used bigint, budget bigint, period_ends_at timestamptz, today_spend bigint,
  last_cost bigint, requests bigint, tokens_in bigint, tokens_out bigint
) language sql volatile as $$
  select b.unit,
         case when t.turned then b.budget else b.posted - b.older_held end,
         case when t.turned then 0 else b.held - b.older_held end,
         b.purchased,
         case when t.turned then 0 else b.used end,
         b.budget,
         nullif(case when t.turned then period_end(b.period, t.now) else b.period_ends_at end, 'infinity'),
         case when b.today = (t.now at time zone 'UTC')::date then b.today_spend else 0 end,
         b.last_cost, b.requests, b.tokens_in, b.tokens_out
    from balance b
    cross join lateral (select n.now, n.now >= b.period_ends_at as turned from (select ledger_now() as now) n offset 0) t
   where b.key_id = p_key
$$;

-- Adds up the records of an hour anew, however often it is called. A background duty: in `settle_v1` it would cost every request
-- an upsert. A void of an hour already added up corrects it itself.
create function rollup_v1(p_hour timestamptz) returns bigint language plpgsql as $$
declare
  v_hour timestamptz := date_trunc('hour', p_hour, 'UTC');
  v_rows bigint;
begin
  insert into usage_rollup as r (key_id, hour, model, outcome, bucket, requests, cost, tokens_in, tokens_out)
  select key_id, v_hour, model, outcome, bucket, count(*), sum(cost)::bigint, sum(tokens_in)::bigint, sum(tokens_out)::bigint
    from usage_record where at >= v_hour and at < v_hour + interval '1 hour' group by key_id, model, outcome, bucket
  on conflict (key_id, hour, model, outcome) do update
     set requests = excluded.requests, cost = excluded.cost, tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out;
  get diagnostics v_rows = row_count;
  return v_rows;
end
$$;

-- Gives a day its own partitions of the charges and the records, so that retention can drop records by the day. For days to
-- come: once a row of that day lies in the default partition, PostgreSQL refuses. Answers whether there was something to do.
create function partition_v1(p_day date) returns boolean language plpgsql as $$
declare
  v_name text := to_char(p_day, '_YYYYMMDD');
  v_from uuid := uuid_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := uuid_floor((p_day + 1)::timestamp at time zone 'UTC');
begin
  if to_regclass('charge' || v_name) is not null then return false; end if;
  execute format('create table %I partition of charge for values from (%L) to (%L)', 'charge' || v_name, v_from, v_to);
  execute format('create trigger is_kept before truncate on %I for each statement execute function journal_is_final()', 'charge' || v_name);
  execute format('create table %I partition of usage_record for values from (%L) to (%L)', 'usage_record' || v_name, v_from, v_to);
  return true;
end
$$;

-- The smallest UUID v7 of an instant.
create function uuid_floor(p_at timestamptz) returns uuid language sql immutable as $$
  select rpad(lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;
