-- What is posted in the present period, as a verdict counts it.
create or replace function posted_of(p_kind text, p_amount bigint, p_refunded bigint, p_used bigint, p_posted bigint) returns bigint
language sql immutable as $$
  select case p_kind when 'limit' then least(p_posted, greatest(p_amount + p_refunded - p_used, 0)) else p_posted end
$$;
