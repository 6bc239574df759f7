-- A request was refused for these: a limit is at 100 %, and a purse at its end, if less than a hundredth is left of its amount, or of what was
-- last paid in, or if the request asked for little (`p_little`). Else the request was too large, which is told once and silences nothing. What
-- was never filled is not told about.
create or replace function refusal_told(p_counters int[], p_now timestamptz, p_little boolean) returns void language plpgsql as $$
declare
  r record;
begin
  for r in
    select q.cause, array_agg(c.id) as id, array_agg(case q.cause when 'refused' then m.mark else -1 end) as value
      from counter_anywhere c
      cross join lateral (
        select case c.kind when 'limit' then 100 else 0 end::bigint as mark, case c.kind when 'limit' then c.amount else (
          select f.amount from funding f where f.counter = c.id and f.amount > 0 order by f.seq desc limit 1
        ) end as whole
      ) m
      cross join lateral (select case when p_little or (c.posted - c.older_held) * 100::numeric < m.whole then 'refused' else 'too_large' end as cause) q
     where c.id = any (p_counters) and m.mark = any (thresholds_of(c.id, c.kind))
       and case c.kind when 'limit' then c.amount else c.funded end > 0
       and not exists (select from notice n where n.counter = c.id and n.period_no = c.period_no and n.revision = c.revision
                                              and (n.value = m.mark or n.cause = q.cause))
     group by q.cause
  loop
    perform notices_written(r.id, r.value, r.cause, p_now);
  end loop;
end
$$;
