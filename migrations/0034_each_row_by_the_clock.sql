-- Why: one key whose period had begun ahead of the clock made its beginning the instant of every call that touched it. Other keys of the call
-- lost the rest of their periods, were charged in the future and could not ask again before it. Each row is turned by the clock now, and only
-- by calls that start requests: their ids say that the clock is right. What ends belongs to the period of its admission and turns nothing.
-- Locks: none on tables; it creates and replaces functions.

-- How many requests the minute before this instant counts. What lies more than a minute ahead is of a clock that was wrong, and counts no more.
create or replace function rate_count(p_rate bigint[], p_us bigint) returns bigint language plpgsql immutable as $$
declare
  v_sum bigint := 0;
  v_second bigint;
  v_from bigint := (p_us - 59999999) << 10;
  v_to bigint := (p_us + 60000001) << 10;
begin
  foreach v_second in array p_rate loop
    if v_second >= v_from and v_second < v_to then v_sum := v_sum + (v_second & 1023); end if;
  end loop;
  return v_sum;
end
$$;

-- With so many more, and without those that have left or lie ahead.
create or replace function rate_added(p_rate bigint[], p_us bigint, p_count int) returns bigint[] language plpgsql immutable as $$
declare
  v_to int := cardinality(p_rate);
  v_from int := 1;
  v_now int;
  v_left int := p_count;
  v_us bigint := p_us;
begin
  while v_to > 0 and p_rate[v_to] >> 10 > p_us + 60000000 loop v_to := v_to - 1; end loop;
  while v_from <= v_to and p_rate[v_from] >> 10 <= p_us - 60000000 loop v_from := v_from + 1; end loop;
  p_rate := p_rate[v_from:v_to];
  v_to := v_to - v_from + 1;
  -- A clock that was set back adds to the newest.
  if v_to > 0 and v_left > 0 and (p_rate[v_to] >> 10) / 1000000 >= p_us / 1000000 then
    v_us := greatest(p_rate[v_to] >> 10, p_us);
    v_now := least(v_left, 1023 - (p_rate[v_to] & 1023)::int);
    p_rate[v_to] := (v_us << 10) + (p_rate[v_to] & 1023) + v_now;
    v_left := v_left - v_now;
  end if;
  while v_left > 0 loop
    v_now := least(v_left, 1023);
    p_rate := p_rate || ((v_us << 10) + v_now);
    v_left := v_left - v_now;
  end loop;
  return p_rate;
end
$$;

-- How long until fewer than `p_rpm` are counted, and none when that is 0: at most a minute, whatever the clock did.
create or replace function rate_wait_ms(p_rate bigint[], p_rpm int, p_us bigint) returns bigint language plpgsql immutable as $$
declare
  v_count bigint := rate_count(p_rate, p_us);
  v_wait bigint := 0;
  v_second bigint;
begin
  foreach v_second in array p_rate loop
    exit when v_count < greatest(p_rpm, 1) or v_second >> 10 > p_us + 60000000;
    continue when v_second >> 10 <= p_us - 60000000;
    v_count := v_count - (v_second & 1023);
    v_wait := (v_second >> 10) + 60000000 - p_us;
  end loop;
  -- Rounded up, for who waits so long must find it over.
  return least(60000, (v_wait + 999) / 1000);
end
$$;

-- The clock once rows are locked, and of their periods the last beginning and the first end.
create type moment as (clock timestamptz, begun timestamptz, ends timestamptz);

-- Locks the balances and counters of a call.
create function rows_locked(p_key uuid[], p_counter int[]) returns moment language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  v_begun timestamptz;
  v_ends timestamptz;
  c_begun timestamptz;
  c_ends timestamptz;
begin
  select max(period_from), min(period_ends_at) into v_begun, v_ends
    from (select period_from, period_ends_at from balance where key_id = any (p_key) order by key_id for no key update) b;
  if p_counter <> '{}' then
    select max(period_from), min(period_ends_at) into c_begun, c_ends
      from (select period_from, period_ends_at from counter where id = any (p_counter) order by id desc for no key update) c;
  end if;
  return (ledger_now(), greatest(v_begun, c_begun), least(v_ends, c_ends));
end
$$;

-- Locks what a call touches that starts nothing, and answers the clock. No period begins.
create or replace function locked(p_key uuid[], p_counter int[]) returns timestamptz language plpgsql as $$
declare
  v_at moment := rows_locked(p_key, p_counter);
begin
  return v_at.clock;
end
$$;

-- Locks a counter wherever it is kept, with the balance of its key where it has one.
create function counter_taken(p_counter int) returns moment language plpgsql as $$
declare
  v_key uuid := (select key_id from balance where counter = p_counter);
begin
  if v_key is not null then return rows_locked(array[v_key], '{}'); end if;
  return rows_locked('{}', array[p_counter]);
end
$$;

-- The same for a change by an operator. It begins the period of this counter if that is due, and answers the instant: the clock's, or where the
-- period has begun by a clock that was ahead, its beginning.
create or replace function counter_locked(p_counter int) returns timestamptz language plpgsql as $$
declare
  v_at moment := counter_taken(p_counter);
begin
  if v_at.ends <= v_at.clock then
    perform periods_turned(array(select key_id from balance where counter = p_counter), array[p_counter], v_at.clock);
  end if;
  return greatest(v_at.clock, v_at.begun);
end
$$;

-- A request was refused for this counter, for good. One counter in a call, since a turn locks several in an order of its own. It tells of the
-- period that refused it.
create or replace function refused_v1(p_counter int, p_little boolean) returns void language plpgsql as $$
declare
  v_at moment;
begin
  perform ledger_ready();
  v_at := counter_taken(p_counter);
  perform refusal_told(array[p_counter], v_at.clock, p_little);
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
  perform require_recent(p_id, p_id, p_now);
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
  select p_id, p_key, p_process, p_now, p_now + p_lifetime_ms * interval '1 millisecond', p_most_credits, p_most_tokens, v_key_no,
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
     and h.admitted_at >= b.period_from
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

-- One turn of a process: it ends requests and starts others. The counters are those of all chains in it, and are locked here; a chain never
-- changes, so they may be named before they are locked. `s_cap` has for every end the cap of its payer, and then for every end that of its
-- account; a gateway that knows of none sends no second half.
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
  v_at moment;
  v_us bigint;
  a answer;
begin
  perform ledger_ready(p_mark);
  v_at := rows_locked(coalesce(s_key, '{}') || coalesce(a_key, '{}'), p_counters);
  a.place := 0;
  a.credits := 1;
  if s_id is not null then
    if cardinality(s_id) = 1 and p_counters = '{}' and s_kind[1] = 1 and s_answer_status is null and s_absorbed_credits is null
       and s_absorbed_tokens is null and s_waived_credits is null and s_waived_tokens is null and coalesce(s_cap[1], 1) > 0
       and settled_alone(v_at.clock, s_id[1], s_key[1], s_credits[1], s_tokens[1], s_input[1], s_cache_read[1], s_cache_write[1],
                         s_cache_write_1h[1], s_output[1], s_reasoning[1], s_tools[1], s_provider[1], s_status[1], s_first_byte_ms[1],
                         s_took_ms[1], s_estimated[1], s_digest[1]) then
      a.part := 's';
      a.verdict := 'settled';
      return next a;
    else
      return query
        select s.* from settled(v_at.clock, s_id, s_key, s_kind, s_credits, s_tokens, s_input, s_cache_read, s_cache_write, s_cache_write_1h, s_output,
                              s_reasoning, s_tools, s_delivered, s_provider, s_status, s_first_byte_ms, s_took_ms, s_estimated, s_digest,
                              s_answer_status, s_answer_type, s_answer_body, s_absorbed_credits, s_absorbed_tokens, s_waived_credits,
                              s_waived_tokens, s_cap) s
         where s.verdict <> 'over_cap' or is_over_cap(v_at.clock, s_key[s.place], s_cap[s.place], s_cap[s.place + cardinality(s_id)]);
    end if;
  end if;
  if a_id is not null then
    -- The ids of these requests, which are held to the same instant below, say that the clock is right. What ends has no say in it: it belongs to
    -- the period of its admission.
    if v_at.ends <= v_at.clock then perform periods_turned(a_key, p_counters, v_at.clock); end if;
    if cardinality(a_id) = 1 and p_counters = '{}' and a_sha is null and not is_known(a_id[1])
       and admitted_alone(v_at.clock, p_process, a_id[1], a_key[1], a_version[1], a_rpm[1], a_chain[1], a_least_credits[1], a_most_credits[1],
                          a_least_tokens[1], a_most_tokens[1], a_model[1], a_price[1], a_lifetime_ms[1]) then
      a.part := 'a';
      a.verdict := 'admitted';
      return next a;
      if a_rpm[1] is not null then
        v_us := extract(epoch from v_at.clock) * 1000000;
        a.place := 1;
        a.verdict := 'rate';
        select rate_count(rate, v_us), rate_wait_ms(rate, 0, v_us) into a.credits, a.retry_after_ms from balance where key_id = a_key[1];
        return next a;
      end if;
    else
      return query
        select * from admitted(v_at.clock, p_process, p_counters <> '{}', a_id, a_key, a_version, a_rpm, a_chain, a_least_credits, a_most_credits,
                               a_least_tokens, a_most_tokens, a_unlimited, a_model, a_price, a_lifetime_ms, a_sha, a_print);
    end if;
  end if;
end
$$;

-- A counter begins by the clock, whatever those above it say.
create or replace function counter_open_v1(
  p_account uuid, p_key uuid, p_kind text, p_unit text, p_amount bigint, p_period text, p_models text[], p_actor text
) returns structure language plpgsql as $$
declare
  a account;
  b balance;
  v_models text[] := (select array_agg(distinct m order by m) from unnest(p_models) m);
  v_keys uuid[];
  v_id int;
  v_now timestamptz;
  v_why text;
begin
  if (p_account is null) = (p_key is null) or p_kind = 'purse' and (p_amount <> 0 or p_period <> 'none' or p_models is not null) then
    raise exception 'no such counter' using errcode = 'invalid_parameter_value';
  end if;
  perform ledger_ready();
  perform trees_locked(array[coalesce(p_account, (select account_id from key where id = p_key))]);
  select * into a from account where id = coalesce(p_account, (select account_id from key where id = p_key));
  if not found or p_account is not null and a.lone then return structure_answer('unknown_account'); end if;
  if exists (select from account where id = any (a.path) and status = 'closed') then
    return structure_answer('closed', null, a.id, null, array[account_title(a.id)]);
  end if;
  if p_key is null then
    v_keys := keys_locked(p_account, null);
  else
    v_keys := array[p_key];
    perform from key where id = p_key for no key update;
    select * into b from balance where key_id = p_key for no key update;
  end if;
  select id into v_id from counter_anywhere
   where (account_id = p_account or key_id = p_key) and closed_at is null and kind = p_kind
     and (p_kind = 'purse' or unit = p_unit and period = p_period and models is not distinct from v_models);
  if found then
    return structure_answer('exists', v_id, p_account, p_key, array[coalesce(account_title(p_account), key_title(p_key))]);
  end if;
  v_now := ledger_now();
  if p_key is not null and b.counter is null and v_models is null and not exists (select from hold where key_id = p_key) then
    v_id := nextval('counter_id');
    update balance
       set counter = v_id, kind = p_kind, unit = p_unit, amount = p_amount, posted = p_amount, period = p_period, period_no = 0,
           period_from = period_start(p_period, v_now), period_ends_at = period_end(p_period, v_now), revision = 1, due = null, fundings = 0,
           funded = 0, refunded = 0, used = 0
     where key_id = p_key;
  else
    insert into counter (bucket, account_id, key_id, kind, unit, models, amount, posted, period, period_from, period_ends_at)
    values (a.bucket, p_account, p_key, p_kind, p_unit, v_models, p_amount, p_amount, p_period, period_start(p_period, v_now),
            period_end(p_period, v_now))
    returning id into v_id;
  end if;
  if p_kind = 'limit' then
    insert into funding (counter, reference, seq, kind, amount, period_no, period, actor, at)
    values (v_id, '#open:' || v_id, 1, 'limit', p_amount, 0, p_period, p_actor, v_now);
    update counter set fundings = 1 where id = v_id;
    update balance set fundings = 1 where counter = v_id;
    perform thresholds_set(array[v_id]);
  end if;
  perform require_chains(a.id);
  if p_key is null then
    perform structure_changed(p_account, v_keys);
  else
    perform keys_rechained(v_keys);
    perform pg_notify('tollgate_keys', p_key::text);
  end if;
  return structure_answer('done', v_id, p_account, p_key);
exception when sqlstate 'TG001' then
  get stacked diagnostics v_why = pg_exception_detail;
  return refused_structure(v_why);
end
$$;
