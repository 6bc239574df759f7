-- Why: a turn of one request costs PostgreSQL nearly as much as a turn of thirty, since the statements that serve many are large. One plain
-- request of a key whose chain has no further counters is admitted and settled by small statements. Whatever is special about it is left to
-- the rules for many, which stay as they are.
-- Locks: none on tables; it creates functions and replaces one.

-- Admits one request with all it asks for; false: nothing was done, and the whole rule has to decide. The locks are held.
create function admitted_alone(
  p_now timestamptz, p_process uuid, p_id uuid, p_key uuid, p_version bigint, p_rpm int, p_chain int, p_least_credits bigint,
  p_most_credits bigint, p_least_tokens bigint, p_most_tokens bigint, p_model int, p_price int, p_lifetime_ms int
) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  v_us bigint := extract(epoch from p_now) * 1000000;
  v_clock timestamptz := ledger_now();
  v_least bigint := coalesce(p_least_credits, p_least_tokens);
  v_most bigint := coalesce(p_most_credits, p_most_tokens);
  v_unit text := case when p_most_credits is null then 'tokens' else 'credit' end;
  v_key_no int;
begin
  perform require_recent(p_id, p_id, v_clock);
  -- One unit, and something to hold: a request that is only counted holds nothing.
  if ((p_most_credits is null) <> (p_most_tokens is null) and (p_least_credits is null) = (p_most_credits is null)
      and 0 <= v_least and v_least <= v_most and v_most > 0) is not true then
    return false;
  end if;
  -- The repetition of a call.
  if exists (select from hold where id = p_id) or exists (select from charge where hold_id = p_id) then return false; end if;
  update balance
     set held = held + v_most, rate = case when p_rpm is null then rate else rate_added(rate, v_us, 1) end
   where key_id = p_key and version = p_version and chain = p_chain and counters is null and unit = v_unit and v_most <= posted - held
     and (p_rpm is null or rate_count(rate, v_us) < p_rpm)
  returning key_no into v_key_no;
  if not found then return false; end if;
  insert into hold (id, key_id, process_id, admitted_at, deadline, credits, tokens, key_no, chain, model, price_version, claimed)
  values (p_id, p_key, p_process, p_now, v_clock + p_lifetime_ms * interval '1 millisecond', p_most_credits, p_most_tokens, v_key_no, p_chain,
          p_model, p_price, false);
  return true;
end
$$;

-- Settles one completed request at the price it came with, which its hold covers; false: nothing was done, and the whole rule has to decide.
-- The locks are held.
create function settled_alone(
  p_now timestamptz, p_id uuid, p_key uuid, p_credits bigint, p_tokens bigint, p_input int, p_cache_read int, p_cache_write int,
  p_cache_write_1h int, p_output int, p_reasoning int, p_tools jsonb, p_provider int, p_status int, p_first_byte_ms int, p_took_ms int,
  p_estimated boolean, p_digest bytea
) returns boolean language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
as $$
declare
  v_day date := (p_now at time zone 'UTC')::date;
  v_soon date := ((p_now + interval '1 hour') at time zone 'UTC')::date;
  v_from timestamptz;
  v_unit text;
  v_paid bigint;
  v_released bigint;
  v_counter int;
  v_fires boolean;
  h hold;
begin
  select period_from, unit into v_from, v_unit from balance where key_id = p_key and counter is not null and mode_unit = unit;
  if not found then return false; end if;
  v_paid := case v_unit when 'credit' then p_credits else p_tokens end;
  -- The hold is the right to charge: whoever deletes it writes the charge.
  delete from hold
   where id = p_id and key_id = p_key and counters is null and not claimed and admitted_at >= v_from
     and case v_unit when 'credit' then tokens is null and p_credits between 0 and credits
                     else credits is null and p_tokens between 0 and tokens end
  returning * into h;
  if not found then return false; end if;
  v_released := coalesce(h.credits, h.tokens);
  insert into charge (hold_id, admitted_at, at, granted_credits, granted_tokens, credits, tokens, key_no, chain, model, price_version, input,
                      cache_read, cache_write, cache_write_1h, output, reasoning, took_ms, first_byte_ms, provider, status, kind, estimated,
                      reported, tools, digest)
  values (p_id, h.admitted_at, p_now, h.credits, h.tokens, case v_unit when 'credit' then v_paid end, case v_unit when 'tokens' then v_paid end,
          h.key_no, h.chain, h.model, h.price_version, coalesce(p_input, 0), nullif(p_cache_read, 0), nullif(p_cache_write, 0),
          nullif(p_cache_write_1h, 0), coalesce(p_output, 0), nullif(p_reasoning, 0), p_took_ms, p_first_byte_ms, p_provider, p_status, 1,
          coalesce(p_estimated, false), p_provider is not null, p_tools, p_digest);
  update balance b
     set posted = case b.kind when 'purse' then b.posted - v_paid
                              else greatest(b.amount + b.refunded - b.used - v_paid + b.older_held, b.held - v_released) end,
         held = b.held - v_released, used = b.used + v_paid,
         spent = b.spent + case v_unit when 'credit' then v_paid else 0 end,
         today = case when b.today between v_day + 1 and v_soon then b.today else v_day end,
         today_spend = case when b.today between v_day + 1 and v_soon then b.today_spend
                            when b.today = v_day then b.today_spend + v_paid else v_paid end,
         last_cost = v_paid, requests = b.requests + 1, tokens_in = b.tokens_in + coalesce(p_input, 0),
         tokens_out = b.tokens_out + coalesce(p_output, 0)
   where b.key_id = p_key
  returning b.counter, case b.kind when 'limit' then b.used - b.refunded >= b.due else b.posted <= b.due end into v_counter, v_fires;
  if v_fires then perform thresholds_passed(array[v_counter], p_now); end if;
  return true;
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
    if cardinality(a_id) = 1 and p_counters = '{}' and a_sha is null
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
