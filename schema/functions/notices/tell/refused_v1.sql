-- A request was refused for this counter, for good. One counter in a call, since a turn locks several in an order of its own. It tells of the
-- period that refused it.
create or replace function refused_v1(p_counter int, p_little boolean) returns void language plpgsql as $$
declare
  v_at moment;
begin
  perform ledger_ready();
  v_at := counter_taken(p_counter);
  perform refusal_told(array[p_counter], v_at.clock, p_little);
end
$$;
