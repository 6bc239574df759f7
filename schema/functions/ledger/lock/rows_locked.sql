-- Locks the balances and counters of a call.
create or replace function rows_locked(p_key uuid[], p_counter int[]) returns moment language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_begun timestamptz;
  v_ends timestamptz;
  c_begun timestamptz;
  c_ends timestamptz;
begin
  select max(period_from), min(period_ends_at) into v_begun, v_ends
    from (select period_from, period_ends_at from balance where key_id = any (p_key) order by key_id for no key update) b;
  if p_counter <> '{}' then
    select max(period_from), min(period_ends_at) into c_begun, c_ends
      from (select period_from, period_ends_at from counter where id = any (p_counter) order by id desc for no key update) c;
  end if;
  return (ledger_now(), greatest(v_begun, c_begun), least(v_ends, c_ends));
end
$$;
