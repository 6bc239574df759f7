-- One turn of a process: it ends requests and starts others. The counters are those of all chains in it, and are locked here; a chain never
-- changes, so they may be named before they are locked. `s_cap` has for every end the cap of its payer, and then for every end that of its
-- account; a gateway that knows of none sends no second half.
create or replace function turn_v2(
  p_mark uuid, p_process uuid, p_counters int[],
  s_id uuid[], s_key uuid[], s_kind smallint[], s_credits bigint[], s_tokens bigint[], s_input int[], s_cache_read int[], s_cache_write int[],
  s_cache_write_1h int[], s_output int[], s_reasoning int[], s_tools jsonb[], s_delivered boolean[], s_provider int[], s_status int[],
  s_first_byte_ms int[], s_took_ms int[], s_estimated boolean[], s_digest bytea[], s_answer_status int[], s_answer_type text[],
  s_answer_body bytea[], s_absorbed_credits bigint[], s_absorbed_tokens bigint[], s_waived_credits bigint[], s_waived_tokens bigint[],
  s_cap bigint[], s_served int[], s_more jsonb[],
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
                         s_took_ms[1], s_estimated[1], s_digest[1], s_served[1], s_more[1]) then
      a.part := 's';
      a.verdict := 'settled';
      return next a;
    else
      return query
        select s.* from settled(v_at.clock, s_id, s_key, s_kind, s_credits, s_tokens, s_input, s_cache_read, s_cache_write, s_cache_write_1h, s_output,
                              s_reasoning, s_tools, s_delivered, s_provider, s_status, s_first_byte_ms, s_took_ms, s_estimated, s_digest,
                              s_answer_status, s_answer_type, s_answer_body, s_absorbed_credits, s_absorbed_tokens, s_waived_credits,
                              s_waived_tokens, s_cap, s_served, s_more) s
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
