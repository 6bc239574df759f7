-- What became of an attempt. `p_again_ms` null: there is no other one. A success counts whichever attempt it was.
create or replace function delivery_ended_v1(p_notice uuid, p_endpoint text, p_attempt int, p_ok boolean, p_status int, p_problem text, p_again_ms bigint)
returns boolean language plpgsql as $$
begin
  update delivery
     set state = case when p_ok then 'delivered' when p_again_ms is null then 'dead' else 'waiting' end, sending = false, status = p_status,
         problem = p_problem, last_at = ledger_now(),
         next_at = case when p_ok or p_again_ms is null then 'infinity' else ledger_now() + p_again_ms * interval '1 millisecond' end
   where notice = p_notice and endpoint = p_endpoint and (p_ok and state <> 'delivered' or state = 'waiting' and attempts = p_attempt);
  return found;
end
$$;
