-- Why: most turns of a quiet gateway are one call, admitted or settled. Such a call has a function of its own, with one value for each of its
-- fields, and the statements that change the balance are the ones that lock it. Half of the time that PostgreSQL spent on such a turn went into
-- arrays of one value, into a lock taken apart, and into many small statements.
-- Locks: none on tables; it creates functions and replaces some.

-- As before, with fewer statements: each costs more than what it does.
create or replace function ledger_ready(p_mark uuid default null) returns void language plpgsql as $$
declare
  l_identifier bigint;
  l_timeline int;
  l_mark uuid;
  l_superseded_by int;
  s_identifier bigint;
  s_timeline int;
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') or pg_is_in_recovery()
     or current_setting('synchronous_commit') = 'off' then
    if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
      raise exception 'the isolation level is %, and the ledger needs read committed', current_setting('transaction_isolation')
        using errcode = '55T02', hint = 'set default_transaction_isolation to ''read committed'' for the role, the database and the pooler';
    end if;
    if pg_is_in_recovery() then
      raise exception 'the database server is a standby' using errcode = 'read_only_sql_transaction';
    end if;
    perform set_config('synchronous_commit', 'on', true);
  end if;
  lock table server_line in row share mode;
  select identifier, timeline, mark, superseded_by, nullif(current_setting('tollgate.system_identifier', true), '')::bigint,
         ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int
    into l_identifier, l_timeline, l_mark, l_superseded_by, s_identifier, s_timeline from server_line;
  -- It is the same for as long as the server runs, and reading it opens a file: each connection remembers it.
  if s_identifier is null then
    s_identifier := (select system_identifier from pg_control_system());
    perform set_config('tollgate.system_identifier', s_identifier::text, false);
  end if;
  if l_identifier = s_identifier and coalesce(l_superseded_by, 0) <= s_timeline
     and (l_timeline = s_timeline and (p_mark is null or p_mark = l_mark) or l_timeline < s_timeline and p_mark is null) then
    return;
  end if;
  raise exception '%', case
      when l_identifier is distinct from s_identifier then
        format('the books were last on the server with system identifier %s, and this one is %s', coalesce(l_identifier::text, 'unknown'), s_identifier)
      when greatest(l_timeline, l_superseded_by) > s_timeline then
        format('this server is on timeline %s, and the books have been on timeline %s', s_timeline, greatest(l_timeline, l_superseded_by))
      else format('this server, on timeline %s, is not the one that the gateway follows', s_timeline) end
    using errcode = '08T01',
          hint = case when l_identifier is distinct from s_identifier
                   then 'if this server is meant to have the books, run: tollgate ledger adopt'
                   else 'stop the server that no longer leads' end;
end
$$;

-- Whether a request was admitted or ended before. Who asks holds the lock of its balance.
create function is_known(p_id uuid) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
begin
  return exists (select from hold where id = p_id) or charged_among(array[p_id], p_id, p_id) <> '{}';
end
$$;

-- Admits one request with all it asks for; false: nothing was done, and the whole rule has to decide. The statement that takes from the balance
-- locks it, and where it had to wait it decides by the row as it is then. What was admitted before is looked for afterwards, in another
-- statement, which sees what happened during the wait. A request that is found is refused with 40T01, and nothing has happened.
create or replace function admitted_alone(
  p_now timestamptz, p_process uuid, p_id uuid, p_key uuid, p_version bigint, p_rpm int, p_chain int, p_least_credits bigint,
  p_most_credits bigint, p_least_tokens bigint, p_most_tokens bigint, p_model int, p_price int, p_lifetime_ms int
) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  v_us bigint := extract(epoch from p_now) * 1000000;
  v_least bigint := coalesce(p_least_credits, p_least_tokens);
  v_most bigint := coalesce(p_most_credits, p_most_tokens);
  v_key_no int;
begin
  perform require_recent(p_id, p_id, ledger_now());
  update balance
     set held = held + v_most, rate = case when p_rpm is null then rate else rate_added(rate, v_us, 1) end
   where key_id = p_key and version = p_version and chain = p_chain and counters is null and v_most <= posted - held
     -- One unit, and something to hold: a request that is only counted holds nothing.
     and unit = case when p_most_credits is null then 'tokens' else 'credit' end and (p_most_credits is null) <> (p_most_tokens is null)
     and (p_least_credits is null) = (p_most_credits is null) and 0 <= v_least and v_least <= v_most and 0 < v_most
     and period_from <= p_now and p_now < period_ends_at and (p_rpm is null or rate_count(rate, v_us) < p_rpm)
  returning key_no into v_key_no;
  if not found then return false; end if;
  insert into hold (id, key_id, process_id, admitted_at, deadline, credits, tokens, key_no, chain, model, price_version, claimed)
  select p_id, p_key, p_process, p_now, ledger_now() + p_lifetime_ms * interval '1 millisecond', p_most_credits, p_most_tokens, v_key_no,
         p_chain, p_model, p_price, false
   where charged_among(array[p_id], p_id, p_id) = '{}'
  on conflict do nothing;
  if not found then raise exception 'request % was admitted before', p_id using errcode = '40T01'; end if;
  return true;
end
$$;

-- Settles one completed request at the price it came with, which its hold covers; false: nothing was done, and the whole rule has to decide.
-- The balance is locked by its change, which reads of the hold what never changes. The hold is the right to charge: whoever deletes it writes
-- the charge. One that somebody else has deleted during the wait is refused with 40T01, and nothing has happened.
create or replace function settled_alone(
  p_now timestamptz, p_id uuid, p_key uuid, p_credits bigint, p_tokens bigint, p_input int, p_cache_read int, p_cache_write int,
  p_cache_write_1h int, p_output int, p_reasoning int, p_tools jsonb, p_provider int, p_status int, p_first_byte_ms int, p_took_ms int,
  p_estimated boolean, p_digest bytea
) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  v_day date := (p_now at time zone 'UTC')::date;
  v_soon date := ((p_now + interval '1 hour') at time zone 'UTC')::date;
  e record;
begin
  update balance b
     set posted = case b.kind when 'purse' then b.posted - h.paid
                              else greatest(b.amount + b.refunded - b.used - h.paid + b.older_held, b.held - h.released) end,
         held = b.held - h.released, used = b.used + h.paid,
         spent = b.spent + case b.unit when 'credit' then h.paid else 0 end,
         today = case when b.today between v_day + 1 and v_soon then b.today else v_day end,
         today_spend = case when b.today between v_day + 1 and v_soon then b.today_spend
                            when b.today = v_day then b.today_spend + h.paid else h.paid end,
         last_cost = h.paid, requests = b.requests + 1, tokens_in = b.tokens_in + coalesce(p_input, 0),
         tokens_out = b.tokens_out + coalesce(p_output, 0)
    from (
      select *, case when credits is null then 'tokens' else 'credit' end as unit, coalesce(credits, tokens) as released,
             case when credits is null then p_tokens else p_credits end as paid
        from hold
       where id = p_id and key_id = p_key and counters is null and not claimed and (credits is null) <> (tokens is null)
    ) h
   where b.key_id = p_key and b.unit = h.unit and b.mode_unit = h.unit and h.paid between 0 and h.released
     and h.admitted_at >= b.period_from and b.period_from <= p_now and p_now < b.period_ends_at
     -- What was ended during the wait is held no longer.
     and b.held - h.released >= b.older_held
  returning b.counter, case b.kind when 'limit' then b.used - b.refunded >= b.due else b.posted <= b.due end as fires, h.admitted_at,
            h.credits, h.tokens, h.paid, h.key_no, h.chain, h.model, h.price_version into e;
  if not found then return false; end if;
  delete from hold where id = p_id;
  if not found then raise exception 'request % was ended before', p_id using errcode = '40T01'; end if;
  insert into charge (hold_id, admitted_at, at, granted_credits, granted_tokens, credits, tokens, key_no, chain, model, price_version, input,
                      cache_read, cache_write, cache_write_1h, output, reasoning, took_ms, first_byte_ms, provider, status, kind, estimated,
                      reported, tools, digest)
  values (p_id, e.admitted_at, p_now, e.credits, e.tokens, case when e.credits is not null then e.paid end,
          case when e.tokens is not null then e.paid end, e.key_no, e.chain, e.model, e.price_version, coalesce(p_input, 0),
          nullif(p_cache_read, 0), nullif(p_cache_write, 0), nullif(p_cache_write_1h, 0), coalesce(p_output, 0), nullif(p_reasoning, 0),
          p_took_ms, p_first_byte_ms, p_provider, p_status, 1, coalesce(p_estimated, false), p_provider is not null, p_tools, p_digest);
  if e.fires then perform thresholds_passed(array[e.counter], p_now); end if;
  return true;
end
$$;

-- A turn of one request that starts, of a key without further counters. Null: nothing was done, and `turn_v1` has to decide. Otherwise it is
-- admitted with all it asks for, and where its requests are limited the answer says how many the last minute counts, and how long until none.
create function admit_turn_v1(
  p_mark uuid, p_process uuid, p_id uuid, p_key uuid, p_version bigint, p_rpm int, p_chain int, p_least_credits bigint, p_most_credits bigint,
  p_least_tokens bigint, p_most_tokens bigint, p_model int, p_price int, p_lifetime_ms int
) returns bigint[] language plpgsql as $$
declare
  v_now timestamptz;
  v_us bigint;
begin
  perform ledger_ready(p_mark);
  v_now := ledger_now();
  if not admitted_alone(v_now, p_process, p_id, p_key, p_version, p_rpm, p_chain, p_least_credits, p_most_credits, p_least_tokens,
                        p_most_tokens, p_model, p_price, p_lifetime_ms) then
    return null;
  end if;
  if p_rpm is null then return '{}'; end if;
  v_us := extract(epoch from v_now) * 1000000;
  return (select array[rate_count(rate, v_us), rate_wait_ms(rate, 0, v_us)] from balance where key_id = p_key);
end
$$;

-- A turn of one completed request of such a key. False: nothing was done, and `turn_v1` has to decide.
create function settle_turn_v1(
  p_mark uuid, p_id uuid, p_key uuid, p_credits bigint, p_tokens bigint, p_input int, p_cache_read int, p_cache_write int,
  p_cache_write_1h int, p_output int, p_reasoning int, p_tools jsonb, p_provider int, p_status int, p_first_byte_ms int, p_took_ms int,
  p_estimated boolean, p_digest bytea
) returns boolean language plpgsql as $$
begin
  perform ledger_ready(p_mark);
  return settled_alone(ledger_now(), p_id, p_key, p_credits, p_tokens, p_input, p_cache_read, p_cache_write, p_cache_write_1h, p_output,
                       p_reasoning, p_tools, p_provider, p_status, p_first_byte_ms, p_took_ms, p_estimated, p_digest);
end
$$;

-- One turn of a process: it ends requests and starts others. The counters are those of all chains in it, and are locked here; a chain never
-- changes, so they may be named before they are locked.
create or replace function turn_v1(
  p_mark uuid, p_process uuid, p_counters int[],
  s_id uuid[], s_key uuid[], s_kind smallint[], s_credits bigint[], s_tokens bigint[], s_input int[], s_cache_read int[], s_cache_write int[],
  s_cache_write_1h int[], s_output int[], s_reasoning int[], s_tools jsonb[], s_delivered boolean[], s_provider int[], s_status int[],
  s_first_byte_ms int[], s_took_ms int[], s_estimated boolean[], s_digest bytea[], s_answer_status int[], s_answer_type text[],
  s_answer_body bytea[], s_absorbed_credits bigint[], s_absorbed_tokens bigint[], s_waived_credits bigint[], s_waived_tokens bigint[],
  s_cap bigint[],
  a_id uuid[], a_key uuid[], a_version bigint[], a_rpm int[], a_chain int[], a_least_credits bigint[], a_most_credits bigint[],
  a_least_tokens bigint[], a_most_tokens bigint[], a_unlimited boolean[], a_model int[], a_price int[], a_lifetime_ms int[], a_sha bytea[],
  a_print bytea[]
) returns setof answer language plpgsql as $$
declare
  v_now timestamptz;
  v_us bigint;
  a answer;
begin
  perform ledger_ready(p_mark);
  v_now := locked(coalesce(s_key, '{}') || coalesce(a_key, '{}'), p_counters);
  a.place := 0;
  a.credits := 1;
  if s_id is not null then
    if cardinality(s_id) = 1 and p_counters = '{}' and s_kind[1] = 1 and s_answer_status is null and s_absorbed_credits is null
       and s_absorbed_tokens is null and s_waived_credits is null and s_waived_tokens is null and coalesce(s_cap[1], 1) > 0
       and settled_alone(v_now, s_id[1], s_key[1], s_credits[1], s_tokens[1], s_input[1], s_cache_read[1], s_cache_write[1],
                         s_cache_write_1h[1], s_output[1], s_reasoning[1], s_tools[1], s_provider[1], s_status[1], s_first_byte_ms[1],
                         s_took_ms[1], s_estimated[1], s_digest[1]) then
      a.part := 's';
      a.verdict := 'settled';
      return next a;
    else
      return query
        select * from settled(v_now, s_id, s_key, s_kind, s_credits, s_tokens, s_input, s_cache_read, s_cache_write, s_cache_write_1h, s_output,
                              s_reasoning, s_tools, s_delivered, s_provider, s_status, s_first_byte_ms, s_took_ms, s_estimated, s_digest,
                              s_answer_status, s_answer_type, s_answer_body, s_absorbed_credits, s_absorbed_tokens, s_waived_credits,
                              s_waived_tokens, s_cap);
    end if;
  end if;
  if a_id is not null then
    if cardinality(a_id) = 1 and p_counters = '{}' and a_sha is null and not is_known(a_id[1])
       and admitted_alone(v_now, p_process, a_id[1], a_key[1], a_version[1], a_rpm[1], a_chain[1], a_least_credits[1], a_most_credits[1],
                          a_least_tokens[1], a_most_tokens[1], a_model[1], a_price[1], a_lifetime_ms[1]) then
      a.part := 'a';
      a.verdict := 'admitted';
      return next a;
      if a_rpm[1] is not null then
        v_us := extract(epoch from v_now) * 1000000;
        a.place := 1;
        a.verdict := 'rate';
        select rate_count(rate, v_us), rate_wait_ms(rate, 0, v_us) into a.credits, a.retry_after_ms from balance where key_id = a_key[1];
        return next a;
      end if;
    else
      return query
        select * from admitted(v_now, p_process, p_counters <> '{}', a_id, a_key, a_version, a_rpm, a_chain, a_least_credits, a_most_credits,
                               a_least_tokens, a_most_tokens, a_unlimited, a_model, a_price, a_lifetime_ms, a_sha, a_print);
    end if;
  end if;
end
$$;
