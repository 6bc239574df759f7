-- Sends dead letters anew, from the beginning; null: all of them.
create or replace function deliveries_retried_v1(p_notice uuid) returns int language plpgsql as $$
declare
  v_count int;
begin
  update delivery set state = 'waiting', attempts = 0, first_at = null, next_at = ledger_now(), sending = false
   where state = 'dead' and (p_notice is null or notice = p_notice);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
