-- Why: what was used, added up by the hour, and the partitions of the journal.
-- Locks: none on tables that anybody uses.

-- By chain, so that a key's hours stay with the accounts that it had then.
create table usage_rollup (
  hour timestamptz not null,
  chain int not null,
  model int not null,
  kind smallint not null,
  requests bigint not null,
  credits bigint not null,
  tokens bigint not null,
  input bigint not null,
  cache_read bigint not null,
  cache_write bigint not null,
  output bigint not null,
  reasoning bigint not null,
  primary key (chain, hour, model, kind)
) with (fillfactor = 50);
create index usage_rollup_hour on usage_rollup (hour);

-- The same of whole days that are over, for reports of many keys over many days. While an hour of a day is owed, the day is not to be trusted.
create table usage_day (
  day timestamptz not null,
  chain int not null,
  model int not null,
  kind smallint not null,
  requests bigint not null,
  credits bigint not null,
  tokens bigint not null,
  input bigint not null,
  cache_read bigint not null,
  cache_write bigint not null,
  output bigint not null,
  reasoning bigint not null,
  primary key (chain, day, model, kind)
);
create index usage_day_day on usage_day (day);

insert into rollup_owed (hour, why)
select date_trunc('hour', ledger_now(), 'UTC') - n * interval '1 hour', 'hour' from generate_series(0, 1) n;

-- Writes down the hours that have begun and those that have ended since the last call, and answers hours, without the present one,
-- that are owed. After more than a week without a keeper only the last week is written down.
create function rollup_due_v1(p_limit int) returns setof timestamptz language plpgsql as $$
declare
  v_now timestamptz := ledger_now();
  v_hour timestamptz := date_trunc('hour', v_now, 'UTC');
begin
  insert into rollup_owed (hour, why)
  select h, 'hour'
    from generate_series(
      greatest(coalesce((select max(hour) from rollup_owed where why = 'hour' and hour <= v_hour), v_hour - interval '1 hour'),
               v_hour - interval '7 days'),
      v_hour, interval '1 hour'
    ) h
  on conflict do nothing;
  -- A minute, so that a clock set back a little finds its hour still open.
  update rollup_owed set ended = pg_current_xact_id()
   where why = 'hour' and ended is null and hour + interval '61 minutes' <= v_now;
  return query
    select o.hour from rollup_owed o
     where o.hour < v_hour and (o.why = 'void' or o.ended is not null) group by o.hour order by o.hour limit p_limit;
end
$$;

-- Adds up the charges of an hour anew, and its day once that is over, however often it is called, one call at a time. A background task: in
-- a turn it would cost every request an upsert. What is owed is read before the charges are: a void that commits in between stays owed.
-- Requests that were undone do not count.
create function rollup_v1(p_hour timestamptz) returns bigint language plpgsql as $$
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

-- What background tasks lock: any role can take an advisory lock and keep it, and a row only one that may write to its table.
create table duty (name text primary key);
insert into duty values ('catalogue'), ('partition'), ('rollup');

-- Gives a day its own partition of the charges. For days to come: once a row of that day lies in the default partition, PostgreSQL refuses.
-- Answers whether there was something to do. The one thing that the serving role does as the owner.
create function partition_v1(p_day date) returns boolean language plpgsql as $$
declare
  v_name text := to_char(p_day, '_YYYYMMDD');
  v_from uuid := uuid_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := uuid_floor((p_day + 1)::timestamp at time zone 'UTC');
begin
  if to_regclass('charge' || v_name) is not null then return false; end if;
  execute format('create table %I partition of charge for values from (%L) to (%L)', 'charge' || v_name, v_from, v_to);
  execute format('create trigger is_kept before truncate on %I for each statement execute function journal_is_final()', 'charge' || v_name);
  return true;
end
$$;

-- It names its schema and not what a caller's search path says, and waits for no lock longer than callers should.
do $$
begin
  execute format(
    'alter function partition_v1(date) security definer set search_path = %I, pg_temp set lock_timeout = %L', current_schema(), '300ms');
end
$$;
