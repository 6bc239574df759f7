-- The chains that keys have now, by the trees above them and the counters that are open. Who calls it holds the locks of the keys and their
-- balances, and changes the versions of the keys in the same transaction.
create or replace function keys_chained(p_keys uuid[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  insert into chain (key_id, key_no, accounts, own, counters, units)
  select key_id, key_no, accounts, own, counters, units_of(own, counters) from chain_due where key_id = any (p_keys) order by key_id
  on conflict do nothing;
  update balance b set chain = h.id, counters = nullif(h.counters, '{}'), units = h.units
    from chain_due d join chain h on h.key_id = d.key_id and h.accounts = d.accounts and h.own = d.own and h.counters = d.counters
   where b.key_id = d.key_id and d.key_id = any (p_keys) and b.chain <> h.id;
end
$$;
