-- Sets the amount of a limit, from now on and in this period. A cut below what is used or held leaves what is held. Another kind of period
-- begins when the present one ends, and the present one ends with the new kind.
create or replace function limit_v1(p_counter int, p_reference text, p_amount bigint, p_period text, p_actor text) returns text language plpgsql as $$
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
