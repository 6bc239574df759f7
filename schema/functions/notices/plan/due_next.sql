-- The next amount at which a threshold fires that has not fired in this round. Of a purse only those below what it has: those above fire when
-- it has come down to them once more.
create or replace function due_next(p_counter int, p_kind text, p_amount bigint, p_posted bigint, p_period_no bigint, p_revision int) returns bigint
language sql stable as $$
  select case p_kind when 'limit' then min(used_at(p_amount, mark)) else max(mark) end
    from unnest(thresholds_of(p_counter, p_kind)) m (mark)
   where case p_kind when 'limit' then p_amount > 0 else mark < p_posted end
     and not exists (select from notice n
                      where n.counter = p_counter and n.period_no = p_period_no and n.revision = p_revision and n.value = m.mark)
$$;
