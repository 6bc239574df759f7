-- Writes down what a limit has used; the caller holds its lock.
create or replace function used_set(p_counter int, p_used bigint, p_refunded bigint) returns void language plpgsql as $$
begin
  update balance set used = p_used, refunded = p_refunded, posted = greatest(amount + p_refunded - p_used + older_held, held)
   where counter = p_counter;
  update counter set used = p_used, refunded = p_refunded, posted = greatest(amount + p_refunded - p_used + older_held, held)
   where id = p_counter;
end
$$;
