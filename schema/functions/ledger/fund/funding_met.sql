-- Whether a reference is new (null), repeats what it did before, or is used for something else: a payment, for another counter.
create or replace function funding_met(p_counter int, p_reference text, p_kind text, p_amount bigint, p_period text) returns text language sql stable as $$
  select coalesce(
    (select case when kind = p_kind and amount = p_amount and period is not distinct from p_period then 'already' else 'reference_reuse' end
       from funding where counter = p_counter and reference = p_reference),
    (select 'reference_reuse' where p_kind = 'purchase' and exists (select from funding where reference = p_reference and kind = 'purchase'))
  )
$$;
