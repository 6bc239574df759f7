-- Why: a limit whose period was begun by a clock that was far ahead starts nothing until that period begins. An operator brings it back to the
-- period of the clock.
-- Locks: none on tables; it creates functions and replaces one.

-- What the journal has charged to a limit since that instant, whatever was given back of it. A charge is dated by its admission, its id by the
-- gateway, and its end by the clock: where clocks were wrong it is found by either of the latter.
create function charged_since(p_counter int, p_unit text, p_from timestamptz) returns bigint language plpgsql stable
set jit = off set enable_seqscan = off
as $$
declare
  v_chains int[] := array(select id from chain where own = p_counter or p_counter = any (counters));
  v_keys int[] := array(select distinct key_no from chain where id = any (v_chains));
  v_first uuid := uuid_floor(p_from - interval '2 hours');
begin
  return (
    select coalesce(sum(case p_unit when 'credit' then q.credits else q.tokens end), 0)
      from (
        select c.credits, c.tokens from charge c
         where c.hold_id >= v_first and c.key_no = any (v_keys) and c.chain = any (v_chains) and c.admitted_at >= p_from
        union all
        select c.credits, c.tokens from charge c
         where c.hold_id < v_first and c.at >= p_from and c.key_no = any (v_keys) and c.chain = any (v_chains) and c.admitted_at >= p_from
      ) q
  );
end
$$;

-- What was given back of these charges: what of them was undone, and what was refunded of the others.
create function given_back_since(p_counter int, p_unit text, p_from timestamptz, out undone bigint, out refunded bigint) language plpgsql stable
set jit = off
as $$
declare
  v_chains int[] := array(select id from chain where own = p_counter or p_counter = any (counters));
  v_keys int[] := array(select distinct key_no from chain where id = any (v_chains));
begin
  select coalesce(sum(q.charged) filter (where q.is_void), 0), coalesce(sum(q.back) filter (where not q.is_undone), 0)
    into undone, refunded
    from (
      select f.kind = 'void' as is_void, case p_unit when 'credit' then c.credits else c.tokens end as charged,
             case p_unit when 'credit' then f.credits else f.tokens end as back,
             exists (select from refund v where v.hold_id = f.hold_id and v.kind = 'void') as is_undone
        from refund f join charge c on c.hold_id = f.hold_id
       where f.key_no = any (v_keys) and f.chain = any (v_chains) and c.admitted_at >= p_from
    ) q;
end
$$;

-- Writes down what a limit has used; the caller holds its lock.
create function used_set(p_counter int, p_used bigint, p_refunded bigint) returns void language plpgsql as $$
begin
  update balance set used = p_used, refunded = p_refunded, posted = greatest(amount + p_refunded - p_used + older_held, held)
   where counter = p_counter;
  update counter set used = p_used, refunded = p_refunded, posted = greatest(amount + p_refunded - p_used + older_held, held)
   where id = p_counter;
end
$$;

-- Starts the current period of limits whose last one is over; the caller holds the locks. What older holds still hold stays posted beside
-- the new amount until they end, and never becomes part of it. A limit that was brought back from a later period has charges that are dated in
-- it: they count in the period of their date, as the journal says.
create or replace function periods_turned(p_key uuid[], p_counter int[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_turned int[];
  v_back int[];
  c record;
  g record;
begin
  with turned as (
    update balance
       set posted = amount + held, older_held = held, used = 0, refunded = 0, period_no = period_no + 1, fundings = fundings + 1,
           period_from = period_start(period, p_now), period_ends_at = period_end(period, p_now)
     where key_id = any (p_key) and period_ends_at <= p_now
    returning counter as id, amount, period_no, fundings
  ), turned_too as (
    update counter
       set posted = amount + held, older_held = held, used = 0, refunded = 0, period_no = period_no + 1, fundings = fundings + 1,
           period_from = period_start(period, p_now), period_ends_at = period_end(period, p_now)
     where id = any (p_counter) and period_ends_at <= p_now
    returning id, amount, period_no, fundings
  ), written as (
    insert into funding (counter, reference, seq, kind, amount, period_no, actor, at)
    select id, '#turn:' || period_no, fundings, 'turn', amount, period_no, 'ledger', p_now from (table turned union all table turned_too) t
    returning counter
  )
  select array_agg(counter) into v_turned from written;
  v_back := array(select distinct f.counter from funding f where f.counter = any (v_turned) and f.reference like '#back:%');
  if v_back <> '{}' then
    for c in select k.id, k.unit, k.period_from from counter_anywhere k where k.id = any (v_back) loop
      select * into g from given_back_since(c.id, c.unit, c.period_from);
      perform used_set(c.id, charged_since(c.id, c.unit, c.period_from) - g.undone, g.refunded);
    end loop;
  end if;
  perform thresholds_set(v_turned);
end
$$;

-- Brings a limit that is more than an hour ahead back to the period of the clock; without `p_apply` it only tells what that would be. All that
-- the journal has charged since that period began counts as used, also what is dated later, so that nothing is given twice. `held`: requests
-- of it have not ended yet. What was charged is added up before the limit is locked: it starts nothing, so with nothing held nothing can come.
create function period_back_v1(p_counter int, p_actor text, p_apply boolean)
returns table (result text, begins_at timestamptz, ends_at timestamptz, used bigint, posted bigint) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := ledger_now();
  v_charged bigint;
  c record;
  k record;
  g record;
  v_at moment;
begin
  perform ledger_ready();
  select * into c from counter_anywhere where id = p_counter and closed_at is null;
  if c.id is null or c.kind <> 'limit' or c.period_from <= v_now + interval '1 hour' then
    result := 'not_ahead';
    return next;
    return;
  end if;
  begins_at := period_start(c.period, v_now);
  ends_at := period_end(c.period, v_now);
  v_charged := charged_since(p_counter, c.unit, begins_at);
  if p_apply then
    v_at := counter_taken(p_counter);
    select * into k from counter_anywhere where id = p_counter and closed_at is null;
  else
    k := c;
  end if;
  select * into g from given_back_since(p_counter, c.unit, begins_at);
  used := v_charged - g.undone;
  posted := greatest(c.amount + g.refunded - used, 0);
  result := case when c.held > 0 or k.id is null or (k.held, k.used, k.period_no, k.period) is distinct from (c.held, c.used, c.period_no, c.period)
                   then 'held'
                 when p_apply then 'brought_back' else 'ahead' end;
  if result = 'brought_back' then
    update balance b
       set period_no = b.period_no + 1, fundings = b.fundings + 1, older_held = 0, period_from = begins_at, period_ends_at = ends_at
     where b.counter = p_counter;
    update counter b
       set period_no = b.period_no + 1, fundings = b.fundings + 1, older_held = 0, period_from = begins_at, period_ends_at = ends_at
     where b.id = p_counter;
    perform used_set(p_counter, used, g.refunded);
    insert into funding (counter, reference, seq, kind, amount, period_no, actor, at)
    values (p_counter, '#back:' || k.period_no + 1, k.fundings + 1, 'turn', k.amount, k.period_no + 1, p_actor, v_at.clock);
    perform thresholds_set(array[p_counter]);
  end if;
  return next;
end
$$;
