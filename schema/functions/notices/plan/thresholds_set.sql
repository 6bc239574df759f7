-- Writes down, in each counter, the next amount at which one of its thresholds fires. The caller holds the locks.
create or replace function thresholds_set(p_counters int[]) returns void language plpgsql as $$
begin
  update balance b set due = q.due
    from (select counter, due_next(counter, kind, amount, posted, period_no, revision) as due from balance where counter = any (p_counters)) q
   where b.counter = q.counter and b.due is distinct from q.due;
  update counter c set due = q.due
    from (select id, due_next(id, kind, amount, posted, period_no, revision) as due from counter where id = any (p_counters)) q
   where c.id = q.id and c.due is distinct from q.due;
end
$$;
