-- Undoes a charge: what is left of it is given back, it counts no more, the operator bears it, and its hour is owed anew. A claim is freed only
-- when nothing was delivered. The caller holds the locks.
create or replace function void_charged(c charge, p_delivered boolean, p_now timestamptz, out credits bigint, out tokens bigint) language plpgsql as $$
#variable_conflict use_column
declare
  k balance;
  -- A provider's failure that was not charged, and not because nothing was left: its tokens count nowhere.
  v_free boolean := c.kind = 3 and coalesce(c.credits, 0) + coalesce(c.tokens, 0) = 0
                    and not exists (select from house h where h.hold_id = c.hold_id and h.kind = 'overrun');
begin
  select * into credits, tokens from left_of(c);
  select * into k from balance where key_no = c.key_no;
  insert into refund (hold_id, reference, kind, key_no, chain, credits, tokens, actor, at)
  values (c.hold_id, '#void:' || c.hold_id, 'void', c.key_no, c.chain, credits, tokens, 'ledger', p_now);
  -- Our fault, so it is neither held against the key nor part of what its caps count.
  insert into house (hold_id, kind, unit, key_id, amount, at)
  select c.hold_id, 'voided', q.unit, k.key_id, q.amount, p_now from (values ('credit', credits), ('tokens', tokens)) q (unit, amount)
   where q.amount > 0;
  perform given_back(c, 'void', credits, tokens);
  update balance b
     set spent = b.spent - coalesce(c.credits, 0),
         today_spend = b.today_spend - case when b.today = (c.at at time zone 'UTC')::date
                                            then coalesce(case b.mode_unit when 'credit' then c.credits else c.tokens end, 0) else 0 end,
         requests = b.requests - (c.kind in (1, 3, 4))::int,
         tokens_in = b.tokens_in - case when v_free then 0 else c.input end,
         tokens_out = b.tokens_out - case when v_free then 0 else c.output end
   where b.key_no = c.key_no;
  insert into rollup_owed (hour, why) values (date_trunc('hour', c.at, 'UTC'), 'void');
  if c.kind in (1, 3, 4) then
    -- The last to end is among the last to begin: no request runs as long as a thousand others take to come.
    update balance b
       set last_cost = coalesce((
             select coalesce(case b.mode_unit when 'credit' then l.credits else l.tokens end, 0)
               from (select r.credits, r.tokens, r.at, r.hold_id from charge r
                      where r.key_no = c.key_no and r.kind in (1, 3, 4)
                        and not exists (select from refund f where f.hold_id = r.hold_id and f.kind = 'void')
                      order by r.hold_id desc limit 1000) l
              order by l.at desc, l.hold_id desc limit 1
           ), 0)
     where b.key_no = c.key_no;
  end if;
  -- An answer that was kept is not given again: its caller was told that it failed.
  if p_delivered then
    update idempotency i set state = 'interrupted', status = null, content_type = null, body = null, expires_at = p_now + interval '24 hours'
     where i.hold_id = c.hold_id;
  else
    delete from idempotency i where i.hold_id = c.hold_id;
  end if;
end
$$;
