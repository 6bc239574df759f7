-- Undoes requests whose callers were told that they failed: an open hold is released, a charge is refunded and counts no more,
-- and an id that was never seen is barred, because its admission may still be on the way. One that is so far ahead of the clock that no
-- admission on the way can succeed is not. A claim is freed only when nothing was delivered.
create or replace function void_v1(p_id uuid[], p_key uuid[], p_delivered boolean[])
returns table (place int, result text, credits bigint, tokens bigint) language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_now timestamptz;
  r record;
  c charge;
begin
  perform ledger_ready();
  v_now := locked(p_key, counters_of(p_id));
  perform from hold where id = any (p_id) order by id for update;

  for r in select q.*, b.key_no
             from unnest(p_id, p_key, p_delivered) with ordinality as q (id, key_id, delivered, place)
             left join balance b on b.key_id = q.key_id order by q.place
  loop
    place := r.place; result := 'voided'; credits := 0; tokens := 0;
    if exists (select from hold where id = r.id and key_id = r.key_id) then
      perform hold_voided(v_now, r.id, r.key_id, r.delivered);
      return next;
      continue;
    end if;
    select * into c from charge where hold_id = r.id;
    if not found then
      if r.key_no is not null and uuid_time(r.id) <= v_now + interval '2 hours' then
        insert into charge (hold_id, admitted_at, at, key_no, chain, kind) values (r.id, v_now, v_now, r.key_no, 0, 6);
      end if;
    elsif c.kind = 6 or c.key_no <> r.key_no then
      result := 'already';
    else
      select f.credits, f.tokens into credits, tokens from refund f where f.hold_id = r.id and f.kind = 'void';
      if found then
        result := 'already';
      else
        select v.credits, v.tokens into credits, tokens from void_charged(c, r.delivered, v_now) v;
      end if;
    end if;
    return next;
  end loop;
end
$$;
