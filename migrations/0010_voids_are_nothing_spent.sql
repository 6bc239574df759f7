-- Why: a request whose caller was told that it costs nothing must not show as spent.
-- Locks: `balance`, against writers, for as long as it takes to correct the keys that had such requests. Requests wait meanwhile.

lock table balance in share row exclusive mode;
update balance b
   set used = b.used - u.charged, purchased = b.purchased - u.refunded
  from (
    select v.key_id, sum(c.amount)::bigint as charged,
           sum((select sum(f.amount) from funding f where f.about = c.hold_id and f.key_id = c.key_id))::bigint as refunded
      from funding v join charge c on c.hold_id = v.about and c.key_id = v.key_id
     where v.kind = 'refund' and v.reference = '#void:' || v.about group by v.key_id
  ) u
 where b.key_id = u.key_id and b.unit = 'credit';

-- Undoes requests whose callers were told that they failed: an open hold is released, a charge is refunded and counts no more,
-- and an id that was never seen is barred, because its admission may still be on the way. A claim is freed only when nothing was
-- delivered.
create or replace function void_v2(p_id uuid[], p_key uuid[], p_delivered boolean[])
returns table (place int, result text, refunded bigint) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  r record;
  c charge;
  u usage_record;
  v_recorded boolean;
begin
  perform ledger_durable();
  perform from balance where key_id = any (p_key) order by key_id for no key update;
  perform from hold where id = any (p_id) order by id for update;
  v_now := ledger_now();

  for r in select q.*, b.bucket, b.period_no
             from unnest(p_id, p_key, p_delivered) with ordinality as q (id, key_id, delivered, place)
             left join balance b on b.key_id = q.key_id order by q.place
  loop
    place := r.place; result := 'voided'; refunded := 0;
    if exists (select from hold where id = r.id and key_id = r.key_id) then
      perform settle_v1(array[r.id], array[r.key_id], '{voided}', '{0}', null, null, null, null, null, array[r.delivered], null,
                        null, null, null, null, null, null, null);
      return next;
      continue;
    end if;
    select * into c from charge where hold_id = r.id;
    if not found then
      if r.bucket is not null then
        insert into charge (hold_id, bucket, key_id, granted, amount, kind, period_no, at)
        values (r.id, r.bucket, r.key_id, 0, 0, 'voided', r.period_no, v_now);
      end if;
    elsif c.kind = 'voided' or c.key_id <> r.key_id then
      result := 'already';
    else
      select amount into refunded from funding where key_id = r.key_id and reference = '#void:' || r.id;
      if found then
        result := 'already';
      else
        refunded := c.amount - (select coalesce(sum(amount), 0) from funding where about = r.id);
        insert into funding (key_id, reference, bucket, kind, amount, period_no, about, actor, at)
        values (r.key_id, '#void:' || r.id, c.bucket, 'refund', refunded, c.period_no, r.id, 'ledger', v_now);
        -- As if it had never been: neither among what was used nor, where part of it had been refunded, among what was paid in.
        update balance b
           set posted = case when b.unit = 'credit' then b.posted + refunded
                             when b.period_no = c.period_no then greatest(b.budget - b.used + refunded + b.older_held, b.held)
                             else b.posted end,
               purchased = case b.unit when 'credit' then b.purchased - (c.amount - refunded) else b.purchased end,
               used = case when b.unit = 'credit' then b.used - c.amount
                           when b.period_no = c.period_no then b.used - refunded else b.used end,
               today_spend = b.today_spend - case when b.today = (c.at at time zone 'UTC')::date then c.amount else 0 end,
               requests = b.requests - (c.kind in ('completed', 'timed_out', 'upstream_failed'))::int,
               tokens_in = b.tokens_in - c.tokens_in, tokens_out = b.tokens_out - c.tokens_out
         where b.key_id = r.key_id;
        delete from usage_record where key_id = r.key_id and id = r.id returning * into u;
        v_recorded := found;
        if c.kind in ('completed', 'timed_out', 'upstream_failed') then
          -- The last to end is among the last to begin: no request runs as long as a thousand others take to come.
          update balance b
             set last_cost = coalesce((
                   select l.cost from (select cost, at, id from usage_record where key_id = r.key_id order by id desc limit 1000) l
                    order by l.at desc, l.id desc limit 1
                 ), 0)
           where b.key_id = r.key_id;
        end if;
        if v_recorded then
          update usage_rollup set requests = requests - 1, cost = cost - u.cost, tokens_in = tokens_in - u.tokens_in,
                                  tokens_out = tokens_out - u.tokens_out
           where key_id = u.key_id and hour = date_trunc('hour', u.at, 'UTC') and model = u.model and outcome = u.outcome;
        end if;
        -- An answer that was kept is not given again: its caller was told that it failed.
        if r.delivered then
          update idempotency set state = 'interrupted', status = null, content_type = null, body = null,
                                 expires_at = v_now + interval '24 hours'
           where hold_id = r.id;
        else
          delete from idempotency where hold_id = r.id;
        end if;
      end if;
    end if;
    return next;
  end loop;
end
$$;
