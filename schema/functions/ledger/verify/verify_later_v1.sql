-- How many charges among these ids came at a moment or later, counted up to a limit. Of a day that is over there are hardly any: the coarse
-- index of times finds that out without reading the day.
create or replace function verify_later_v1(p_from uuid, p_before uuid, p_since timestamptz, p_limit int) returns int language plpgsql stable
set enable_seqscan = off set enable_indexscan = off set enable_indexonlyscan = off set max_parallel_workers_per_gather = 0 set jit = off as $$
declare
  v_rows int;
begin
  execute format('select count(*) from (select from charge where hold_id >= %L and hold_id < %L and at >= %L limit %s) later',
                 p_from, p_before, p_since, p_limit) into v_rows;
  return v_rows;
end
$$;
