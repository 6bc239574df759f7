-- Why: funding has an order of its own. A database clock that is set back must neither give a key its budget twice nor make the books
-- look wrong. The reference of a budget stands for its period, too, and that of a payment for the one key it was booked to.
-- Locks: `funding` and `balance`, exclusively, for the moment in which they get columns; `funding` while the purchases in it are indexed.

-- How many fundings of a key have a number, and the number of each. Rows from before have none: they come first, by time.
alter table balance add column fundings bigint not null default 0;
alter table funding
  add column seq bigint,
  -- Of a budget: how often it renews. Rows from before do not say.
  add column period budget_period;

-- Whoever books holds the lock of the balance.
create function funding_numbered() returns trigger language plpgsql as $$
begin
  update balance set fundings = fundings + 1 where key_id = new.key_id returning fundings into new.seq;
  return new;
end
$$;
create trigger funding_numbered before insert on funding for each row execute function funding_numbered();

-- A payment is booked once. Rows from before, which have no number, may repeat one and are looked at only.
create unique index funding_payment on funding (reference) where kind = 'purchase' and seq is not null;
create index funding_payment_before on funding (reference) where kind = 'purchase' and seq is null;

-- Whether a reference is new (null), repeats what it did before, or is used for something else: a payment, for another key.
drop function funding_met(uuid, text, text, bigint, uuid);
create function funding_met(p_key uuid, p_reference text, p_kind text, p_amount bigint, p_about uuid, p_period text) returns text
language sql stable as $$
  select coalesce(
    (select case when kind = p_kind and amount = p_amount and about is not distinct from p_about
                      and coalesce(period, p_period) is not distinct from p_period then 'already' else 'reference_reuse' end
       from funding where key_id = p_key and reference = p_reference),
    (select 'reference_reuse'
      where p_kind = 'purchase'
        and (exists (select from funding where reference = p_reference and kind = 'purchase' and seq is not null)
             or exists (select from funding where reference = p_reference and kind = 'purchase' and seq is null)))
  )
$$;

-- Purchases, grants, refunds of charges and adjustments, once per reference. Of two calls that book one payment to two keys at once the
-- second waits for the first.
create or replace function fund_v1(p_key uuid, p_reference text, p_kind text, p_amount bigint, p_about uuid, p_actor text) returns text
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
  v_met := funding_met(p_key, p_reference, p_kind, p_amount, p_about, null);
  if v_met is not null then return v_met; end if;
  if p_kind = 'refund' then
    select * into c from charge where hold_id = p_about and key_id = p_key;
    if not found or p_amount > c.amount - (select coalesce(sum(amount), 0) from funding where about = p_about) then return 'refused'; end if;
  elsif b.unit <> 'credit' then
    return 'wrong_unit';
  elsif b.posted + p_amount < b.held then
    return 'reserved';
  end if;
  begin
    insert into funding (key_id, reference, bucket, kind, amount, period_no, about, actor, at)
    values (p_key, p_reference, b.bucket, p_kind, p_amount, coalesce(c.period_no, b.period_no), p_about, p_actor, ledger_now());
  exception when unique_violation then
    get stacked diagnostics v_met = constraint_name;
    if v_met <> 'funding_payment' then raise; end if;
    return 'reference_reuse';
  end;
  if p_kind = 'refund' then
    perform balance_refunded(p_key, c.period_no, p_amount);
  else
    update balance set posted = posted + p_amount, purchased = purchased + p_amount where key_id = p_key;
  end if;
  return 'funded';
end
$$;

-- The instant from which a new budget's period is reckoned: now, or when the present period began where the clock was set back since,
-- or a period that has begun would end, and be given, once more. A clock that had been more than an hour ahead is not followed.
create function budget_from(p_key uuid, p_now timestamptz) returns timestamptz language sql stable as $$
  select greatest(p_now, max(at)) from funding
   where key_id = p_key and kind in ('budget', 'period_reset') and at <= p_now + interval '1 hour'
$$;

-- Sets the budget of a token key, from now on and in this period. A cut below what is used or held leaves what is held.
create or replace function budget_v1(p_key uuid, p_reference text, p_budget bigint, p_period text, p_actor text) returns text
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
  v_met := funding_met(p_key, p_reference, 'budget', p_budget, null, p_period);
  if v_met is not null then return v_met; end if;
  select * into b from balance where key_id = p_key;
  if b.unit <> 'tokens' then return 'wrong_unit'; end if;
  perform balance_turned(p_key, v_now);
  update balance
     set budget = p_budget, period = p_period, period_ends_at = period_end(p_period, budget_from(p_key, v_now)),
         posted = greatest(p_budget - used + older_held, held)
   where key_id = p_key returning * into b;
  insert into funding (key_id, reference, bucket, kind, amount, period_no, period, actor, at)
  values (p_key, p_reference, b.bucket, 'budget', p_budget, b.period_no, p_period, p_actor, v_now);
  return 'funded';
end
$$;
