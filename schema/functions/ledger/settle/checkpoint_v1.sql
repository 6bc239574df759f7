-- The same for gateways that do not say how requests were served.
create or replace function checkpoint_v1(
  p_id uuid[], p_seq int[], p_credits bigint[], p_input int[], p_cache_read int[], p_cache_write int[], p_cache_write_1h int[], p_output int[],
  p_reasoning int[], p_tools jsonb[], p_delivered boolean[]
) returns setof uuid language sql as $$
  select * from checkpoint_v2(
    p_id, p_seq, p_credits, p_input, p_cache_read, p_cache_write, p_cache_write_1h, p_output, p_reasoning, p_tools, p_delivered,
    null, null
  )
$$;
