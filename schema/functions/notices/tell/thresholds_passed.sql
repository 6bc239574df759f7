-- Writes a notice for each threshold that has been passed and has none yet. The caller holds the locks.
create or replace function thresholds_passed(p_counters int[], p_now timestamptz) returns void language plpgsql as $$
declare
  r record;
begin
  for r in
    select q.cause, array_agg(q.id) as id, array_agg(q.mark) as mark from (
      select c.id, t.mark, case c.kind when 'limit' then 'used' else 'left' end as cause
        from counter_anywhere c cross join lateral unnest(thresholds_of(c.id, c.kind)) t (mark)
       where c.id = any (p_counters)
         and case c.kind when 'limit' then c.amount > 0 and c.used - c.refunded >= used_at(c.amount, t.mark)
                         else c.posted <= t.mark and t.mark <= c.due end
         and not exists (select from notice n
                          where n.counter = c.id and n.period_no = c.period_no and n.revision = c.revision and n.value = t.mark)
    ) q group by q.cause
  loop
    perform notices_written(r.id, r.mark, r.cause, p_now);
  end loop;
end
$$;
