-- Gives what is left of a charge, or part of it, back to every counter of its chain: to a purse always, to a limit while the period lasts in
-- which it was admitted. What a closed purse is given goes on to the one that pays for the key now, and stays where none does: only limits do,
-- or nothing. What is refunded counts as refunded; of what is undone, neither the charge nor earlier refunds count any more. The caller holds
-- the locks, and has written the refund.
create or replace function given_back(c charge, p_kind text, p_credits bigint, p_tokens bigint) returns void language plpgsql as $$
declare
  r record;
  v_to int;
begin
  update balance b
     set posted = case b.kind when 'purse' then b.posted + g.back
                              else greatest(b.amount + b.refunded - b.used + g.back + b.older_held, b.held) end,
         used = b.used - g.uncharged, refunded = b.refunded + g.back - g.uncharged
    from (
      select k.key_id, q.back, case p_kind when 'void' then q.charged else 0 end as uncharged
        from balance k
        join chain h on h.id = c.chain and h.own = k.counter
        cross join lateral (select coalesce(case k.unit when 'credit' then p_credits else p_tokens end, 0) as back,
                                   coalesce(case k.unit when 'credit' then c.credits else c.tokens end, 0) as charged) q
       where k.key_no = c.key_no and (k.kind = 'purse' or c.admitted_at >= k.period_from)
    ) g
   where b.key_id = g.key_id;
  update counter b
     set posted = case b.kind when 'purse' then b.posted + g.back
                              else greatest(b.amount + b.refunded - b.used + g.back + b.older_held, b.held) end,
         used = b.used - g.uncharged, refunded = b.refunded + g.back - g.uncharged
    from (
      select k.id, q.back, case p_kind when 'void' then q.charged else 0 end as uncharged
        from chain h cross join unnest(h.counters || h.own) u (id) join counter k on k.id = u.id
        cross join lateral (select coalesce(case k.unit when 'credit' then p_credits else p_tokens end, 0) as back,
                                   coalesce(case k.unit when 'credit' then c.credits else c.tokens end, 0) as charged) q
       where h.id = c.chain and (k.kind = 'purse' or c.admitted_at >= k.period_from)
    ) g
   where b.id = g.id;

  for r in
    select p.id, p.unit, o.key_id, q.back
      from chain h join counter p on p.id = any (h.counters || h.own) join balance o on o.key_no = c.key_no
      cross join lateral (select case p.unit when 'credit' then p_credits else p_tokens end as back) q
     where h.id = c.chain and p.kind = 'purse' and p.closed_at is not null and q.back > 0
  loop
    -- One that is closed in this moment gives way to the next.
    for i in 1 .. 3 loop
      v_to := paying_purse(r.key_id, null, r.unit);
      exit when v_to is null
             or (select purse_passed(r.id, v_to, r.back, '#passed:' || c.hold_id || ':' || count(*), 'ledger', max(f.at))
                   from refund f where f.hold_id = c.hold_id);
    end loop;
  end loop;
end
$$;
