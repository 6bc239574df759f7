-- Why: every admission asks whether its request was charged before. Asked of the journal as a whole, that locks each of its partitions, one for
-- every day in service: after a year a lone admission took about one and a half times as long. Ids tell their day, so it is asked of the partition
-- of that day by name, in a function that is written anew whenever a day gets its partition.
-- Locks: none on tables; it creates functions and replaces some.

-- Which of these requests were charged before; the first and the last of them are named so that it need not look for these. It is written anew
-- by `name_days`, with the partitions of the days around the present.
create function charged_among(p_ids uuid[], p_first uuid, p_last uuid) returns uuid[] language plpgsql as $$
begin
  return array(select hold_id from charge where hold_id = any (p_ids) and hold_id >= p_first and hold_id <= p_last);
end
$$;

-- Each day has a branch of its own, which PostgreSQL plans when it is first used. Anything else is asked of the whole journal: ids of two days, of
-- a day without a partition, of a day that was not named yet. The partitions are read as the owner, since roles are granted the journal and
-- not its parts.
create function name_days() returns void language plpgsql as $$
declare
  v_today date := (ledger_now() at time zone 'UTC')::date;
  v_day date;
  v_days text := '';
begin
  foreach v_day in array array[v_today, v_today + 1, v_today + 2, v_today - 1, v_today + 3] loop
    -- A table of that name which is no partition has some of the day's charges at most. One that somebody else owns cannot be read by name.
    continue when not exists (
      select from pg_inherits
       where inhparent = 'charge'::regclass and inhrelid = to_regclass('charge' || to_char(v_day, '_YYYYMMDD'))
         and has_table_privilege(inhrelid, 'select'));
    v_days := v_days || format(
      E'  if p_first >= %L and p_last < %L then return array(select hold_id from %I where hold_id = any (p_ids)); end if;\n',
      uuid_floor(v_day::timestamp at time zone 'UTC'), uuid_floor((v_day + 1)::timestamp at time zone 'UTC'),
      'charge' || to_char(v_day, '_YYYYMMDD'));
  end loop;
  execute format(
    'create or replace function charged_among(p_ids uuid[], p_first uuid, p_last uuid) returns uuid[] language plpgsql security definer
     set search_path = %I, pg_temp set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
     as %L',
    current_schema(),
    E'begin\n' || v_days
    || E'  return array(select hold_id from charge where hold_id = any (p_ids) and hold_id >= p_first and hold_id <= p_last);\nend');
end
$$;

-- It belongs to the owner of the journal, whoever migrates.
do $$
declare
  v_owner text := (select pg_get_userbyid(relowner) from pg_class where oid = 'charge'::regclass);
begin
  execute format('alter function name_days() security definer set search_path = %I, pg_temp', current_schema());
  execute format('alter function name_days() owner to %I', v_owner);
  execute format('alter function charged_among(uuid[], uuid, uuid) owner to %I', v_owner);
end
$$;

select name_days();

-- Gives a day its own partition of the charges. For days to come: once a row of that day lies in the default partition, PostgreSQL refuses.
-- Answers whether there was something to do.
create or replace function partition_v1(p_day date) returns boolean language plpgsql as $$
declare
  v_name text := to_char(p_day, '_YYYYMMDD');
  v_from uuid := uuid_floor(p_day::timestamp at time zone 'UTC');
  v_to uuid := uuid_floor((p_day + 1)::timestamp at time zone 'UTC');
begin
  if to_regclass('charge' || v_name) is not null then
    -- Days that were made long ahead are named when they come.
    if position('charge' || v_name in (select prosrc from pg_proc where oid = 'charged_among(uuid[], uuid, uuid)'::regprocedure)) = 0 then
      perform name_days();
    end if;
    return false;
  end if;
  execute format('create table %I partition of charge for values from (%L) to (%L)', 'charge' || v_name, v_from, v_to);
  execute format('create trigger is_kept before truncate on %I for each statement execute function journal_is_final()', 'charge' || v_name);
  perform name_days();
  return true;
end
$$;

do $$
begin
  execute format(
    'alter function partition_v1(date) security definer set search_path = %I, pg_temp set lock_timeout = %L', current_schema(), '300ms');
end
$$;

-- Requests whose keys and counters have room for all of them are served by one statement; the others are decided one by one, after them.
-- Requests that ask for more than was free before the batch are refused first and are no part of that sum, so that neither a key without
-- money nor one hopeless request pushes others off the fast path, and an exhausted account slows only its own.
--
-- Those admitted with all they asked for share one row, at place 0, whose `credits` is their number: they are nearly all, and nothing else is
-- to be said about them. Every other request has a row of its own. For each key with a limit of requests there is one row more, `rate`, at the
-- place of its first request: how many requests the last minute counts after this batch, and how long until none.
create or replace function admitted(
  p_now timestamptz, p_process uuid, p_shared boolean, p_id uuid[], p_key uuid[], p_version bigint[], p_rpm int[], p_chain int[],
  p_least_credits bigint[], p_most_credits bigint[], p_least_tokens bigint[], p_most_tokens bigint[], p_unlimited boolean[], p_model int[],
  p_price int[], p_lifetime_ms int[], p_sha bytea[], p_print bytea[]
) returns setof answer language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  v_ids uuid[] := array(select distinct p_id[i] from generate_series(1, cardinality(p_id)) i order by 1);
  v_known uuid[];
  v_us bigint := extract(epoch from p_now) * 1000000;
  v_clock timestamptz := ledger_now();
  v_served int[];
  v_refused int[];
  v_rest int[];
  v_named int[] := '{}';
  a answer;
begin
  perform require_recent(v_ids[1], v_ids[cardinality(v_ids)], v_clock);
  v_known := array(select id from hold where id = any (v_ids)) || charged_among(v_ids, v_ids[1], v_ids[cardinality(v_ids)]);

  -- A batch that repeats an id, of its own or an earlier one, is the repetition of a call, and too rare to be fast.
  if v_known = '{}' and cardinality(v_ids) = cardinality(p_id) then
    if not p_shared then
      with asked as materialized (
        select i, b.key_id, b.key_no, b.free, b.most, b.least > b.free as hopeless,
               (p_version[i] = b.version and p_chain[i] = b.chain and p_sha[i] is null and 0 <= b.least and b.least <= b.most
                and (b.other is null or b.other = 0 and b.most = 0)) is true as plain
          from generate_series(1, cardinality(p_id)) i
          cross join lateral (
            select key_id, key_no, version, chain, posted - held as free,
                   case unit when 'credit' then p_least_credits[i] else p_least_tokens[i] end as least,
                   case unit when 'credit' then p_most_credits[i] else p_most_tokens[i] end as most,
                   case unit when 'credit' then p_most_tokens[i] else p_most_credits[i] end as other
              from balance where key_id = p_key[i] and counter is not null limit 1
          ) b
      ), kept as (
        update balance b
           set held = (b.held + d.taken)::bigint, rate = case when d.cap is null then b.rate else rate_added(b.rate, v_us, d.counted) end
          from (
            select key_id, count(*) as requests, (count(*) filter (where not hopeless))::int as counted,
                   coalesce(sum(most) filter (where not hopeless), 0) as taken, min(p_rpm[i]) as cap, bool_and(plain) as plain,
                   bool_or(hopeless) as hopeless
              from asked group by key_id
          ) d
         where b.key_id = d.key_id and d.plain and d.taken <= b.posted - b.held
           and (d.cap is null or not d.hopeless and d.requests + rate_count(b.rate, v_us) <= d.cap)
        returning b.key_id
      ), put as (
        -- `is true`, because a bare `in` would become a join that compares every request with every key.
        insert into hold (id, key_id, process_id, admitted_at, deadline, credits, tokens, key_no, chain, model, price_version, claimed)
        select p_id[i], key_id, p_process, p_now, v_clock + p_lifetime_ms[i] * interval '1 millisecond', p_most_credits[i], p_most_tokens[i],
               key_no, p_chain[i], p_model[i], p_price[i], false
          from asked where not hopeless and most > 0 and (key_id in (select key_id from kept)) is true
      )
      select array_agg(i) filter (where not hopeless), array_agg(i) filter (where hopeless)
        into v_served, v_refused from asked where (key_id in (select key_id from kept)) is true;
    else
      -- First as if all fitted: one look at each key and each counter, and then all or nothing.
      with asked as materialized (
        select i, b.*
          from generate_series(1, cardinality(p_id)) i
          cross join lateral (
            select key_id, key_no, counter is not null as own, posted - held as own_free, case when p_rpm[i] is not null then rate end as rate,
                   case unit when 'credit' then p_most_credits[i] when 'tokens' then p_most_tokens[i] end as own_most,
                   case when p_chain[i] = chain then counters else (select h.counters from chain h where h.id = p_chain[i]) end as counters,
                   (p_version[i] = version and p_sha[i] is null and 0 <= coalesce(p_least_credits[i], 0) and 0 <= coalesce(p_least_tokens[i], 0)
                    and coalesce(p_least_credits[i], 0) <= coalesce(p_most_credits[i], 0)
                    and coalesce(p_least_tokens[i], 0) <= coalesce(p_most_tokens[i], 0)
                    -- A request names the amounts of its chain's units and no others.
                    and (p_most_credits[i] is not null)::int + (p_most_tokens[i] is not null)::int * 2
                        = case when p_chain[i] = chain then units else (select h.units from chain h where h.id = p_chain[i]) end) is true as plain
              from balance where key_id = p_key[i] limit 1
          ) b
      ), keys as materialized (
        select key_id, sum(own_most) as taken, count(*)::int as requests, min(p_rpm[i]) as cap,
               bool_and(plain) and (not bool_and(own) or sum(own_most) <= min(own_free))
                 and (min(p_rpm[i]) is null or count(*) + rate_count(min(rate), v_us) <= min(p_rpm[i])) as fits
          from asked group by key_id
      ), need as materialized (
        select u.id, sum(p_most_credits[a.i]) as credits, sum(p_most_tokens[a.i]) as tokens
          from asked a cross join lateral unnest(a.counters) u (id) group by u.id
      ), sums as materialized (
        select n.id, c.most, c.most <= c.free as fits
          from need n
          cross join lateral (
            select case unit when 'credit' then n.credits else n.tokens end as most, posted - held as free from counter where id = n.id limit 1
          ) c
      ), all_fit as materialized (
        select (select count(*) from asked) = cardinality(p_id) and (select bool_and(fits is true) from keys)
               and coalesce((select bool_and(fits is true) from sums), true) as yes
      ), kept as (
        update balance b
           set held = (b.held + case when b.counter is null then 0 else k.taken end)::bigint,
               rate = case when k.cap is null then b.rate else rate_added(b.rate, v_us, k.requests) end
          from keys k where b.key_id = k.key_id and (select yes from all_fit)
      ), taken as (
        update counter c set held = (c.held + s.most)::bigint from sums s where c.id = s.id and (select yes from all_fit)
      ), put as (
        insert into hold (id, key_id, process_id, admitted_at, deadline, credits, tokens, key_no, chain, counters, model, price_version, claimed)
        select p_id[i], key_id, p_process, p_now, v_clock + p_lifetime_ms[i] * interval '1 millisecond', p_most_credits[i], p_most_tokens[i],
               key_no, p_chain[i], nullif(counters, '{}'), p_model[i], p_price[i], false
          from asked where (select yes from all_fit) and coalesce(p_most_credits[i], 0) + coalesce(p_most_tokens[i], 0) > 0
      )
      select array_agg(i) into v_served from asked where (select yes from all_fit);
    end if;
    if p_shared and v_served is null then
      -- Each request with what its counters have, its own first. No step joins two others: such a join would compare each with each.
      with asked as materialized (
        select i, b.key_id, b.key_no, b.own, b.counters, b.own_most, n.ids, n.mosts, n.frees,
               n.takes and (coalesce(n.lacks, false) or coalesce(b.own_least > b.own_free, false)) as hopeless,
               (p_version[i] = b.version and p_sha[i] is null
                and coalesce(p_least_credits[i], 0) between 0 and coalesce(p_most_credits[i], 0)
                and coalesce(p_least_tokens[i], 0) between 0 and coalesce(p_most_tokens[i], 0)
                -- A request names the amounts of its chain's units and no others.
                and (not n.takes
                     or (p_most_credits[i] is not null) = (coalesce(n.credit, false) or coalesce(b.unit = 'credit', false))
                        and (p_most_tokens[i] is not null) = (coalesce(n.tokens, false) or coalesce(b.unit = 'tokens', false)))) is true as plain
          from generate_series(1, cardinality(p_id)) i
          cross join lateral (
            select key_id, key_no, version, unit, counter is not null as own, posted - held as own_free,
                   case when p_chain[i] = chain then counters else (select h.counters from chain h where h.id = p_chain[i]) end as counters,
                   case unit when 'credit' then p_least_credits[i] when 'tokens' then p_least_tokens[i] end as own_least,
                   case unit when 'credit' then p_most_credits[i] when 'tokens' then p_most_tokens[i] end as own_most
              from balance where key_id = p_key[i] limit 1
          ) b
          cross join lateral (
            select coalesce(p_most_credits[i], 0) + coalesce(p_most_tokens[i], 0) > 0 as takes, array_agg(c.id) as ids, array_agg(c.most) as mosts,
                   array_agg(c.free) as frees, bool_or(c.least > c.free) as lacks, bool_or(c.unit = 'credit') as credit,
                   bool_or(c.unit = 'tokens') as tokens
              from unnest(b.counters) u (id)
              cross join lateral (
                select id, unit, posted - held as free, case unit when 'credit' then p_least_credits[i] else p_least_tokens[i] end as least,
                       case unit when 'credit' then p_most_credits[i] else p_most_tokens[i] end as most
                  from counter where id = u.id limit 1
              ) c
          ) n
      ), need as materialized (
        select a.i, a.key_id, n.id, n.most, n.free
          from asked a cross join lateral unnest(a.ids, a.mosts, a.frees) as n (id, most, free) where not a.hopeless and n.most > 0
      ), slow as materialized (
        -- Keys of which one request is not plain, and those that share a counter with too little for all.
        select key_id from asked where not plain
        union
        select key_id from need where (id in (select id from need group by id having sum(most) > min(free))) is true
      ), kept as (
        update balance b
           set held = (b.held + case when b.counter is null then 0 else d.taken end)::bigint,
               rate = case when d.cap is null then b.rate else rate_added(b.rate, v_us, d.counted) end
          from (
            select key_id, count(*) as requests, (count(*) filter (where not hopeless))::int as counted,
                   coalesce(sum(own_most) filter (where not hopeless), 0) as taken, min(p_rpm[i]) as cap, bool_or(hopeless) as hopeless
              from asked where (key_id in (select key_id from slow)) is not true group by key_id
          ) d
         where b.key_id = d.key_id and (b.counter is null or d.taken <= b.posted - b.held)
           and (d.cap is null or not d.hopeless and d.requests + rate_count(b.rate, v_us) <= d.cap)
        returning b.key_id
      ), taken as (
        update counter c set held = (c.held + t.most)::bigint
          from (select id, sum(most) as most from need where (key_id in (select key_id from kept)) is true group by id) t
         where c.id = t.id
      ), served as materialized (
        select * from asked where (key_id in (select key_id from kept)) is true
      ), put as (
        insert into hold (id, key_id, process_id, admitted_at, deadline, credits, tokens, key_no, chain, counters, model, price_version, claimed)
        select p_id[i], key_id, p_process, p_now, v_clock + p_lifetime_ms[i] * interval '1 millisecond', p_most_credits[i], p_most_tokens[i],
               key_no, p_chain[i], nullif(counters, '{}'), p_model[i], p_price[i], false
          from served where not hopeless and coalesce(p_most_credits[i], 0) + coalesce(p_most_tokens[i], 0) > 0
      )
      select array_agg(i) filter (where not hopeless), array_agg(i) filter (where hopeless) into v_served, v_refused from served;
    end if;
  end if;

  a.part := 'a';
  a.place := 0;
  a.verdict := 'admitted';
  a.credits := coalesce(cardinality(v_served), 0);
  return next a;
  if a.credits = cardinality(p_id) and cardinality(array_remove(p_rpm, null)) = 0 then return; end if;
  if v_refused is not null then
    for a in
      select 'a', q.i, f.verdict, null::bigint, null::bigint, null::bigint, f.posted_credits, f.posted_tokens, f.free_credits, f.free_tokens,
             f.counter, f.posted, f.free, f.amount, f.unit, f.kind, f.period, f.renews_at, f.holder
        from unnest(v_refused) q (i)
        cross join lateral (
          select refusal_of.*
            from (select case when b.chain = p_chain[q.i] then b.counters else (select h.counters from chain h where h.id = p_chain[q.i]) end as counters
                    from balance b where b.key_id = p_key[q.i]) n
            cross join lateral refusal_of(p_key[q.i], n.counters, p_least_credits[q.i], p_least_tokens[q.i])
        ) f
    loop
      if a.verdict <> 'reserved' then v_named := v_named || a.counter; end if;
      return next a;
    end loop;
  end if;
  v_rest := array(select i from generate_series(1, cardinality(p_id)) i where i <> all (coalesce(v_served || v_refused, '{}')));
  if v_rest <> '{}' then
    for a in
      select * from admit_exact(p_now, v_rest, v_known, p_process, p_id, p_key, p_version, p_rpm, p_chain, p_least_credits, p_most_credits,
                                p_least_tokens, p_most_tokens, p_unlimited, p_model, p_price, p_lifetime_ms, p_sha, p_print)
    loop
      if a.verdict in ('insufficient', 'limit_reached') then v_named := v_named || a.counter; end if;
      return next a;
    end loop;
  end if;
  if v_named <> '{}' then perform thresholds_refused(v_named, p_now); end if;
  if cardinality(array_remove(p_rpm, null)) = 0 then return; end if;
  return query
    select 'a', q.i, 'rate', rate_count(b.rate, v_us), null::bigint, rate_wait_ms(b.rate, 0, v_us), null::bigint, null::bigint, null::bigint,
           null::bigint, null::int, null::bigint, null::bigint, null::bigint, null::text, null::text, null::text, null::timestamptz, null::text
      from (select min(i) as i, p_key[i] as key_id from generate_series(1, cardinality(p_id)) i where p_rpm[i] is not null group by 2) q
      cross join lateral (select rate from balance where key_id = q.key_id limit 1) b;
end
$$;

-- The counters of open holds and of charges. Read before they are locked: a chain never changes. The journal is asked only for what is not
-- open, since that locks the partitions of all days.
create or replace function counters_of(p_id uuid[]) returns int[] language plpgsql stable as $$
begin
  if not exists (select from unnest(p_id) u (id) where not exists (select from hold where hold.id = u.id)) then
    return array(select distinct u.id from hold cross join unnest(hold.counters) u (id) where hold.id = any (p_id));
  end if;
  return (
    select coalesce(array_agg(distinct u.id), '{}') from (
      select counters from hold where id = any (p_id)
      union all
      select h.counters || h.own from charge c join chain h on h.id = c.chain where c.hold_id = any (p_id)
    ) q cross join unnest(q.counters) u (id)
  );
end
$$;
