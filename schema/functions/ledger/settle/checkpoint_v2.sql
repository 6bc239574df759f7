-- Answers the ids that are no longer open. It does not wait for the disk: a checkpoint lost in a crash of the server means that
-- a request which is swept afterwards pays for a little less than it delivered.
create or replace function checkpoint_v2(
  p_id uuid[], p_seq int[], p_credits bigint[], p_input int[], p_cache_read int[], p_cache_write int[], p_cache_write_1h int[], p_output int[],
  p_reasoning int[], p_tools jsonb[], p_delivered boolean[], p_served int[], p_more jsonb[]
) returns setof uuid language plpgsql
set plan_cache_mode = force_generic_plan set jit = off set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform from hold where id = any (p_id) order by id for no key update;
  -- Content once delivered stays delivered, whatever the order in which checkpoints arrive.
  update hold h
     set content_delivered = h.content_delivered or q.any_delivered, checkpoint_seq = greatest(h.checkpoint_seq, q.seq),
         checkpoint_credits = case when q.seq > h.checkpoint_seq then q.credits else h.checkpoint_credits end,
         checkpoint_usage = case when q.seq > h.checkpoint_seq then q.usage else h.checkpoint_usage end,
         checkpoint_tools = case when q.seq > h.checkpoint_seq then q.tools else h.checkpoint_tools end,
         checkpoint_served = case when q.seq > h.checkpoint_seq then q.served else h.checkpoint_served end,
         checkpoint_more = case when q.seq > h.checkpoint_seq then q.more else h.checkpoint_more end
    from (
      select distinct on (id) id, seq, credits, array[input, cache_read, cache_write, cache_write_1h, output, reasoning] as usage, tools, served, more,
             bool_or(delivered) over (partition by id) as any_delivered
        from unnest(p_id, p_seq, p_credits, p_input, p_cache_read, p_cache_write, p_cache_write_1h, p_output, p_reasoning, p_tools, p_delivered,
                    p_served, p_more)
             with ordinality as q (id, seq, credits, input, cache_read, cache_write, cache_write_1h, output, reasoning, tools, delivered, served, more, place)
       order by id, seq desc, place
    ) q
   where h.id = q.id;
  return query select q.id from unnest(p_id) q (id) where not exists (select from hold h where h.id = q.id);
end
$$;
