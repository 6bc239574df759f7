-- Why: a process that lives must not lose its holds because it could not renew its lease. Neither those it admits right after an
-- outage, before its next renewal, nor any after a promotion or an outage that nobody could renew in.
-- Locks: `process`, exclusively, for the moment in which it gets a column. Renewals wait meanwhile.

-- The timeline this server writes. A standby that is promoted begins another one, however long it has been up. Tests replace it.
create function server_timeline() returns bigint language sql volatile
as $$ select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint $$;

-- That of the last renewal.
alter table process add column timeline bigint;

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

-- Whether a process may sweep. Not until a full lease has gone by since the server started, and since the process began to renew
-- its own on this timeline: in an outage nobody could renew, and that is not the death of every process.
create function may_sweep(p_sweeper uuid, p_now timestamptz) returns boolean language sql volatile as $$
  select p_now >= ledger_server_start() + interval '15 seconds'
     and exists (select from process
                  where id = p_sweeper and lease_until >= p_now and timeline = server_timeline()
                    and p_now >= renewing_since + interval '15 seconds')
$$;

-- Holds that nobody will end any more: past their deadline, or of a process whose lease ran out. A hold younger than a lease is
-- left alone, since its process lived when it was admitted and will renew.
create function lost_holds(p_now timestamptz) returns setof hold language sql stable as $$
  select h.* from hold h left join process p on p.id = h.process_id
   where h.deadline < p_now
      or h.admitted_at < p_now - interval '15 seconds' and (p.id is null or p.lease_until < p_now)
$$;

-- Ends, at their last checkpoint, holds that nobody will end any more. It also removes processes long gone.
create or replace function sweep_v2(p_sweeper uuid, p_limit int) returns table (id uuid, key_id uuid, charged bigint) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := ledger_now();
  v_id uuid[];
  v_key uuid[];
  s_id uuid[];
  s_key uuid[];
  s_cost bigint[];
  s_in bigint[];
  s_out bigint[];
  s_delivered boolean[];
begin
  if not may_sweep(p_sweeper, v_now) then return; end if;
  delete from process where lease_until < v_now - interval '1 day';

  select array_agg(x.id), array_agg(x.key_id) into v_id, v_key
    from (select h.id, h.key_id from lost_holds(v_now) h order by h.id limit p_limit) x;
  if v_id is null then return; end if;
  perform from balance where key_id = any (v_key) order by key_id for no key update;
  perform from hold where id = any (v_id) order by id for update;
  -- In the order of their ids: where charges exceed their holds, the first to come draws on what is free.
  select array_agg(h.id order by h.id), array_agg(h.key_id order by h.id), array_agg(h.checkpoint_cost order by h.id),
         array_agg(h.checkpoint_in order by h.id), array_agg(h.checkpoint_out order by h.id), array_agg(h.content_delivered order by h.id)
    into s_id, s_key, s_cost, s_in, s_out, s_delivered
    from lost_holds(v_now) h where h.id = any (v_id);
  if s_id is null then return; end if;
  perform settle_v1(s_id, s_key, array_fill('swept'::text, array[cardinality(s_id)]), s_cost, s_in, s_out, null, null, null,
                    s_delivered, null, null, null, null, null, null, null, null);
  return query select c.hold_id, c.key_id, c.amount::bigint from charge c where c.hold_id = any (s_id);
end
$$;
