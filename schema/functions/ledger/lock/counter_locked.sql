-- The same for a change by an operator. It begins the period of this counter if that is due, and answers the instant: the clock's, or where the
-- period has begun by a clock that was ahead, its beginning.
create or replace function counter_locked(p_counter int) returns timestamptz language plpgsql as $$
declare
  v_at moment := counter_taken(p_counter);
begin
  if v_at.ends <= v_at.clock then
    perform periods_turned(array(select key_id from balance where counter = p_counter), array[p_counter], v_at.clock);
  end if;
  return greatest(v_at.clock, v_at.begun);
end
$$;
