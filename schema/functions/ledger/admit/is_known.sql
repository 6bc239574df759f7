-- Whether a request was admitted or ended before. Who asks holds the lock of its balance.
create or replace function is_known(p_id uuid) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
begin
  return exists (select from hold where id = p_id) or charged_among(array[p_id], p_id, p_id) <> '{}';
end
$$;
