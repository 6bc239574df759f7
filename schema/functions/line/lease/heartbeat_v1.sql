-- A lease that ran out begins anew, and so does one that was renewed late or on another timeline: its process missed a renewal, and
-- others may have missed more of them.
create or replace function heartbeat_v1(p_process uuid) returns timestamptz language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into process (id, renewing_since, lease_until, timeline) values (p_process, v_now, v_now + interval '15 seconds', server_timeline())
  on conflict (id) do update
     set renewing_since = case when process.lease_until >= v_now + interval '7.5 seconds' and process.timeline = excluded.timeline
                               then process.renewing_since else v_now end,
         lease_until = excluded.lease_until, timeline = excluded.timeline;
  return v_now + interval '15 seconds';
end
$$;
