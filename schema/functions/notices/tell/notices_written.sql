-- Writes these notices, each once, and what is to be sent of them. The caller holds the locks of the counters, so nobody else writes them.
create or replace function notices_written(p_counter int[], p_mark bigint[], p_cause text, p_now timestamptz) returns void language plpgsql as $$
begin
  with fresh as (
    insert into notice (counter, unit, period, period_no, revision, kind, value, cause, amount, used, posted, held, renews_at, at)
    select c.id, c.unit, c.period, c.period_no, c.revision, case c.kind when 'limit' then 'percent' else 'left' end, q.mark, p_cause,
           case c.kind when 'limit' then c.amount::bigint else c.funded end, c.used - c.refunded, c.posted - c.older_held, c.held - c.older_held, nullif(c.period_ends_at, 'infinity'), p_now
      from unnest(p_counter, p_mark) q (counter, mark) join counter_anywhere c on c.id = q.counter
     order by c.id, case c.kind when 'limit' then q.mark else -q.mark end
    on conflict do nothing
    returning id, no, counter
  )
  insert into delivery (notice, endpoint, no, counter, next_at)
  select f.id, e.name, f.no, f.counter, p_now from fresh f cross join endpoint e where e.seen_at > p_now - interval '1 day';
  perform thresholds_set(p_counter);
end
$$;
