-- The same for gateways that do not say how requests were served.
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
) returns setof answer language sql as $$
  select * from turn_v2(
    p_mark, p_process, p_counters,
    s_id, s_key, s_kind, s_credits, s_tokens, s_input, s_cache_read, s_cache_write, s_cache_write_1h, s_output, s_reasoning,
    s_tools, s_delivered, s_provider, s_status, s_first_byte_ms, s_took_ms, s_estimated, s_digest, s_answer_status, s_answer_type,
    s_answer_body, s_absorbed_credits, s_absorbed_tokens, s_waived_credits, s_waived_tokens, s_cap, null, null,
    a_id, a_key, a_version, a_rpm, a_chain, a_least_credits, a_most_credits, a_least_tokens, a_most_tokens, a_unlimited, a_model,
    a_price, a_lifetime_ms, a_sha, a_print
  )
$$;
