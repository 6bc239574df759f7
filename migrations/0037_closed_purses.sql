-- Why: what was given back of a charge went to the purse that it had been charged to, even if that was closed: when its key had been adopted by
-- an account, or when the account had got another purse. Nobody could spend it there, and no report had it.
-- Locks: none on tables; it adds functions and replaces two.

-- The open purse that pays, in a unit, for a key or for what an account has, as the tree is now. Null: none does.
create function paying_purse(p_key uuid, p_account uuid, p_unit text) returns int language sql stable as $$
  select q.id from (
    select b.counter as id from balance b where b.key_id = p_key and b.kind = 'purse' and b.unit = p_unit
    union all
    select c.id from counter c where c.key_id = p_key and c.kind = 'purse' and c.unit = p_unit and c.closed_at is null
    union all
    select c.id
      from account a join counter c on c.account_id = any (a.path)
     where a.id = coalesce(p_account, (select account_id from key where id = p_key))
       and c.kind = 'purse' and c.unit = p_unit and c.closed_at is null
  ) q order by q.id limit 1
$$;

-- Moves credit from a closed purse to an open one, in the journal of both, and says whether the other was still open. It is not paid in anew, so
-- that no threshold is armed by it. The caller holds the locks.
create function purse_passed(p_from int, p_to int, p_amount bigint, p_reference text, p_actor text, p_at timestamptz) returns boolean
language plpgsql as $$
declare
  v_seq bigint;
begin
  update balance set posted = posted + p_amount, funded = funded + p_amount, fundings = fundings + 1 where counter = p_to
  returning fundings into v_seq;
  if not found then
    update counter set posted = posted + p_amount, funded = funded + p_amount, fundings = fundings + 1
     where id = p_to and closed_at is null
    returning fundings into v_seq;
  end if;
  if not found then return false; end if;
  insert into funding (counter, reference, seq, kind, amount, period_no, actor, at)
  values (p_to, p_reference, v_seq, 'adjust', p_amount, 0, p_actor, p_at);
  update counter set posted = posted - p_amount, funded = funded - p_amount, fundings = fundings + 1 where id = p_from
  returning fundings into v_seq;
  insert into funding (counter, reference, seq, kind, amount, period_no, actor, at)
  values (p_from, p_reference, v_seq, 'adjust', -p_amount, 0, p_actor, p_at);
  return true;
end
$$;

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

-- The counters of open holds and of charges, and where something given back to a closed purse goes. Read before they are locked: a chain never
-- changes. The journal is asked only for what is not open, since that locks the partitions of all days.
create or replace function counters_of(p_id uuid[]) returns int[] language plpgsql stable as $$
begin
  if not exists (select from unnest(p_id) u (id) where not exists (select from hold where hold.id = u.id)) then
    return array(select distinct u.id from hold cross join unnest(hold.counters) u (id) where hold.id = any (p_id));
  end if;
  return (
    with charged as materialized (
      select b.key_id, h.counters || h.own as counters
        from charge c join chain h on h.id = c.chain join balance b on b.key_no = c.key_no where c.hold_id = any (p_id)
    )
    select coalesce(array_agg(distinct u.id), '{}') from (
      select counters from hold where id = any (p_id)
      union all
      select counters from charged
      union all
      select array[paying_purse(g.key_id, null, p.unit)]
        from charged g join counter p on p.id = any (g.counters) where p.kind = 'purse' and p.closed_at is not null
    ) q cross join unnest(q.counters) u (id) where u.id is not null
  );
end
$$;

-- Moves all that a closed purse has to the open one that pays for this key or this account; without either, for the holder it was of.
create function closed_purse_moved_v1(p_from int, p_key uuid, p_account uuid, p_actor text)
returns table (result text, unit text, amount bigint, counter int) language plpgsql as $$
#variable_conflict use_column
declare
  c counter;
  v_to int;
  v_key uuid;
  v_now timestamptz;
begin
  perform ledger_ready();
  select * into c from counter where id = p_from and kind = 'purse' and closed_at is not null;
  result := case when c.id is null and exists (select from counter_anywhere where id = p_from) then 'not_closed'
                 when c.id is null then 'unknown_counter' end;
  if result is null then
    v_to := case when p_key is null and p_account is null then paying_purse(c.key_id, c.account_id, c.unit)
                 else paying_purse(p_key, p_account, c.unit) end;
    v_key := (select b.key_id from balance b where b.counter = v_to);
    v_now := locked(case when v_key is null then '{}' else array[v_key] end, array[p_from, v_to]);
    select * into c from counter where id = p_from;
    unit := c.unit;
    -- One that was closed meanwhile is told as if it had been closed before.
    result := case when c.posted = c.held then 'empty'
                   when v_to is null
                        or not purse_passed(p_from, v_to, c.posted - c.held, '#moved:' || p_from || ':' || c.fundings + 1, p_actor, v_now)
                   then 'no_purse' else 'moved' end;
  end if;
  if result = 'moved' then
    amount := c.posted - c.held;
    counter := v_to;
  end if;
  return next;
end
$$;
