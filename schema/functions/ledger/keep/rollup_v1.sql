-- Adds up the charges of an hour anew, and its day once that is over, however often it is called, one call at a time. A background task: in
-- a turn it would cost every request an upsert. What is owed is read before the charges are: a void that commits in between stays owed.
-- Requests that were undone do not count.
create or replace function rollup_v1(p_hour timestamptz) returns bigint language plpgsql as $$
declare
  v_hour timestamptz := date_trunc('hour', p_hour, 'UTC');
  v_day timestamptz := date_trunc('day', p_hour, 'UTC');
  v_seen bigint[];
  v_rows bigint;
begin
  perform from duty where name = 'rollup' for no key update;
  v_seen := array(
    select id from rollup_owed
     where hour = v_hour and (why = 'void' or ended < pg_snapshot_xmin(pg_current_snapshot()))
  );
  with added as materialized (
    select c.chain, coalesce(c.model, 0) as model, c.kind, count(*) as requests, coalesce(sum(c.credits), 0)::bigint as credits,
           coalesce(sum(c.tokens), 0)::bigint as tokens, sum(c.input)::bigint as input, coalesce(sum(c.cache_read), 0)::bigint as cache_read,
           coalesce(sum(c.cache_write), 0)::bigint as cache_write, sum(c.output)::bigint as output,
           coalesce(sum(c.reasoning), 0)::bigint as reasoning
      from charge c
     where c.at >= v_hour and c.at < v_hour + interval '1 hour' and c.kind <> 6
       and not exists (select from refund f where f.hold_id = c.hold_id and f.kind = 'void')
     group by c.chain, c.model, c.kind
  ), gone as (
    delete from usage_rollup r
     where r.hour = v_hour and not exists (select from added a where a.chain = r.chain and a.model = r.model and a.kind = r.kind)
  ), kept as (
    insert into usage_rollup as r (hour, chain, model, kind, requests, credits, tokens, input, cache_read, cache_write, output, reasoning)
    select v_hour, chain, model, kind, requests, credits, tokens, input, cache_read, cache_write, output, reasoning from added
    on conflict (chain, hour, model, kind) do update
       set requests = excluded.requests, credits = excluded.credits, tokens = excluded.tokens, input = excluded.input,
           cache_read = excluded.cache_read, cache_write = excluded.cache_write, output = excluded.output, reasoning = excluded.reasoning
     where (r.requests, r.credits, r.tokens, r.input, r.cache_read, r.cache_write, r.output, r.reasoning)
           is distinct from (excluded.requests, excluded.credits, excluded.tokens, excluded.input, excluded.cache_read, excluded.cache_write,
                             excluded.output, excluded.reasoning)
  )
  select count(*) into v_rows from added;
  if v_day + interval '1 day' <= ledger_now() then
    delete from usage_day where day = v_day;
    insert into usage_day (day, chain, model, kind, requests, credits, tokens, input, cache_read, cache_write, output, reasoning)
    select v_day, chain, model, kind, sum(requests), sum(credits), sum(tokens), sum(input), sum(cache_read), sum(cache_write), sum(output),
           sum(reasoning)
      from usage_rollup where hour >= v_day and hour < v_day + interval '1 day' group by chain, model, kind;
  end if;
  delete from rollup_owed where id = any (v_seen);
  return v_rows;
end
$$;
