-- Fails for a process that has lost its turn, and keeps others from taking it until the transaction ends.
create or replace function verify_is_mine(p_process uuid) returns void language plpgsql
security definer set search_path from current as $$
begin
  perform from verification_turn where process_id = p_process for no key update;
  if not found then
    raise exception 'another process verifies the ledger' using errcode = 'object_not_in_prerequisite_state';
  end if;
end
$$;
