-- Purchases, grants and adjustments of a purse, once per reference. Of two calls that book one payment to two purses at once the second waits
-- for the first.
create or replace function fund_v1(p_counter int, p_reference text, p_kind text, p_amount bigint, p_actor text) returns text language plpgsql as $$
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
