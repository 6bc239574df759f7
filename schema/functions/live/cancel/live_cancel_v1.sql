-- Asks for the end of a request that has a hold. Answers what became of an earlier wish, else `asked`; null: nothing of that name is in flight.
create or replace function live_cancel_v1(p_request uuid) returns text language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
  v_state text;
begin
  delete from live_cancel where request in (select request from live_cancel where at < v_now - interval '10 minutes' for update skip locked);
  select state into v_state from live_cancel where request = p_request;
  if v_state is null or v_state = 'asked' then
    if not exists (select from hold where id = p_request) then return null; end if;
    insert into live_cancel as c (request, at, state) values (p_request, v_now, 'asked')
    on conflict (request) do update set at = excluded.at where c.state = 'asked';
    perform pg_notify('tollgate_live', 'cancel');
    select state into v_state from live_cancel where request = p_request;
  end if;
  return v_state;
end
$$;
