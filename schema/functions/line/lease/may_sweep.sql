-- Whether a process may sweep. Not until a full lease has gone by since the server started, and since the process began to renew
-- its own on this timeline: in an outage nobody could renew, and that is not the death of every process.
create or replace function may_sweep(p_sweeper uuid, p_now timestamptz) returns boolean language sql volatile as $$
  select p_now >= ledger_server_start() + interval '15 seconds'
     and exists (select from process
                  where id = p_sweeper and lease_until >= p_now and timeline = server_timeline()
                    and p_now >= renewing_since + interval '15 seconds')
$$;
