-- Moves credit from a closed purse to an open one, in the journal of both, and says whether the other was still open. It is not paid in anew, so
-- that no threshold is armed by it. The caller holds the locks.
create or replace function purse_passed(p_from int, p_to int, p_amount bigint, p_reference text, p_actor text, p_at timestamptz) returns boolean
language plpgsql as $$
declare
  v_seq bigint;
begin
  update balance set posted = posted + p_amount, funded = funded + p_amount, fundings = fundings + 1 where counter = p_to
  returning fundings into v_seq;
  if not found then
    update counter set posted = posted + p_amount, funded = funded + p_amount, fundings = fundings + 1
     where id = p_to and closed_at is null
    returning fundings into v_seq;
  end if;
  if not found then return false; end if;
  insert into funding (counter, reference, seq, kind, amount, period_no, actor, at)
  values (p_to, p_reference, v_seq, 'adjust', p_amount, 0, p_actor, p_at);
  update counter set posted = posted - p_amount, funded = funded - p_amount, fundings = fundings + 1 where id = p_from
  returning fundings into v_seq;
  insert into funding (counter, reference, seq, kind, amount, period_no, actor, at)
  values (p_from, p_reference, v_seq, 'adjust', -p_amount, 0, p_actor, p_at);
  return true;
end
$$;
