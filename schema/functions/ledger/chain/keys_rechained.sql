-- Gives keys that are locked the chains of their place and new versions.
create or replace function keys_rechained(p_keys uuid[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  perform keys_chained(p_keys);
  update key set account_id = account_id where id = any (p_keys);
end
$$;
