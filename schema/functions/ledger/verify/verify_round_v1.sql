-- Keeps what the comparison of all balances with the journal found, and up to when everything is verified; null: that is not known yet.
create or replace function verify_round_v1(p_process uuid, p_verified timestamptz, p_mismatches bigint, p_found jsonb) returns void
language plpgsql security definer set search_path from current as $$
begin
  perform verify_is_mine(p_process);
  update verification_turn set verified_at = coalesce(p_verified, verified_at), mismatches = p_mismatches, found = p_found;
end
$$;
