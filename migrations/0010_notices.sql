-- Why: people are told when a counter runs low, once: by a row that is written in the transaction that makes it true, and sent afterwards.
-- Locks: none on tables that anybody uses.

-- What a counter is watched for: percentages of a limit's amount, or amounts left of a purse. An empty list: nothing. Without a row a limit
-- is watched at 80 and 100 %, and a purse for the end of what was paid in.
create table threshold (
  counter int primary key,
  marks bigint[] not null check (cardinality(marks) <= 20 and array_position(marks, null) is null and 0 <= all (marks))
);

create function thresholds_of(p_counter int, p_kind text) returns bigint[] language sql stable as $$
  select coalesce((select marks from threshold where counter = p_counter), case p_kind when 'limit' then '{80,100}'::bigint[] else '{0}' end)
$$;

-- How much of a limit is used at a percentage of it, rounded up.
create function used_at(p_amount bigint, p_mark bigint) returns bigint language sql immutable as $$
  select ceil(p_amount::numeric * p_mark / 100)::bigint
$$;

-- One row for each threshold that was passed: in each period and revision of a limit, or after each funding of a purse, which is a revision,
-- too. What was true then stands here; names are those of today.
create table notice (
  id uuid primary key default gen_random_uuid(),
  no bigint generated always as identity unique,
  counter int not null,
  unit unit not null,
  period budget_period not null,
  period_no bigint not null,
  revision int not null,
  -- So many percent of a limit are used, or so much of a purse is left.
  kind text not null check (kind in ('percent', 'left')),
  value bigint not null,
  -- `used`: what was charged has come up to it; `left`: what is left has come down to it; `refused`: a request was refused for it.
  cause text not null check (cause in ('used', 'left', 'refused')),
  -- Of a limit: what a period has. Of a purse: all that was paid in.
  amount bigint not null,
  -- Without what was refunded.
  used bigint not null,
  posted bigint not null,
  held bigint not null,
  renews_at timestamptz,
  at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  unique (counter, period_no, revision, kind, value)
);
create trigger notice_is_final before update or delete on notice for each row execute function journal_is_final();
create trigger notice_is_kept before truncate on notice for each statement execute function journal_is_final();

-- Where notices are sent: the names in the settings of processes, and when one of these was last seen.
create table endpoint (
  name text primary key check (name ~ '^[a-z][a-z0-9_-]{0,31}$'),
  seen_at timestamptz not null
);

-- One row for each notice and endpoint.
create table delivery (
  notice uuid not null,
  endpoint text not null,
  -- As in the notice, for the order.
  no bigint not null,
  counter int not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  attempts int not null default 0,
  -- When the next attempt is due. While one is under way, `sending`: when it is taken for lost.
  next_at timestamptz not null,
  sending boolean not null default false,
  first_at timestamptz,
  last_at timestamptz,
  -- What became of the last attempt: the status of the response, and in a word what was wrong.
  status int,
  problem text check (length(problem) <= 100),
  primary key (notice, endpoint)
);
create index delivery_waiting on delivery (endpoint, next_at) where state = 'waiting';
create index delivery_order on delivery (endpoint, counter, no) where state = 'waiting';
create index delivery_dead on delivery (no) where state = 'dead';

insert into duty values ('notices');

-- The next amount at which a threshold fires that has not fired in this round. Of a purse only those below what it has: those above fire when
-- it has come down to them once more.
create function due_next(p_counter int, p_kind text, p_amount bigint, p_posted bigint, p_period_no bigint, p_revision int) returns bigint
language sql stable as $$
  select case p_kind when 'limit' then min(used_at(p_amount, mark)) else max(mark) end
    from unnest(thresholds_of(p_counter, p_kind)) m (mark)
   where case p_kind when 'limit' then p_amount > 0 else mark < p_posted end
     and not exists (select from notice n
                      where n.counter = p_counter and n.period_no = p_period_no and n.revision = p_revision and n.value = m.mark)
$$;

-- Writes down, in each counter, the next amount at which one of its thresholds fires. The caller holds the locks.
create function thresholds_set(p_counters int[]) returns void language plpgsql as $$
begin
  update balance b set due = q.due
    from (select counter, due_next(counter, kind, amount, posted, period_no, revision) as due from balance where counter = any (p_counters)) q
   where b.counter = q.counter and b.due is distinct from q.due;
  update counter c set due = q.due
    from (select id, due_next(id, kind, amount, posted, period_no, revision) as due from counter where id = any (p_counters)) q
   where c.id = q.id and c.due is distinct from q.due;
end
$$;

-- Writes these notices, each once, and what is to be sent of them. The caller holds the locks of the counters, so nobody else writes them.
create function notices_written(p_counter int[], p_mark bigint[], p_cause text, p_now timestamptz) returns void language plpgsql as $$
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

-- Writes a notice for each threshold that has been passed and has none yet. The caller holds the locks.
create function thresholds_passed(p_counters int[], p_now timestamptz) returns void language plpgsql as $$
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

-- A limit is at 100 %, too, when it is what refuses a request, and a purse at its end. What was never filled is not told about.
create function thresholds_refused(p_counters int[], p_now timestamptz) returns void language plpgsql as $$
declare
  v_counter int[];
  v_mark bigint[];
begin
  select array_agg(c.id), array_agg(m.mark) into v_counter, v_mark
    from counter_anywhere c cross join lateral (select case c.kind when 'limit' then 100 else 0 end::bigint as mark) m
   where c.id = any (p_counters) and m.mark = any (thresholds_of(c.id, c.kind))
     and case c.kind when 'limit' then c.amount > 0 else c.funded > 0 end
     and not exists (select from notice n
                      where n.counter = c.id and n.period_no = c.period_no and n.revision = c.revision and n.value = m.mark);
  if v_counter is not null then perform notices_written(v_counter, v_mark, 'refused', p_now); end if;
end
$$;

-- Watches a counter for these; null: for what is usual. What a limit has passed already fires at once.
create function thresholds_v1(p_counter int, p_marks bigint[]) returns text language plpgsql as $$
declare
  c record;
  v_now timestamptz;
begin
  perform ledger_ready();
  v_now := counter_locked(p_counter);
  select * into c from counter_anywhere where id = p_counter and closed_at is null;
  if not found then return 'unknown_counter'; end if;
  if c.kind = 'limit' and exists (select from unnest(p_marks) m where m not between 1 and 100) then
    raise exception 'a limit is watched at 1 to 100 percent' using errcode = 'invalid_parameter_value';
  end if;
  if p_marks is null then
    delete from threshold where counter = p_counter;
  else
    insert into threshold (counter, marks) values (p_counter, array(select distinct m from unnest(p_marks) m order by m))
    on conflict (counter) do update set marks = excluded.marks;
  end if;
  perform thresholds_set(array[p_counter]);
  perform thresholds_passed(array[p_counter], v_now);
  return 'set';
end
$$;

-- Whose a counter is. An account of a single key has no name of its own.
create view counter_owner as
  select c.id as counter, a.id as account_id, k.id as key_id, k.label as key_label,
         (select s.prefix from key_secret s where s.key_id = k.id order by s.created_at desc, s.prefix limit 1) as key_prefix,
         case when a.id is null then '{}'::text[]
              else array(select p.name from unnest(a.path) with ordinality u (id, place) join account p on p.id = u.id order by u.place) end as account_path,
         c.models, c.own
    from counter_anywhere c
    left join key k on k.id = c.key_id
    left join account a on a.id = coalesce(c.account_id, k.account_id) and not a.lone;

-- Takes up what is due to be sent: at most `p_each` under way for each endpoint, whichever process sends them. A notice waits for earlier ones
-- of its counter, until these have failed four times. An attempt that says nothing for `p_lease_ms` is taken for lost, and made again.
create function deliveries_taken_v1(p_endpoints text[], p_each int, p_lease_ms int) returns table (
  id uuid, endpoint text, attempt int, tried_ms bigint
) language plpgsql as $$
#variable_conflict use_column
declare
  v_now timestamptz := ledger_now();
begin
  -- Nothing is written while nothing is to do.
  if not exists (select from delivery d where d.state = 'waiting' and d.next_at <= v_now)
     and not exists (select from unnest(p_endpoints) e where not exists (select from endpoint o where o.name = e and o.seen_at > v_now - interval '1 hour'))
     and not exists (select from endpoint where seen_at < v_now - interval '1 day') then
    return;
  end if;
  -- One process at a time: two would each count what the other has not taken yet.
  perform from duty where name = 'notices' for update skip locked;
  if not found then return; end if;
  insert into endpoint (name, seen_at) select e, v_now from unnest(p_endpoints) e
  on conflict (name) do update set seen_at = excluded.seen_at where endpoint.seen_at < excluded.seen_at - interval '1 hour';
  -- An endpoint that no process has had in its settings for a day.
  delete from delivery d using endpoint e where e.seen_at < v_now - interval '1 day' and d.endpoint = e.name and d.state <> 'delivered';
  delete from endpoint where seen_at < v_now - interval '1 day';
  return query
    with due as materialized (
      select d.notice, d.endpoint
        from unnest(p_endpoints) e (name)
        cross join lateral (
          select w.notice, w.endpoint from delivery w
           where w.endpoint = e.name and w.state = 'waiting' and w.next_at <= v_now
             and not exists (select from delivery o
                              where o.endpoint = w.endpoint and o.counter = w.counter and o.no < w.no and o.state = 'waiting' and o.attempts < 4)
           order by w.next_at, w.no
           limit greatest(0, p_each - (select count(*) from delivery s
                                        where s.endpoint = e.name and s.state = 'waiting' and s.sending and s.next_at > v_now))
        ) d
    )
    update delivery d
       set attempts = d.attempts + 1, first_at = coalesce(d.first_at, v_now), last_at = v_now, sending = true,
           next_at = v_now + p_lease_ms * interval '1 millisecond'
      from due where d.notice = due.notice and d.endpoint = due.endpoint
    returning d.notice, d.endpoint, d.attempts, (extract(epoch from v_now - d.first_at) * 1000)::bigint;
end
$$;

-- What became of an attempt. `p_again_ms` null: there is no other one. A success counts whichever attempt it was.
create function delivery_ended_v1(p_notice uuid, p_endpoint text, p_attempt int, p_ok boolean, p_status int, p_problem text, p_again_ms bigint)
returns boolean language plpgsql as $$
begin
  update delivery
     set state = case when p_ok then 'delivered' when p_again_ms is null then 'dead' else 'waiting' end, sending = false, status = p_status,
         problem = p_problem, last_at = ledger_now(),
         next_at = case when p_ok or p_again_ms is null then 'infinity' else ledger_now() + p_again_ms * interval '1 millisecond' end
   where notice = p_notice and endpoint = p_endpoint and (p_ok and state <> 'delivered' or state = 'waiting' and attempts = p_attempt);
  return found;
end
$$;

-- Sends dead letters anew, from the beginning; null: all of them.
create function deliveries_retried_v1(p_notice uuid) returns int language plpgsql as $$
declare
  v_count int;
begin
  update delivery set state = 'waiting', attempts = 0, first_at = null, next_at = ledger_now(), sending = false
   where state = 'dead' and (p_notice is null or notice = p_notice);
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
