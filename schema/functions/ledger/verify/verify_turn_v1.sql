-- Takes or renews the lease of whoever verifies, for so long; 0 gives it back. Answers whether it is the caller's. A row and no lock, so that
-- it outlives transactions and connections, poolers included.
create or replace function verify_turn_v1(p_process uuid, p_ms int) returns boolean language plpgsql
security definer set search_path from current as $$
begin
  update verification_turn
     set process_id = p_process, lease_until = ledger_now() + p_ms * interval '1 millisecond'
   where process_id = p_process or lease_until < ledger_now();
  return found;
end
$$;
