-- A turn of one completed request of such a key. False: nothing was done, and `turn_v2` has to decide.
create or replace function settle_turn_v2(
  p_mark uuid, p_id uuid, p_key uuid, p_credits bigint, p_tokens bigint, p_input int, p_cache_read int, p_cache_write int,
  p_cache_write_1h int, p_output int, p_reasoning int, p_tools jsonb, p_provider int, p_status int, p_first_byte_ms int, p_took_ms int,
  p_estimated boolean, p_digest bytea, p_served int, p_more jsonb
) returns boolean language plpgsql as $$
begin
  perform ledger_ready(p_mark);
  return settled_alone(ledger_now(), p_id, p_key, p_credits, p_tokens, p_input, p_cache_read, p_cache_write, p_cache_write_1h, p_output,
                       p_reasoning, p_tools, p_provider, p_status, p_first_byte_ms, p_took_ms, p_estimated, p_digest, p_served, p_more);
end
$$;
