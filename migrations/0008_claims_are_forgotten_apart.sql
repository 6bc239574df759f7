-- Why: removing expired claims takes as long as their answers are large, and what takes too long must not keep holds from being swept.
-- Locks: none on tables; it creates functions.

-- Ends, at their last checkpoint, holds whose process lost its lease or whose deadline is past. It does nothing until a full
-- lease has gone by since the server started and since the sweeper began to renew its own: in an outage nobody could renew,
-- and that is not the death of every process. It also removes processes long gone.
create function sweep_v2(p_sweeper uuid, p_limit int) returns table (id uuid, key_id uuid, charged bigint) language plpgsql as $$
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
  if v_now < ledger_server_start() + interval '15 seconds'
     or not exists (select from process where id = p_sweeper and lease_until >= v_now and v_now >= renewing_since + interval '15 seconds') then
    return;
  end if;
  delete from process where lease_until < v_now - interval '1 day';

  select array_agg(x.id), array_agg(x.key_id) into v_id, v_key from (
    select h.id, h.key_id from hold h left join process p on p.id = h.process_id
     where p.id is null or p.lease_until < v_now or h.deadline < v_now order by h.id limit p_limit
  ) x;
  if v_id is null then return; end if;
  perform from balance where key_id = any (v_key) order by key_id for no key update;
  perform from hold where id = any (v_id) order by id for update;
  -- In the order of their ids: where charges exceed their holds, the first to come draws on what is free.
  select array_agg(h.id order by h.id), array_agg(h.key_id order by h.id), array_agg(h.checkpoint_cost order by h.id),
         array_agg(h.checkpoint_in order by h.id), array_agg(h.checkpoint_out order by h.id), array_agg(h.content_delivered order by h.id)
    into s_id, s_key, s_cost, s_in, s_out, s_delivered
    from hold h left join process p on p.id = h.process_id
   where h.id = any (v_id) and (p.id is null or p.lease_until < v_now or h.deadline < v_now);
  if s_id is null then return; end if;
  perform settle_v1(s_id, s_key, array_fill('swept'::text, array[cardinality(s_id)]), s_cost, s_in, s_out, null, null, null,
                    s_delivered, null, null, null, null, null, null, null, null);
  return query select c.hold_id, c.key_id, c.amount::bigint from charge c where c.hold_id = any (s_id);
end
$$;

-- Removes claims that have expired, the oldest first: at most so many, and no more once their answers come to so many bytes.
-- Answers how many. The length of an answer is known without reading it.
create function forget_claims_v1(p_limit int, p_bytes bigint) returns int language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
  v_removed int;
begin
  delete from idempotency where ctid = any (array(
    select place from (
      select place, sum(bytes) over (order by expires_at, place rows between unbounded preceding and 1 preceding) as before from (
        select ctid as place, expires_at, coalesce(octet_length(body), 0) as bytes
          from idempotency where expires_at <= v_now order by expires_at limit p_limit
      ) expired
    ) counted where coalesce(before, 0) < p_bytes
  ));
  get diagnostics v_removed = row_count;
  return v_removed;
end
$$;

-- Processes of the version before leave the claims to those of this one.
create or replace function sweep_v1(p_sweeper uuid, p_limit int)
returns table (id uuid, key_id uuid, charged bigint) language sql
as $$ select * from sweep_v2(p_sweeper, p_limit) $$;
