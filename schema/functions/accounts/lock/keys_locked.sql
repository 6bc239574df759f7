-- Locks the next keys below an account, and their balances. No call holds more of them than these, so that requests wait for few and briefly.
create or replace function keys_locked(p_account uuid, p_after uuid) returns uuid[] language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_keys uuid[] := array(
    select k.id from key k join account a on a.id = k.account_id
     where a.path @> array[p_account] and (p_after is null or k.id > p_after) order by k.id limit 256
  );
begin
  perform from key where id = any (v_keys) order by id for no key update;
  perform from balance where key_id = any (v_keys) order by key_id for no key update;
  return v_keys;
end
$$;
