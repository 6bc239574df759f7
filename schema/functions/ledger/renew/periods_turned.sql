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
