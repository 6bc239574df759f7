-- The number of a chain, made when it is new. A chain of a key whose requests not all counters see has fewer of them.
create or replace function chain_of(p_key uuid, p_key_no int, p_accounts uuid[], p_own int, p_counters int[]) returns int language plpgsql
set enable_seqscan = off
as $$
declare
  v_id int;
begin
  select id into v_id from chain where key_id = p_key and accounts = p_accounts and own = p_own and counters = p_counters;
  if found then return v_id; end if;
  insert into chain (key_id, key_no, accounts, own, counters, units)
  values (p_key, p_key_no, p_accounts, p_own, p_counters, units_of(p_own, p_counters))
  on conflict do nothing returning id into v_id;
  if v_id is null then
    select id into v_id from chain where key_id = p_key and accounts = p_accounts and own = p_own and counters = p_counters;
  end if;
  return v_id;
end
$$;
