-- Brings a limit that is more than an hour ahead back to the period of the clock; without `p_apply` it only tells what that would be. All that
-- the journal has charged since that period began counts as used, also what is dated later, so that nothing is given twice. `held`: requests
-- of it have not ended yet. What was charged is added up before the limit is locked: it starts nothing, so with nothing held nothing can come.
create or replace function period_back_v1(p_counter int, p_actor text, p_apply boolean)
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
