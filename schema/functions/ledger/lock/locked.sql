-- Locks what a call touches that starts nothing, and answers the clock. No period begins.
create or replace function locked(p_key uuid[], p_counter int[]) returns timestamptz language plpgsql as $$
declare
  v_at moment := rows_locked(p_key, p_counter);
begin
  return v_at.clock;
end
$$;
