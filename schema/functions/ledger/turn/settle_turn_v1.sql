-- The same for gateways that do not say how requests were served.
create or replace function settle_turn_v1(
  p_mark uuid, p_id uuid, p_key uuid, p_credits bigint, p_tokens bigint, p_input int, p_cache_read int, p_cache_write int,
  p_cache_write_1h int, p_output int, p_reasoning int, p_tools jsonb, p_provider int, p_status int, p_first_byte_ms int, p_took_ms int,
  p_estimated boolean, p_digest bytea
) returns boolean language sql as $$
  select settle_turn_v2(
    p_mark, p_id, p_key, p_credits, p_tokens, p_input, p_cache_read, p_cache_write, p_cache_write_1h, p_output, p_reasoning,
    p_tools, p_provider, p_status, p_first_byte_ms, p_took_ms, p_estimated, p_digest, null, null
  )
$$;
